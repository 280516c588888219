import { assert } from '../basics/assert.ts';
import type { ProcessKey } from '../basics/process.ts';
import { withheldProperties } from '../basics/property-names.ts';
import { buildEvents, type Commit } from '../changes/build-events.ts';
import { applyChanges, compareProject, type RecordChange, type Rules } from '../changes/compare-project.ts';
import type { DueRules } from '../changes/due.ts';
import { jsonEqual } from '../changes/equal.ts';
import { updateTime } from '../changes/ignored-fields.ts';
import { contentWithout } from '../changes/withheld.ts';
import type { ProcessState } from '../model/process-state.ts';
import type { ProjectContent, ReadUntil, Snapshot, Tombstone } from '../model/snapshot.ts';
import type { CommitRequest, CommitResult } from '../store/store.ts';
import { nextVersion } from './announce.ts';
import { checkCommit } from './check-commit.ts';
import type { PassContext } from './context/context.ts';
import { CLOCK_TOLERANCE_MS, type Difference } from './decide.ts';
import { dueAtCommit, MAX_DUE_EVENTS } from './due.ts';
import { TooLargeError } from './failures.ts';
import { meaningDigest } from './reading/digest.ts';
import type { Listing } from './reading/listing.ts';
import { readTasks, type TasksRead } from './reading/read-tasks.ts';
import type { PassState } from './state.ts';
import { withheldIn } from './withheld.ts';

/** A difference, and the snapshot or tombstone that the commit is conditional on. */
interface WholeCommit extends Omit<Difference, 'content'> {
  readonly projectId: string;
  readonly snapshot: Snapshot | undefined;
  /** What an earlier deletion left. */
  readonly tombstone?: Tombstone | undefined;
  /** Undefined when the project is deleted. */
  readonly content: Difference['content'] | undefined;
  readonly actorsOf: Commit['actorsOf'];
}

/** Commits a difference in one transaction. If it is too large for one (thousands of tasks at once), commits
 *  a part of it: a snapshot with its own events, so that a crash between two parts loses nothing.
 *  @returns `step`: only a part was committed; `conflict`: another pass was first. After both, read and
 *  compare again
 *  @throws TooLargeError when even one change and its snapshot are too large for DynamoDB. */
export async function commit(
  context: PassContext,
  state: PassState,
  difference: Omit<WholeCommit, 'actorsOf'>,
): Promise<'committed' | 'step' | 'conflict'> {
  const { changes, projectId } = difference;
  const { before, kind } = context;
  // The entries about a project with a recheck were read by the pass that could not look at it.
  const actors = before.rechecks.has(projectId) ? undefined : state.actors;
  const whole = { ...difference, actorsOf: await actors?.of(difference, seenUpTo(before, projectId)) };
  // A baseline commits all or nothing: what a part left out would later be emitted as created.
  const fewest = kind === 'baseline' ? changes.length : Math.min(1, changes.length);
  let limit = state.due && kind !== 'baseline' ? MAX_DUE_EVENTS : 0;
  for (let count = changes.length; ; count = Math.max(Math.floor(count / 2), fewest)) {
    const result = await commitFirst(context, state, whole, { count, limit });
    if (result !== 'too-large') return result === 'committed' && count < changes.length ? 'step' : result;
    if (count <= fewest && limit === 0) break;
    // What falls due and has no room is emitted with its timer.
    limit = Math.floor(limit / 2);
  }
  throw new TooLargeError(context.process.processId, projectId);
}

/** Commits the deletion of a project that `listing` lacks. A snapshot read later than the listing shows that
 *  the project is back: then it is not deleted. If both were read at about the same time, it may be back,
 *  too: then its task list is read again, and it is deleted only if that answers 404; else the next sweep
 *  decides.
 *  @throws TornSnapshotError when the snapshot, whose content goes into the events, can't be read;
 *  ServiceError */
