import { actorName, type ChangeLine, type ChangeText, changeLine, changeText } from './change-line.ts';
import { type Committed, dataOf, withoutRecords } from './committed.ts';
import { fieldLabel } from './field-name.ts';
import { lineText } from './line-text.ts';
import { wallTime } from './times.ts';

/** A past event and its line in a list. */
export interface Entry {
  readonly line: ChangeLine;
  /** Without the whole records. */
  readonly committed: Committed;
}

export function entryOf(committed: Committed): Entry {
  return { line: changeLine(committed), committed: withoutRecords(committed) };
}

/** The changes of a record in a period, added up. */
export interface RecordSummary {
  readonly key: string;
  readonly name: string;
  /** Undefined: it existed before and still exists. `passing`: it was created and deleted in the period. */
  readonly result: 'created' | 'deleted' | 'passing' | undefined;
  /** The net change of each field, from the first value to the last; of a new record, its fields. */
  readonly changes: readonly ChangeText[];
  /** The number of changes: each field, or 1 for a created or deleted record. Chat messages count the same way. */
  readonly count: number;
}

export interface ProjectSummary {
  readonly key: string;
  readonly id: string;
  readonly project: RecordSummary;
  readonly tasks: readonly RecordSummary[];
  /** The time of the last change, in ms since 1970. */
  readonly at: number;
  /** The changes of the project and its tasks. */
  readonly count: number;
}

/** Changes by project, the one with the latest change first; and those outside of projects: of field definitions and
 *  the process. */
export interface Summary {
  readonly projects: readonly ProjectSummary[];
  readonly others: readonly Entry[];
  /** All changes. */
  readonly count: number;
}

/** @param entries of one process, oldest first */
export function summaryOf(entries: readonly Entry[]): Summary {
  const ofProject = (entry: Entry) =>
    entry.line.type.startsWith('source.') ? undefined : entry.line.project?.id;
  const groups = Map.groupBy(
    entries.filter(entry => ofProject(entry) !== undefined),
    entry => ofProject(entry) ?? '',
  );
  const projects = [...groups]
    .map(([id, group]) => projectSummary(id, group))
    .toSorted((one, other) => other.at - one.at);
  const shown = projects.filter(({ project, tasks }) => isShown(project) || tasks.length > 0);
  const others = entries.filter(entry => ofProject(entry) === undefined);
  return { projects: shown, others, count: others.length + sumOf(shown) };
}

function projectSummary(id: string, entries: readonly Entry[]): ProjectSummary {
  const own = entries.filter(({ line }) => line.task === undefined);
  const tasks = Map.groupBy(
    entries.filter(({ line }) => line.task !== undefined),
    ({ line }) => line.task?.id ?? '',
  );
  const last = entries.at(-1)?.line;
  const project = recordSummary(id, last?.project?.name ?? id, own);
  const shown = [...tasks]
    .map(([task, group]) => recordSummary(task, group.at(-1)?.line.task?.name ?? task, group))
    .filter(isShown);
  return {
    key: `${last?.workspace}/${last?.process}/${id}`,
    ...{ id, project, tasks: shown },
    at: last?.at ?? 0,
    count: project.count + sumOf(shown),
  };
}

