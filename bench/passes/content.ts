/** What the measured service has. */
export interface Size {
  readonly projects: number;
  readonly tasksPerProject: number;
}

export const PROCESS = 'measured';

/** One field of a record: its name, and its value as JSON. */
type Field = readonly [name: string, json: string];

/** The parts of which an answer's records are put together. */
export type Pieces = readonly string[];

/** How many different records there are, apart from identifiers: far too many for a compression to profit
 *  from repetitions. */
const KINDS = 1_024;
const DAY = 86_400_000;
const UPDATED = Date.UTC(2026, 9, 1);
const WORDS =
  'agree asset audit board budget build check client contract copy cost design draft edit event field final goal launch legal list meet north note offer order page paper part phase plan print quote reach release report review risk room sales scope send sign site south spec stage start supply survey team test text track train update vendor west work';
const words = WORDS.split(' ');

/** The fields of a record without its identifiers: some 400 bytes, every custom field filled in. */
function fieldsOf(kind: number): Field[] {
  const word = (n: number) => words[(kind * 31 + n * n * 17 + (kind >> (n % 7))) % words.length] as string;
  const text = (from: number, count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, n) => word(from + n)).join(' '));
  const time = (n: number) => JSON.stringify(new Date(UPDATED - ((kind * 7 + n) % 97) * DAY).toISOString());
  return [
    ['name', text(1, 5)],
    ['status', JSON.stringify(['To do', 'In progress', 'Done'][kind % 3])],
    ['assignee', JSON.stringify({ id: `u${kind % 40}`, name: `${word(9)} ${word(11)}` })],
    ['createdAt', time(50)],
    ['updatedAt', time(1)],
    ['lastActivityAt', time(1)],
    ['summary', text(12, 10)],
    ['budget', JSON.stringify(`${1_000 + kind}.50`)],
    ['dueDate', JSON.stringify(`2026-12-${10 + (kind % 20)}`)],
    ['risk-level', JSON.stringify(['Low', 'Medium', 'High'][kind % 3])],
    ['regions', JSON.stringify([word(2), word(3), word(4)])],
  ];
}

const ALL = Array.from({ length: KINDS }, (_, kind) => fieldsOf(kind));

/** Ways in which the bytes of an answer can differ without a difference in meaning. */
const DIFFERENCES = [
  (fields: readonly Field[], turn: number) => {
    const from = 1 + (turn % (fields.length - 1));
    return written([...fields.slice(from), ...fields.slice(0, from)], '');
  },
  (fields: readonly Field[], turn: number) => written(fields, ' '.repeat(turn)),
  (fields: readonly Field[], turn: number) => {
    const at = JSON.stringify(new Date(UPDATED + turn * 1_000).toISOString());
    return written(
      fields.map(([name, json]) => [name, name === 'lastActivityAt' ? at : json]),
      '',
    );
  },
];

const written = (fields: readonly Field[], space: string) =>
  fields.map(([name, json]) => `"${name}":${space}${json}`).join(`,${space}`);

/** The parts of a turn's answers; those of one project all come from the same array. Turn 0 has one
 *  array. In every other turn the bytes differ from those of the nine turns before: in the order of keys,
 *  in white space, or in a time that is ignored. */
export function piecesOf(turn: number): readonly Pieces[] {
  if (turn === 0) return [ALL.map(fields => written(fields, ''))];
  return DIFFERENCES.map(write => ALL.map(fields => write(fields, turn)));
}

const FIRST_PROJECT = 100_001;
const FIRST_TASK = 5_000_001;

/** Which page of a list is asked for. */
export interface Asked {
  readonly from: number;
  readonly count: number;
}

function page(property: string, records: readonly string[], { from, count }: Asked, total: number): string {
  const end = Math.min(total, from + count);
  const paging = `{"startCursor":"c${from}","endCursor":"c${end}","hasNextPage":${end < total}}`;
  return `{"${property}":[${records.join(',')}],"paging":${paging}}`;
}

const each = ({ from, count }: Asked, total: number, make: (index: number) => string) =>
  Array.from({ length: Math.max(0, Math.min(count, total - from)) }, (_, n) => make(from + n));

export function projectsPage({ projects }: Size, asked: Asked, pieces: readonly Pieces[]): string {
  const record = (n: number) => `{"id":"${FIRST_PROJECT + n}",${piece(pieces, n, n)}}`;
  return page('projects', each(asked, projects, record), asked, projects);
}

/** @returns undefined when there is no such project */
export function tasksPage(
  size: Size,
  id: string,
  asked: Asked,
  pieces: readonly Pieces[],
): string | undefined {
  const [project, { tasksPerProject }] = [Number(id) - FIRST_PROJECT, size];
  if (!(project >= 0 && project < size.projects)) return undefined;
  const record = (n: number) => {
    const index = project * tasksPerProject + n;
    return `{"id":"${FIRST_TASK + index}","projectId":"${id}",${piece(pieces, project, index * 13 + 7)}}`;
  };
  return page('tasks', each(asked, tasksPerProject, record), asked, tasksPerProject);
}

const piece = (pieces: readonly Pieces[], project: number, kind: number) =>
  pieces[project % pieces.length]?.[kind % KINDS] as string;

const ENTRIES = 250;

/** The audit log, newest entries first. */
export function auditPage({ projects }: Size, asked: Asked): string {
  const entry = (n: number) =>
    `{"id":"log-${ENTRIES - n}","timestamp":"${new Date(UPDATED - n * 60_000).toISOString()}","action":"project.updated",` +
    `"user":{"id":"u${n % 40}"},"details":{"projectId":"${FIRST_PROJECT + ((n * 7) % projects)}"}}`;
  return page('entries', each(asked, ENTRIES, entry), asked, ENTRIES);
}

const field = (externalId: string, type: string, options?: readonly string[]) => ({
  externalId,
  name: externalId,
  type,
  ...(options && { options }),
});
const DEFINITIONS = [
  field('summary', 'text'),
  field('budget', 'number'),
  field('dueDate', 'date'),
  field('risk-level', 'single-choice', ['Low', 'Medium', 'High']),
  field('regions', 'multiple-choice', words),
];

/** The definitions of the custom fields, the same for projects and tasks. */
export const DEFINITIONS_BODY = JSON.stringify({ groups: [{ name: 'All', fields: DEFINITIONS }] });
