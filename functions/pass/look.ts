import { logIfAssertion } from '../basics/assert.ts';
import type { JsonObject } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { RecordChange } from '../changes/compare-project.ts';
import type { SnapshotHead, Tombstone } from '../model/snapshot.ts';
import { ServiceAnswerError, ServiceError, ServiceUnreachableError } from '../service/errors.ts';
import type { Snapshots } from '../store/store.ts';
import { commit } from './commit.ts';
import type { PassContext } from './context/context.ts';
import { type DecisionRules, decide, isRefreshDue, type Seen, type Verdict } from './decide.ts';
import { failureReason, ifTorn, isOfOneProject, TaskListMissingError } from './failures.ts';
import { meaningDigest } from './reading/digest.ts';
import type { Listed } from './reading/listing.ts';
import { readTasks, type Same, type TasksRead } from './reading/read-tasks.ts';
import { type Found, isRetried, reasonOf } from './rechecks.ts';
import type { PassState } from './state.ts';
import { underOneList } from './withheld.ts';

/** How many conflicts with other passes are tolerated before this one gives up on the project. */
const MAX_CONFLICTS = 20;

/** How many projects may newly get no answer in one run: more show that the service is at fault, and each
 *  takes a time-out. */
const MAX_UNANSWERED = 3;

/** Looks at one project: observes it, decides, and commits the difference. After a conflict with another pass
 *  it looks again.
 *  @throws any error that is not of this project alone */
export async function look(context: PassContext, state: PassState, candidate: Candidate): Promise<Found> {
  const { before, kind, log, process } = context;
  const { projectId, listed } = candidate;
  const looked = await lookOrThrow(context, state, candidate).catch(faultOfOneProject);
  state.projects += 1;
  const recheck = before.rechecks.get(projectId);
  logIfAssertion(log, looked.fault, { ...process, projectId });
  if (looked.fault instanceof ServiceUnreachableError && !recheck) {
    state.unanswered += 1;
    if (state.unanswered > MAX_UNANSWERED) throw looked.fault;
  }
  // The service refuses the tasks of a project that a sweep's listings lack: perhaps it is gone. So this is
  // no failure to report.
  if (looked.fault instanceof ServiceError && kind === 'sweep' && !listed) {
    return { end: recheck?.cause === 'not-listed' ? 'not-listed' : 'uncertain', reason: reasonOf(looked) };
  }
  if (looked.fault && !recheck) {
    const error = looked.fault.message;
    log.warn('A project cannot be read or committed; the pass continues with the others.', {
      ...process,
      code: 'pass.project-failed',
      projectId,
      error,
    });
  }
  return looked;
}

/** The finding of a look or deletion that failed. @throws an error that is not of one project alone */
export function faultOfOneProject(error: unknown): Found {
  if (!isOfOneProject(error)) throw error;
  return { end: 'unreadable', reason: failureReason(error), fault: error };
}

async function lookOrThrow(context: PassContext, state: PassState, candidate: Candidate): Promise<Found> {
  const { projectId, round } = candidate;
  const { kind, before, heartbeat } = context;
  const begunAt = heartbeat.lease.window?.begunAt ?? context.begunAt;
  const rules = { kind, round, sweepCompletedAt: before.sweepCompletedAt, begunAt };
  let next = candidate;
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; ) {
    const read = await observe(context, state, next);
    if ('isSame' in read) return { end: 'settled', tasksReadAt: read.readAt };
    const seen = underOneList(read, context.settings.withhold ?? []);
    const verdict = await decideByFreshRules(state, seen, rules);
    const { difference } = verdict;
    const { snapshot, tombstone } = seen;
    const committed = difference
      ? await commit(context, state, { ...difference, projectId, snapshot, tombstone })
      : 'committed';
    if (committed === 'committed') return lookedAt(seen, verdict);
    if (committed === 'conflict') conflicts += 1;
    // The head that was read ahead is stale now: observe loads the snapshot instead.
    next = { ...candidate, head: undefined };
  }
  throw new Error(
    `Project ${projectId} of process ${context.process.processId} was not committed in ${MAX_CONFLICTS} tries: other passes ` +
      'committed first. The next pass retries; if this continues, check which pollers share the table.',
  );
}