export async function deleteProject(
  context: PassContext,
  state: PassState,
  projectId: string,
  listing: Listing,
): Promise<void> {
  const { process, snapshots, clock, settings } = context;
  assert(!listing.projects.has(projectId), 'commit.deleted-is-unlisted');
  for (;;) {
    const snapshot = await snapshots.load(process, projectId);
    if (!snapshot || lastSeen(snapshot) > listing.readAt) return;
    const isInDoubt = listing.readAt - lastSeen(snapshot) <= CLOCK_TOLERANCE_MS;
    if (isInDoubt && (await readTasks(context, projectId, { load: async () => undefined })) !== undefined)
      return;
    // If the listing alone did not suffice, a request after its end confirmed the deletion, which may have
    // happened until now.
    const since = listing.isComplete && !isInDoubt ? 0 : clock() - listing.endedAt;
    const content = contentWithout(snapshot.content, withheldProperties(settings.withhold ?? []));
    const { record, tasks } = content;
    const changes = compareProject(projectId, content, undefined, state.definitions.rules);
    const readBefore = Math.max(listing.readBefore + since, lastSeen(snapshot));
    const { readAt, untimed } = listing;
    const source = { record, readAt, readBefore, ...(untimed && { untimed }) };
    const difference = { content: undefined, changes, source, tasks: { tasks, readAt, readBefore } };
    const known = { ...snapshot, content };
    if ((await commit(context, state, { ...difference, projectId, snapshot: known })) === 'committed') return;
  }
}

/** When the project was last certainly there, by the service's time. An empty task list proves nothing: a
 *  service may answer so for a project that is gone. */
function lastSeen({ recordReadAt, tasksReadAt, content }: Snapshot): number {
  return content.tasks.size > 0 ? Math.max(recordReadAt, tasksReadAt) : recordReadAt;
}

async function commitFirst(
  context: PassContext,
  state: PassState,
  whole: WholeCommit,
  { count, limit }: { readonly count: number; readonly limit: number },
): Promise<CommitResult> {
  const { process, snapshots, clock, heartbeat, onCommitted } = context;
  const changes = whole.changes.slice(0, count);
  const dueRules = { due: state.due, limit };
  const request = requestOf(
    context,
    { ...whole, ...dueRules, rules: state.definitions.rules },
    changes,
    clock(),
  );
  const lastVersion = (whole.snapshot ?? whole.tombstone)?.version;
  checkCommit(request, { processId: process.processId, lastVersion, changes });
  const send = () => snapshots.commit(process, request);
  const result = request.isSilent ? await state.inTurn(send) : await send();
  // If another run completed the baseline, it holds the lease, and this throws LeaseLostError.
  if (request.isSilent && result === 'conflict') await heartbeat.save();
  if (result === 'committed') {
    state.commits += 1;
    state.events += request.events.length;
    if (request.events.length > 0) onCommitted?.(request.events.map(({ id }) => id));
  }
  return result;
}

function requestOf(
  context: PassContext,
  whole: WholeCommit & {
    readonly rules: Rules;
    readonly due: DueRules | undefined;
    readonly limit: number;
  },
  changes: readonly RecordChange[],
  at: number,
): CommitRequest {
  const { process, before, kind, settings } = context;
  const { projectId, snapshot, tombstone, source, rules, limit } = whole;
  const isWhole = changes.length === whole.changes.length;
  const isSilent = kind === 'baseline';
  const since = seenUpTo(before, projectId);
  const version = nextVersion((snapshot ?? tombstone)?.version, at);
  const content = isWhole ? whole.content : applyChanges(snapshot?.content, changes);
  // A part of a deletion keeps the times of the snapshot: the listing that it rests on lacks the project.
  const kept = isWhole || whole.content ? undefined : snapshot;
  const recordReadAt = kept?.recordReadAt ?? source.readAt;
  const { untimed } = kept ?? source;
  const tasksReadAt = isWhole ? whole.tasks.readAt : (snapshot?.tasksReadAt ?? since);
  const times = { recordReadAt, ...(untimed && { untimed }), tasksReadAt };
  const withhold = settings.withhold ?? [];
  const digests = isWhole ? digestsOf(whole, rules, withhold) : {};
  const { due, events: dueEvents } = content
    ? dueAtCommit(context, whole.due, rules, {
        ...{ projectId, snapshot, content, version, at, limit },
        ...{ first: changes.length, isChanged: changes.length > 0 && !isSilent },
      })
    : { due: undefined, events: [] };
  return {
    projectId,
    expected: snapshot,
    snapshot: content && {
      version,
      content,
      ...times,
      readUntil: kept ? kept.readUntil : readUntil(snapshot, source, whole.tasks),
      digests,
      ...withheldIn(snapshot, withhold),
      ...(due && { due }),
    },
    ...(!content && { tombstone: tombstoneOf(whole, version) }),
    // A baseline finds no tombstones: nothing is deleted before it is complete.
    ...(!snapshot && !isSilent && { madeAfter: { version: tombstone?.version } }),
    version,
    events: isSilent
      ? []
      : [...buildEvents(originOf(process, whole, { since, version, at }), changes), ...dueEvents],
    at,
    ...(isSilent && { isSilent }),
  };
}

