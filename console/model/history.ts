import { namesInWords } from '../../functions/basics/names-in-words.ts';
import {
  actorName,
  actorsText,
  type ChangeLine,
  changeLine,
  changeText,
  type Place,
  wordsOf,
} from './change-line.ts';
import { type Committed, dataOf, withoutRecords } from './committed.ts';
import { fieldLabel } from './field-name.ts';
import { lineText, whatText } from './line-text.ts';
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

/** The changes in a project, or those outside of projects: of field definitions and the process. */
export interface ChangeGroup {
  readonly key: string;
  readonly workspace: string;
  readonly process: string;
  readonly project: Place | undefined;
  /** A line is one change: a field of a record from its first value in the period to its last, or a record that was
   *  created or deleted. It has the event that did so last. Chat messages count the same way. */
  readonly lines: readonly ChangeLine[];
  /** The time of the last event, in ms since 1970. */
  readonly at: number;
}

/** The differences of a period by project, the one with the latest event first. Fields with their first value again
 *  are left out.
 *  @param entries oldest first */
export function changeGroups(entries: readonly Entry[]): ChangeGroup[] {
  const groups = Map.groupBy(entries, ({ line }) =>
    JSON.stringify([line.workspace, line.process, projectOf(line)?.id ?? null]),
  );
  return [...groups]
    .map(([key, group]) => groupOf(key, group))
    .filter(({ lines }) => lines.length > 0)
    .toSorted((one, other) => other.at - one.at);
}

function groupOf(key: string, entries: readonly Entry[]): ChangeGroup {
  const { workspace, process, at, ...last } = (entries.at(-1) as Entry).line;
  const project = projectOf(last);
  const head = { key, workspace, process, project, at };
  if (project === undefined) return { ...head, lines: entries.map(({ line }) => line) };
  const records = Map.groupBy(entries, ({ line }) => line.task?.id);
  const own = records.get(undefined) ?? [];
  records.delete(undefined);
  return { ...head, lines: [own, ...records.values()].flatMap(recordLines) };
}

function projectOf({ type, project }: Pick<ChangeLine, 'type' | 'project'>): Place | undefined {
  return type.startsWith('source.') ? undefined : project;
}

/** The changes that match, in groups that have any. */
export function matchingGroups(
  groups: readonly ChangeGroup[],
  matches: (line: ChangeLine) => boolean,
): ChangeGroup[] {
  return groups
    .map(group => ({ ...group, lines: group.lines.filter(matches) }))
    .filter(({ lines }) => lines.length > 0);
}

/** The events of which the groups' changes are: of a field all events of the record that changed it, of a created or
 *  deleted record all of its events. */
export function entriesOf(groups: readonly ChangeGroup[], entries: readonly Entry[]): readonly Entry[] {
  const key = ({ workspace, process, project, task }: ChangeLine, field?: string) =>
    JSON.stringify([workspace, process, project?.id, task?.id, field]);
  const keys = new Set(
    groups.flatMap(({ lines }) =>
      lines.flatMap(line => [
        line.id,
        ...(isEnd(line) && line.project ? [key(line)] : line.changes.map(({ field }) => key(line, field))),
      ]),
    ),
  );
  return entries.filter(({ line, committed }) => {
    const { changes = [] } = dataOf(committed);
    return [line.id, key(line), ...changes.map(({ field }) => key(line, field))].some(each => keys.has(each));
  });
}

/** Marks an export that lacks events; undefined until all are read, when nothing can be exported yet. */
export function exportMark(state: 'reading' | 'all' | 'cut'): string | undefined {
  return { reading: undefined, all: '', cut: 'partial' }[state];
}

/** @param entries of one record, oldest first */
function recordLines(entries: readonly Entry[]): ChangeLine[] {
  const { project, task } = entries.at(-1)?.line ?? {};
  const ends = entries.filter(({ line }) => isEnd(line));
  const [first, last] = [ends[0]?.line, ends.at(-1)?.line];
  const others = entries.filter(({ line }) => !isEnd(line) && line.note !== undefined);
  const isCreated = last?.action === 'created';
  // A record that was deleted before has none of its former values.
  const own = isCreated ? entries.slice(entries.findLastIndex(({ line }) => line === last)) : entries;
  const fields = netChanges(own, isCreated);
  const whole: Partial<ChangeLine>[] =
    last?.action === 'deleted'
      ? [{ ...last, changes: [], ...(first?.action === 'created' && { note: 'created and deleted' }) }]
      : isCreated
        ? [
            ...(first?.action === 'deleted' ? [{ ...first, changes: [] }] : []),
            { ...last, changes: fields.map(({ net }) => changeText(net)) },
          ]
        : fields.map(({ net, by }) => fieldLine(net, by));
  return [...whole, ...others.map(({ line }) => line)].map(part => {
    const line = { ...(part as ChangeLine), project, task, more: 0 };
    return { ...line, words: wordsOf(line) };
  });
}