/** Decides; if there are changes to emit, reads the field definitions and decides again: events carry the
 *  names and types of now. A field may have been archived between an earlier reading and that of the records,
 *  which changes no record: where a record lost a field, the reading that counts began later than that of the
 *  record. It serves all projects that were read before it began. */
async function decideByFreshRules(
  { definitions }: PassState,
  seen: Seen,
  rules: Omit<DecisionRules, 'compare'>,
): Promise<Verdict> {
  const { reading } = definitions;
  const known = decide(seen, { ...rules, compare: definitions.rules });
  if (!known.difference || known.difference.changes.length === 0) return known;
  const fresh = decide(seen, { ...rules, compare: await definitions.readAndAnnounce() });
  if (!fresh.difference?.changes.some(losesCustomField)) return fresh;
  return decide(seen, { ...rules, compare: await definitions.readAndAnnounce(reading) });
}

function losesCustomField({ record, fields }: RecordChange): boolean {
  return fields.some(({ kind, field }) => kind === 'custom' && !Object.hasOwn(record, field));
}

function lookedAt({ projectId, tasks }: Seen, { end, lacksTasks }: Verdict): Found {
  if (end !== 'no-task-list' || !lacksTasks) return { end, tasksReadAt: tasks?.readAt };
  const fault = new TaskListMissingError(projectId);
  return { end, reason: fault.message, fault };
}

/** A project to look at, with what is known of it so far. */
export interface Candidate extends Pick<Seen, 'projectId' | 'listing' | 'listed'> {
  /** The head of its snapshot, if that was read ahead (see Heads). */
  readonly head?: SnapshotHead | undefined;
  readonly round: DecisionRules['round'];
}

/** Reads one project: first its snapshot, then its tasks. In this order a commit, which is conditional on the
 *  version of the snapshot, can only write tasks that were read later than it.
 *  @returns Same when the service answers what the snapshot was read from, byte for byte or in other bytes
 *  @throws ServiceError when the project, or a task, can't be read or used; TornSnapshotError */
export async function observe(
  context: PassContext,
  state: PassState,
  { head, ...candidate }: Candidate,
): Promise<Seen | Same> {
  const { projectId, listing, listed } = candidate;
  if (listed?.flaw) throw listed.flaw;
  const { kind, before, snapshots, process } = context;
  // A baseline makes first snapshots only.
  if (head && kind === 'baseline') return { isSame: true, readAt: head.tasksReadAt };
  const load = async () => head?.whole?.() ?? snapshots.load(process, projectId);
  let snapshot = head ? undefined : await load();
  const loadOnce = async () => {
    if (head) snapshot ??= await load();
  };
  const known = head ?? snapshot;
  const recheck = before.rechecks.get(projectId);
  const tombstone = known || !listed ? undefined : await tombstoneOf(context, state, projectId, listed);
  const seen = { projectId, listing, listed, tombstone, recheck };
  // Nothing to read, unless a `changes` pass retries a recheck: while its tasks can't be read, it need not be
  // looked for in the whole list.
  if (!known && !listed && !(recheck && listing === 'changed'))
    return { ...seen, snapshot, tasks: undefined };
  const digests = known?.digests ?? {};
  const tasks = await readTasks(context, projectId, {
    isAgain: isRetried(recheck?.cause),
    digest: listed && listed.digest === digests.record ? digests.tasks : undefined,
    load: async () => {
      if (kind === 'baseline') return undefined;
      await loadOnce();
      return snapshot?.content.tasks;
    },
  });
  if (tasks && ('isSame' in tasks || meansSame(context, state, head, listed, tasks)))
    return { isSame: true, readAt: tasks.readAt };
  await loadOnce();
  // Another pass committed since the head was read, maybe newer tasks than these: observe again.
  if (head && snapshot?.version !== head.version) return observe(context, state, candidate);
  if (snapshot && tasks) checkTasks(process, projectId, snapshot.content.tasks, tasks.tasks);
  return { ...seen, snapshot, tasks };
}