/** The digests of the answers, if the content is exactly what was read. Content with values of archived
 *  fields depends on the definitions, too: it gets no digest, so that it is compared each time. */
function digestsOf(
  { content, source, tasks }: WholeCommit,
  rules: Rules,
  withhold: readonly string[],
): NonNullable<Snapshot['digests']> {
  if (!content) return {};
  const isRecord = source.digest !== undefined && jsonEqual(content.record, source.record);
  const isTasks = tasks.digest !== undefined && areEqual(content.tasks, tasks.tasks);
  return {
    ...(isRecord && { record: source.digest }),
    ...(isTasks && { tasks: tasks.digest }),
    ...(isRecord && isTasks && { meaning: meaningDigest(content, rules, withhold) }),
  };
}

function areEqual(kept: ProjectContent['tasks'], read: ProjectContent['tasks']): boolean {
  return [...read].every(([id, task]) => jsonEqual(task, kept.get(id) ?? null));
}

function tombstoneOf({ snapshot, source: { readAt, untimed } }: WholeCommit, version: number): Tombstone {
  const updatedAt = snapshot && updateTime(snapshot.content.record);
  return { version, readAt, ...(untimed && { untimed }), ...(updatedAt !== undefined && { updatedAt }) };
}

function originOf(
  process: ProcessKey,
  { projectId, snapshot, content, source, tasks, actorsOf, rules }: WholeCommit & Pick<Commit, 'rules'>,
  { since, version, at }: { readonly since: number; readonly version: number; readonly at: number },
): Commit {
  return {
    ...process,
    projectId,
    // Stryker disable next-line OptionalChaining: what is deleted had a snapshot.
    projectRecord: (content ?? snapshot?.content)?.record ?? {},
    rules,
    version,
    actorsOf,
    observed: {
      project: interval(Math.max(snapshot?.recordReadAt ?? 0, since), source, at),
      task: interval(Math.max(snapshot?.tasksReadAt ?? 0, tasksSeenUpTo(snapshot, since)), tasks, at),
    },
  };
}

/** The time up to which passes saw all changes of the project: they read it, or it was not there. With a
 *  recheck: its `since`, if that is earlier. 0 for a project that the last sweep missed: then only the times
 *  of its snapshot count. */
function seenUpTo({ sweptAt, rechecks }: ProcessState, projectId: string): number {
  const recheck = rechecks.get(projectId);
  if (recheck?.cause === 'not-listed') return 0;
  return Math.min(sweptAt, recheck?.since ?? sweptAt);
}

/** As `seenUpTo`, for tasks. Of a project that had none only its own reading counts: a sweep takes a 404 of
 *  its task list for no tasks (docs/decisions/0019), and the service may have been at fault. */
function tasksSeenUpTo(snapshot: Snapshot | undefined, since: number): number {
  return snapshot?.content.tasks.size === 0 ? 0 : since;
}

/** A reading is dated by whole seconds, so its latest time may be in the future yet. The event's is not: it
 *  is that of the commit then, by our clock, or the earliest time of the reading if that clock is slower than the
 *  service's. */
function interval(
  after: number,
  read: Pick<TasksRead, 'readAt' | 'readBefore'>,
  at: number,
): Commit['observed']['project'] {
  const { readAt, readBefore: before } = read;
  return { after: Math.min(after, before), before, time: Math.min(before, Math.max(readAt, at)) };
}

interface ReadTimes {
  readonly readBefore: number;
  readonly untimed?: boolean;
}

/** The times up to which a snapshot that follows `before` holds all changes; undefined where its parts were
 *  read at a time by our clock alone. */
export function readUntil(
  before: Pick<Snapshot, 'readUntil'> | undefined,
  record: ReadTimes,
  tasks: ReadTimes,
): ReadUntil | undefined {
  if (record.untimed || tasks.untimed) return undefined;
  const { record: recordBefore = 0, tasks: tasksBefore = 0 } = before?.readUntil ?? {};
  return {
    record: Math.max(record.readBefore, recordBefore),
    tasks: Math.max(tasks.readBefore, tasksBefore),
  };
}
