import { applyChanges } from '../changes/apply-changes.ts';
import { buildEvents, type Observed } from '../changes/build-events.ts';
import type { ProjectContent, RecordChange } from '../changes/compare-project.ts';
import { updateTime } from '../changes/ignored-fields.ts';
import type { Snapshot, Tombstone } from '../snapshots/snapshots.ts';
import type { Listed } from './listing.ts';
import { nextVersion } from './next-version.ts';
import type { Pass } from './pass.ts';
import type { TasksRead } from './read-tasks.ts';

/** A project that no transaction can hold. */
export class TooLargeError extends Error {}

/** A difference that is to be told. */
export interface Difference {
  readonly projectId: string;
  readonly held: Snapshot | undefined;
  /** What an earlier deletion left behind. */
  readonly tombstone?: Tombstone | undefined;
  /** What was read; undefined when the project is deleted. */
  readonly content: ProjectContent | undefined;
  readonly changes: readonly RecordChange[];
  /** When the project's record, or its absence, was read. */
  readonly source: Pick<Listed, 'readAt' | 'readBefore' | 'untimed'>;
  /** When its tasks were read. */
  readonly tasks: Pick<TasksRead, 'readAt' | 'readBefore'>;
}

/** Commits a difference, in one transaction where it fits. One that doesn't (thousands of tasks at once) is committed
 *  in steps: each is a snapshot with its own events, so that a crash between two of them loses nothing. `step`: one was
 *  committed; `conflict`: another pass was first. In both cases read and compare afresh.
 *  @throws TooLargeError when even one change and its snapshot are too large for DynamoDB. */
export async function commitChanges(
  pass: Pass,
  difference: Difference,
): Promise<'committed' | 'step' | 'conflict'> {
  const { changes, projectId } = difference;
  // A baseline has no events to spread over several steps, and what a step left out would later be told as created.
  const fewest = pass.parts.state.baselined ? 1 : changes.length;
  for (let count = changes.length; count >= fewest; count = Math.floor(count / 2)) {
    const result = await commitFirst(pass, difference, count);
    if (result === 'too-large') continue;
    return result === 'committed' && count < changes.length ? 'step' : result;
  }
  throw new TooLargeError(
    `Project ${projectId} of process ${pass.parts.process.processId} is too large to commit: its record and tasks, ` +
      'compressed, exceed the 4 MB of one DynamoDB transaction. Split the project in the service.',
  );
}

async function commitFirst(pass: Pass, difference: Difference, count: number) {
  const { process, snapshots, clock, state } = pass.parts;
  const { projectId, held, source, tasks } = difference;
  const whole = count === difference.changes.length;
  const changes = difference.changes.slice(0, count);
  const content = whole ? difference.content : applyChanges(held?.content, changes);
  const at = clock();
  const version = nextVersion((held ?? difference.tombstone)?.version, at);
  const silent = !state.baselined;
  const tasksReadAt = whole ? tasks.readAt : (held?.tasksReadAt ?? readSince(pass, projectId));
  const events = silent ? [] : buildEvents(commitOf(pass, difference, version), changes);
  const { readAt: recordReadAt, untimed } = source;
  const snapshot = content && { version, content, recordReadAt, ...(untimed && { untimed }), tasksReadAt };
  const tombstone = content ? undefined : tombstoneOf(difference, version);
  const request = {
    projectId,
    expected: held,
    snapshot,
    ...(tombstone && { tombstone }),
    // Nothing is deleted in a baseline.
    ...(!held && !silent && { madeAfter: { version: difference.tombstone?.version } }),
    version,
    events,
    at,
  };
  const result = silent
    ? await pass.inTurn(() => snapshots.commit(process, { ...request, isSilent: true }))
    : await snapshots.commit(process, request);
  // Whoever ended the baseline did so by another lease.
  if (silent && result === 'conflict') await pass.holdLease();
  if (result === 'committed') {
    pass.commits += 1;
    pass.events += events.length;
    pass.parts.onCommitted?.(events.map(({ id }) => id));
  }
  return result;
}

function tombstoneOf({ held, source: { readAt, untimed } }: Difference, version: number): Tombstone {
  const updatedAt = held && updateTime(held.content.record);
  return { version, readAt, ...(untimed && { untimed }), ...(updatedAt !== undefined && { updatedAt }) };
}

function commitOf(pass: Pass, { projectId, held, content, source, tasks }: Difference, version: number) {
  const since = readSince(pass, projectId);
  return {
    ...pass.parts.process,
    projectId,
    // Stryker disable next-line OptionalChaining: what is deleted was held.
    projectRecord: (content ?? held?.content)?.record ?? {},
    version,
    observed: {
      project: interval(Math.max(held?.recordReadAt ?? 0, since), source.readBefore),
      task: interval(Math.max(held?.tasksReadAt ?? 0, since), tasks.readBefore),
    },
  };
}

/** A time since which the project was read, or was not there: a skipped one may have been there, unread, all the time; one
 *  that the last sweep missed was last read when its snapshot says so. */
function readSince({ parts: { state } }: Pass, projectId: string): number {
  if (state.missing.includes(projectId)) return 0;
  const skipped = state.skipped.find(({ id }) => id === projectId);
  return Math.min(state.sweptAt, skipped?.since ?? state.sweptAt);
}

function interval(after: number, before: number): Observed {
  return { after: Math.min(after, before), before };
}