/** True when a sweep read from other bytes what the snapshot has: to load and parse that as well takes as long as
 *  reading the project. Once a day it is compared all the same, so that it is written with the new digests. */
function meansSame(
  { kind, settings }: PassContext,
  { definitions }: PassState,
  head: SnapshotHead | undefined,
  listed: Listed | undefined,
  { tasks, digest }: TasksRead,
): boolean {
  const meaning = head?.digests?.meaning;
  if (kind !== 'sweep' || !head || !listed || digest === undefined || meaning === undefined) return false;
  if (isRefreshDue(head.recordReadAt, listed)) return false;
  const content = { record: listed.record, tasks };
  return meaning === meaningDigest(content, definitions.rules, settings.withhold ?? []);
}

/** For a listed project without a snapshot: the tombstone, if it was deleted before. */
async function tombstoneOf(
  context: PassContext,
  state: PassState,
  projectId: string,
  { record }: Listed,
): Promise<Tombstone | undefined> {
  const { kind, snapshots, process } = context;
  if (kind === 'baseline') return undefined;
  const tombstone = await snapshots.tombstone(process, projectId);
  state.identifiers ??= identifiersOf(process, snapshots);
  checkProject(process, projectId, record, await state.identifiers);
  return tombstone;
}

/** Checks that a project which seems new is not a known one under a new identifier. If the service renames
 *  the property that identifies records, each of them would otherwise be emitted as deleted, and again as
 *  created.
 *  @param identifiers the properties that may identify the known projects
 *  @throws ServiceAnswerError when it lacks the property that identifies the known ones */
export function checkProject(
  { processId }: ProcessKey,
  id: string,
  record: JsonObject,
  identifiers: readonly string[],
): void {
  if (isThere(record, identifiers)) return;
  throw changed(`GET /processes/${processId}/projects`, '$.projects', identifiers, id);
}

/** Checks the same of tasks.
 *  @throws ServiceAnswerError when none of a project's tasks is known, and all lack the property that
 *  identified the known ones */
export function checkTasks(
  { processId }: ProcessKey,
  projectId: string,
  before: ReadonlyMap<string, JsonObject>,
  read: ReadonlyMap<string, JsonObject>,
): void {
  const [id] = read.keys();
  if (id === undefined || [...read.keys()].some(task => before.has(task))) return;
  const properties = propertiesOf(before);
  if ([...read.values()].some(task => isThere(task, properties))) return;
  throw changed(`GET /processes/${processId}/projects/${projectId}/tasks`, '$', properties, id);
}

/** The properties that may identify projects, taken from the first snapshot that can be read. */
export async function identifiersOf(
  process: ProcessKey,
  snapshots: Pick<Snapshots, 'heads' | 'load'>,
): Promise<readonly string[]> {
  for await (const heads of snapshots.heads(process)) {
    for (const { projectId } of heads) {
      const known = await snapshots.load(process, projectId).catch(ifTorn);
      if (known) return propertiesOf(new Map([[projectId, known.content.record]]));
    }
  }
  return [];
}

/** All properties whose value is the identifier: besides the right one, some field may have the same value by
 *  chance. */
function propertiesOf(records: ReadonlyMap<string, JsonObject>): string[] {
  const [first] = records;
  if (!first) return [];
  const [id, record] = first;
  return Object.keys(record).filter(name => textOf(record, name) === id);
}

/** True when the record has one of the properties, or when none is known. */
function isThere(record: JsonObject, properties: readonly string[]): boolean {
  return properties.length === 0 || properties.some(property => textOf(record, property) !== '');
}

function textOf(record: JsonObject, property: string): string {
  const value = Object.hasOwn(record, property) ? record[property] : '';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function changed(
  request: string,
  path: string,
  properties: readonly string[],
  id: string,
): ServiceAnswerError {
  const expected = `records with ${properties.join(' or ')}, which identified those known`;
  const remedy =
    'If the service renamed it for good, give the workspace a new name in the configuration: that is a new baseline';
  return new ServiceAnswerError(request, { path, expected, found: `${id} without it. ${remedy}` }, 'project');
}