function isEnd({ action }: ChangeLine): boolean {
  return action === 'created' || action === 'deleted';
}

/** The change of a field, by all who changed it. */
function fieldLine(net: RawChange, by: readonly ChangeLine[]): ChangeLine {
  const last = by.at(-1) as ChangeLine;
  const actors = [...new Map(by.flatMap(line => line.actors.map(actor => [actor.id, actor]))).values()];
  return {
    ...last,
    ...{ type: `${last.type.split('.')[0]}.updated`, action: 'updated', changes: [changeText(net)] },
    ...{ actors, by: actorsText(actors), note: undefined },
  };
}

type RawChange = NonNullable<ReturnType<typeof dataOf>['changes']>[number];

/** The change of each field from its first value to its last, and the events that changed it. */
function netChanges(
  entries: readonly Entry[],
  isCreated: boolean,
): { readonly net: RawChange; readonly by: readonly ChangeLine[] }[] {
  const fields = new Map<string, { net: RawChange; by: ChangeLine[] }>();
  for (const { committed, line } of entries) {
    const { changes } = dataOf(committed);
    for (const change of changes ?? []) {
      if (line.action === 'created' && !line.changes.some(({ field }) => field === change.field)) continue;
      const known = fields.get(change.field);
      fields.set(change.field, {
        net: known ? combined(known.net, change) : change,
        by: known ? [...known.by, line] : [line],
      });
    }
  }
  return [...fields.values()].filter(
    ({ net: { from, to } }) => isCreated || JSON.stringify(from) !== JSON.stringify(to),
  );
}

/** Two changes as one. It has both whole lists, because `added` and `removed` cannot be combined. */
function combined(before: RawChange, { to }: RawChange): RawChange {
  const { added: _, removed: __, ...rest } = before;
  return { ...rest, to } as RawChange;
}

/** The number of changes of an event, as in a summary. */
export function changesOf({ action, changes, more }: ChangeLine): number {
  return action === 'updated' ? Math.max(1, changes.length + more) : 1;
}

/** Since when processes have been polled, if that is later than `since` (ms): `launch has been polled since today
 *  19:12.` */
export function watchedTexts(
  processes: readonly { readonly process: string; readonly watchedSince?: string | undefined }[],
  since: number,
  now: number,
): string[] {
  const late = processes.filter(({ watchedSince }) => Date.parse(watchedSince ?? '') > since);
  const byTime = Map.groupBy(late, ({ watchedSince }) => momentOf(Date.parse(watchedSince ?? ''), now));
  return [...byTime].map(([at, of]) => {
    const names = namesInWords(of.map(({ process }) => process));
    return `${names} ${of.length === 1 ? 'has' : 'have'} been polled since ${at}.`;
  });
}

function momentOf(at: number, now: number): string {
  const [day, time = ''] = wallTime(at).split(' ');
  return `${day === wallTime(now).split(' ')[0] ? 'today' : day} ${time.slice(0, 5)}`;
}

/** The name of a group: its project, or what it has instead. */
export function groupName({ project }: ChangeGroup): string {
  return project?.name ?? 'Fields and the process';
}

/** The changes as text for a mail or a chat, one in a line. `withProcess` names the process of each project. */
export function historyText(groups: readonly ChangeGroup[], title: string, withProcess = false): string {
  const texts = groups.map(group =>
    [
      `${groupName(group)}${withProcess ? ` (${group.process})` : ''}`,
      ...group.lines.map(line => `  ${group.project ? textInProject(line) : lineText(line)}`),
    ].join('\n'),
  );
  return `${[title, ...(texts.length > 0 ? texts : ['Nothing changed.'])].join('\n\n')}\n`;
}

function textInProject(line: ChangeLine): string {
  const { task, by } = line;
  return `${task ? `- ${task.name}: ` : ''}${whatText(line)}${by === undefined ? '' : ` · by ${by}`}`;
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
