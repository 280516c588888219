import { applyChanges } from '../changes/apply-changes.ts';
import { buildEvents, type Observed } from '../changes/build-events.ts';
import type { ProjectContent, RecordChange } from '../changes/compare-project.ts';
import { jsonEqual } from '../changes/equal.ts';
import { updateTime } from '../changes/ignored-fields.ts';
import type { CommitRequest, CommitResult, Snapshot, Tombstone } from '../snapshots/snapshots.ts';
import { nextVersion } from '../telling/next-version.ts';
import type { Difference } from './decide.ts';
import type { Pass } from './pass.ts';

/** A project that no transaction can hold. */
export class TooLargeError extends Error {
  readonly scope = 'project';
}

/** A difference, and what it is committed on. */
export interface Commit extends Omit<Difference, 'content'> {
  readonly projectId: string;
  readonly snapshot: Snapshot | undefined;
  /** What an earlier deletion left behind. */
  readonly tombstone?: Tombstone | undefined;
  /** Undefined when the project is deleted. */
  readonly content: Difference['content'] | undefined;
}

/** `step`: a part of it was committed; `conflict`: another pass was first. In both cases read and compare afresh. */
export type Committed = 'committed' | 'step' | 'conflict';

/** Commits a difference, in one transaction where it fits. One that doesn't (thousands of tasks at once) is committed
 *  in steps: each is a snapshot with its own events, so that a crash between two of them loses nothing.
 *  @throws TooLargeError when even one change and its snapshot are too large for DynamoDB. */
export async function commit(pass: Pass, whole: Commit): Promise<Committed> {
  const { changes, projectId } = whole;
  // A baseline has no events to spread over several steps, and what a step left out would later be told as created.
  const fewest = pass.kind === 'baseline' ? changes.length : Math.min(1, changes.length);
  for (let count = changes.length; ; count = Math.floor(count / 2)) {
    const result = await commitFirst(pass, whole, count);
    if (result !== 'too-large') return result === 'committed' && count < changes.length ? 'step' : result;
    if (count <= fewest) break;
  }
  throw new TooLargeError(
    `Project ${projectId} of process ${pass.parts.process.processId} is too large to commit: its record and tasks, ` +
      'compressed, exceed the 4 MB of one DynamoDB transaction. Split the project in the service.',
  );
}

async function commitFirst(pass: Pass, whole: Commit, count: number): Promise<CommitResult> {
  const { process, snapshots, clock, onCommitted } = pass.parts;
  const request = requestOf(pass, whole, whole.changes.slice(0, count), clock());
  const send = () => snapshots.commit(process, request);
  const result = request.isSilent ? await pass.inTurn(send) : await send();
  // Whoever ended the baseline did so by another lease.
  if (request.isSilent && result === 'conflict') await pass.heartbeat.save();
  if (result === 'committed') {
    pass.commits += 1;
    pass.events += request.events.length;
    if (request.events.length > 0) onCommitted?.(request.events.map(({ id }) => id));
  }
  return result;
}

function requestOf(pass: Pass, whole: Commit, changes: readonly RecordChange[], at: number): CommitRequest {
  const { projectId, snapshot, tombstone, source } = whole;
  const isWhole = changes.length === whole.changes.length;
  const isSilent = pass.kind === 'baseline';
  const version = nextVersion((snapshot ?? tombstone)?.version, at);
  const content = isWhole ? whole.content : applyChanges(snapshot?.content, changes);
  const { readAt: recordReadAt, untimed } = source;
  const tasksReadAt = isWhole ? whole.tasks.readAt : (snapshot?.tasksReadAt ?? readSince(pass, projectId));
  const times = { recordReadAt, ...(untimed && { untimed }), tasksReadAt };
  const digests = isWhole ? digestsOf(whole) : {};
  return {
    projectId,
    expected: snapshot,
    snapshot: content && { version, content, ...times, digests },
    ...(!content && { tombstone: tombstoneOf(whole, version) }),
    // Nothing is deleted in a baseline.
    ...(!snapshot && !isSilent && { madeAfter: { version: tombstone?.version } }),
    version,
    events: isSilent ? [] : buildEvents(originOf(pass, whole, version), changes),
    at,
    ...(isSilent && { isSilent }),
  };
}

/** A digest stands for what is kept exactly as it was read: what only the archiving of a field left in the snapshot depends on definitions,
 *  too. */
function digestsOf({ content, source, tasks }: Commit): NonNullable<Snapshot['digests']> {
  const isRecord = source.digest !== undefined && content && jsonEqual(content.record, source.record);
  const isTasks = tasks.digest !== undefined && content && areEqual(content.tasks, tasks.tasks);
  return { ...(isRecord && { record: source.digest }), ...(isTasks && { tasks: tasks.digest }) };
}

function areEqual(kept: ProjectContent['tasks'], read: ProjectContent['tasks']): boolean {
  return kept === read || [...read].every(([id, task]) => jsonEqual(task, kept.get(id) ?? null));
}

function tombstoneOf({ snapshot, source: { readAt, untimed } }: Commit, version: number): Tombstone {
  const updatedAt = snapshot && updateTime(snapshot.content.record);
  return { version, readAt, ...(untimed && { untimed }), ...(updatedAt !== undefined && { updatedAt }) };
}

function originOf(pass: Pass, { projectId, snapshot, content, source, tasks }: Commit, version: number) {
  const since = readSince(pass, projectId);
  return {
    ...pass.parts.process,
    projectId,
    // Stryker disable next-line OptionalChaining: what is deleted had a snapshot.
    projectRecord: (content ?? snapshot?.content)?.record ?? {},
    version,
    observed: {
      project: interval(Math.max(snapshot?.recordReadAt ?? 0, since), source.readBefore),
      task: interval(Math.max(snapshot?.tasksReadAt ?? 0, since), tasks.readBefore),
    },
  };
}

/** A time since which the project was read, or was not there: one that is owed a look may have been there, unread, all the time; one
 *  that the last sweep missed was last read when its snapshot says so. */
function readSince({ state: { sweptAt, debts } }: Pass, projectId: string): number {
  const debt = debts.get(projectId);
  if (debt?.cause === 'not-listed') return 0;
  return Math.min(sweptAt, debt?.since ?? sweptAt);
}

function interval(after: number, before: number): Observed {
  return { after: Math.min(after, before), before };
}