function sumOf(parts: readonly { readonly count: number }[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

/** The number of changes of an event, as in a summary. */
export function changesOf({ action, changes, more }: ChangeLine): number {
  return action === 'updated' ? Math.max(1, changes.length + more) : 1;
}

/** When polling began, if that is later than `since` (ms): `today 19:12`. */
export function watchedText(
  watchedSince: string | undefined,
  since: number,
  now: number,
): string | undefined {
  const at = watchedSince === undefined ? Number.NaN : Date.parse(watchedSince);
  if (!(at > since)) return undefined;
  const [day, time = ''] = wallTime(at).split(' ');
  return `${day === wallTime(now).split(' ')[0] ? 'today' : day} ${time.slice(0, 5)}`;
}

/** Whether the summary shows the record. A record whose changes were reverted is left out. */
function isShown({ result, changes }: RecordSummary): boolean {
  return result !== undefined || changes.length > 0;
}

function recordSummary(key: string, name: string, entries: readonly Entry[]): RecordSummary {
  const result = resultOf(entries.map(({ line }) => line.action));
  const isWhole = result !== undefined;
  const changes = result === 'deleted' || result === 'passing' ? [] : netChanges(entries, isWhole);
  return { key, name, result, changes, count: isWhole ? 1 : changes.length };
}

function resultOf(actions: readonly string[]): RecordSummary['result'] {
  const ends = actions.filter(action => action === 'created' || action === 'deleted');
  const [first, last] = [ends[0], ends.at(-1)];
  if (first === undefined) return undefined;
  if (first === 'created') return last === 'created' ? 'created' : 'passing';
  // Deleted and created again: it still exists.
  return last === 'deleted' ? 'deleted' : undefined;
}

type RawChange = NonNullable<ReturnType<typeof dataOf>['changes']>[number];

/** The net change of each field, from its first value to its last. */
function netChanges(entries: readonly Entry[], isCreated: boolean): ChangeText[] {
  const net = new Map<string, RawChange>();
  for (const { committed, line } of entries) {
    const { changes } = dataOf(committed);
    for (const change of changes ?? []) {
      if (line.action === 'created' && !line.changes.some(({ field }) => field === change.field)) continue;
      const before = net.get(change.field);
      net.set(change.field, before ? combined(before, change) : change);
    }
  }
  return [...net.values()]
    .filter(({ from, to }) => isCreated || JSON.stringify(from) !== JSON.stringify(to))
    .map(change => changeText(change));
}

/** Two changes as one. It has both whole lists, because `added` and `removed` cannot be combined. */
function combined(before: RawChange, { to }: RawChange): RawChange {
  const { added: _, removed: __, ...rest } = before;
  return { ...rest, to } as RawChange;
}

/** The summary as text for a mail or a chat. */
export function summaryText({ projects, others }: Summary, title: string): string {
  const texts = projects.map(({ project, tasks }) =>
    [
      `${headText(project)}`,
      ...project.changes.map(text => `  ${changeLineText(text, project.result)}`),
      ...tasks.map(taskText),
    ].join('\n'),
  );
  const rest = others.map(({ line }) => lineText(line));
  const all =
    rest.length > 0
      ? [...texts, ['Fields and the process', ...rest.map(text => `  ${text}`)].join('\n')]
      : texts;
  return `${[title, ...(all.length > 0 ? all : ['Nothing changed.'])].join('\n\n')}\n`;
}

const RESULTS = { created: 'new', deleted: 'deleted', passing: 'created and deleted' } as const;

function headText({ name, result }: RecordSummary): string {
  return result === undefined ? name : `${name} (${RESULTS[result]})`;
}

function taskText(task: RecordSummary): string {
  const changes = task.changes.map(change => changeLineText(change, task.result)).join(', ');
  return `  - ${headText(task)}${changes === '' ? '' : `: ${changes}`}`;
}

function changeLineText({ label, from, to, choices }: ChangeText, result: RecordSummary['result']): string {
  if (choices) return `${label}: ${choices.map(({ sign, text }) => `${sign}${text}`).join(', ')}`;
  return result === 'created'
    ? `${label}: ${to ?? 'empty'}`
    : `${label}: ${from ?? 'empty'} → ${to ?? 'empty'}`;
}

export const CSV_HEAD = [
  'committed',
  'observed after',
  'observed before',
  'workspace',
  'process',
  'type',
  'project id',
  'project',
  'task id',
  'task',
  'field',
  'from',
  'to',
  'made by',
  'event id',
] as const;

/** A row for each changed field; one row for an event without fields, and for a created or deleted record. */
export function csvRows(entries: readonly Entry[]): string[][] {
  return entries.flatMap(({ committed, line }) => {
    const { project, task, observed, changes, field, actors = [] } = dataOf(committed);
    const { committedAt, event } = committed;
    const head = [committedAt, observed?.after, observed?.before, line.workspace, line.process, event.type];
    const where = [project?.id, project?.name, task?.id, task?.name];
    const by = actors.map(actorName).join(', ');
    const row = (...what: readonly [field: string, from: string, to: string]) =>
      [...head, ...where, ...what, by, event.id].map(cell => cell ?? '');
    const isWhole = line.action === 'created' || line.action === 'deleted';
    if (!changes?.length || isWhole) return [row(field?.name ?? '', '', line.note ?? line.action)];
    return changes.map(change => row(nameOf(change), cellOf(change.from), cellOf(change.to)));
  });
}

function nameOf(change: RawChange): string {
  const name = 'name' in change ? change.name : change.field;
  return fieldLabel({ name, kind: 'kind' in change && change.kind ? change.kind : 'builtin' });
}

/** The raw value: a text, or JSON. */
function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value) && value.every(item => typeof item === 'string')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The events as JSON, without whole records. */
export function historyJson(entries: readonly Entry[]): string {
  return `${JSON.stringify(
    entries.map(({ committed }) => committed),
    null,
    2,
  )}\n`;
}
