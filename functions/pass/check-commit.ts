import { assert } from '../basics/assert.ts';
import { isEmpty } from '../basics/empty.ts';
import type { Json, JsonObject } from '../basics/json.ts';
import type { RecordChange } from '../changes/compare-project.ts';
import { jsonEqual } from '../changes/equal.ts';
import { isDueEvent } from '../model/due.ts';
import type { ChangeEvent, DueEvent, FieldChange } from '../model/event.ts';
import type { ProjectContent } from '../model/snapshot.ts';
import type { CommitRequest } from '../store/store.ts';

/** What a commit rests on. */
interface Basis {
  readonly processId: string;
  /** The version of the last snapshot or tombstone, if there is one. */
  readonly lastVersion: number | undefined;
  readonly changes: readonly RecordChange[];
}

type Tasks = ProjectContent['tasks'];

const NOTHING: JsonObject = Object.freeze({});
const NO_TASKS: Tasks = new Map();

/** Checks a commit before it is written: its events can't be taken back. Takes time linear in the changes
 *  and the number of tasks; unchanged tasks are not compared again.
 *  @throws AssertionError */
export function checkCommit(request: CommitRequest, { processId, lastVersion, changes }: Basis): void {
  const { projectId, expected, snapshot, version, events, isSilent = false } = request;
  assert(Number.isSafeInteger(version) && version > (lastVersion ?? -1), 'commit.version-grows');
  assert((snapshot === undefined) !== (request.tombstone === undefined), 'commit.snapshot-or-tombstone');
  assert((snapshot ?? request.tombstone)?.version === version, 'commit.one-version');
  assert(!isSilent || (events.length === 0 && !expected), 'commit.silent-in-baseline');
  checkReadings(request);
  checkChanges(changes, projectId, expected?.content, snapshot?.content);
  if (!isSilent) checkEvents(events, { processId, projectId, version, changes });
}

function checkReadings({ expected, snapshot }: CommitRequest): void {
  const [before, after] = [expected?.readUntil, snapshot?.readUntil];
  if (after)
    assert(
      after.record >= (before?.record ?? 0) && after.tasks >= (before?.tasks ?? 0),
      'commit.read-until-grows',
    );
}

function checkEvents(
  events: readonly ChangeEvent[],
  commit: Pick<Basis, 'processId' | 'changes'> & { readonly projectId: string; readonly version: number },
): void {
  const { processId, projectId, version, changes } = commit;
  const sequence = String(version);
  const due = events.slice(changes.length);
  assert(events.length >= changes.length && due.every(isDueEvent), 'commit.one-event-per-change');
  for (const { time, data } of due as DueEvent[]) assert(data.dueAt <= time, 'commit.due-has-come');
  assert(new Set(events.map(({ id }) => id)).size === events.length, 'commit.ids-are-unique');
  for (const [index, { type, sequence: own, data }] of events.entries()) {
    assert(own === sequence, 'commit.one-version');
    const isOfProject = 'project' in data && data.project.id === projectId && data.process.id === processId;
    assert(isOfProject, 'commit.event-of-project');
    const change = changes[index];
    if (!change) continue;
    assert(type === `${change.entity}.${change.action}`, 'commit.one-event-per-change');
    // Texts of times in one format are in the order of the times.
    assert('observed' in data && data.observed.after <= data.observed.before, 'commit.observed-in-order');
  }
}

function checkChanges(
  changes: readonly RecordChange[],
  projectId: string,
  before: ProjectContent | undefined,
  after: ProjectContent | undefined,
): void {
  const project = changes.filter(({ entity }) => entity === 'project');
  assert(project.length <= 1 && project.every(({ id }) => id === projectId), 'commit.record-changes-once');
  for (const change of project) checkChange(change, before?.record, after?.record);
  const isProject = project[0] ? project[0].action !== 'deleted' : before !== undefined;
  assert(isProject === (after !== undefined), 'commit.changes-give-content');
  checkTasks(
    changes.filter(({ entity }) => entity === 'task'),
    before?.tasks ?? NO_TASKS,
    after?.tasks ?? NO_TASKS,
  );
}

function checkTasks(changes: readonly RecordChange[], before: Tasks, after: Tasks): void {
  const changed = new Set(changes.map(({ id }) => id));
  assert(changed.size === changes.length, 'commit.record-changes-once');
  let size = before.size;
  for (const change of changes) {
    checkChange(change, before.get(change.id), after.get(change.id));
    size += { created: 1, updated: 0, deleted: -1 }[change.action];
  }
  assert(size === after.size, 'commit.changes-give-content');
  for (const id of after.keys()) assert(changed.has(id) || before.has(id), 'commit.changes-give-content');
}

/** Checks the change of a record from `known` to `now`. */
function checkChange(
  { action, record, fields }: RecordChange,
  known: JsonObject | undefined,
  now: JsonObject | undefined,
): void {
  assert((action === 'created') === (known === undefined), 'commit.change-fits-snapshot');
  assert(now === (action === 'deleted' ? undefined : record), 'commit.changes-give-content');
  for (const field of fields) checkField(field, known ?? NOTHING, record);
}

function checkField({ field, from, to }: FieldChange, known: JsonObject, read: JsonObject): void {
  assert(jsonEqual(from, valueIn(known, field)), 'commit.from-is-known');
  assert(jsonEqual(to, valueIn(read, field)), 'commit.to-is-read');
  assert(!(isEmpty(from) && isEmpty(to)) && !jsonEqual(from, to), 'commit.from-differs');
}

/** Own properties only: every object inherits a `constructor`. */
function valueIn(record: JsonObject, field: string): Json {
  return (Object.hasOwn(record, field) ? record[field] : undefined) ?? null;
}
