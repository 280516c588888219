import { compareProject, keepArchived, type RecordChange, type Rules } from '../changes/compare-project.ts';
import { jsonEqual } from '../changes/equal.ts';
import { updateTime } from '../changes/ignored-fields.ts';
import type { Recheck } from '../model/process-state.ts';
import type { ProjectContent, Snapshot, Tombstone } from '../model/snapshot.ts';
import type { PassKind } from './context/context.ts';
import type { Listed } from './reading/listing.ts';
import type { TasksRead } from './reading/read-tasks.ts';
import { type End, isRetried } from './rechecks.ts';

/** All that was read of one project: what a decision rests on. */
export interface Seen {
  readonly projectId: string;
  /** What it means that a listing lacks a project. `changed`: nothing, for only changed projects were asked
   *  for. `whole`: the project is not there. `unstable`: all were asked for, but the list changed in each
   *  reading, so the project may have been passed over. */
  readonly listing: 'changed' | 'whole' | 'unstable';
  readonly listed: Listed | undefined;
  /** Read before the tasks (see observe). */
  readonly snapshot: Snapshot | undefined;
  /** What its deletion left, if it was deleted before and has no snapshot. */
  readonly tombstone: Tombstone | undefined;
  /** Undefined when the task list answered 404, or nothing was there to read. */
  readonly tasks: TasksRead | undefined;
  /** Why an earlier pass, or an earlier run of this one, left it to be looked at again. */
  readonly recheck: Recheck | undefined;
  /** True when the stored snapshot was read under another `withhold` (see underOneList). */
  readonly isOfOtherList?: boolean;
}

export interface DecisionRules {
  readonly kind: PassKind;
  readonly round: 1 | 2;
  readonly compare: Rules;
  /** When the last sweep was completed, and this pass began, by our clock. */
  readonly sweepCompletedAt: number;
  readonly begunAt: number;
}

/** What is to be committed: the new content and its changes. There may be none: see needsRefresh. */
export interface Difference {
  readonly content: ProjectContent;
  readonly changes: readonly RecordChange[];
  readonly source: Pick<Listed, 'record' | 'readAt' | 'readBefore' | 'untimed'> & {
    readonly digest?: string | undefined;
  };
  readonly tasks: TasksRead;
}

/** What is decided of a project: what to commit, if anything, and how the look ends. */
export interface Verdict {
  readonly difference?: Difference | undefined;
  readonly end: End;
  /** True when the project had tasks, and its task list answers 404: with the end `no-task-list` that is a
   *  fault (see look). */
  readonly lacksTasks?: boolean;
}

/** A sweep writes a snapshot again, though nothing changed, only if it is older than this. */
const REFRESH_MS = 24 * 60 * 60 * 1000;

const SETTLED: Verdict = { end: 'settled' };

/** Decides what becomes of a project, by what was read of it and nothing else (design.md §5). */
export function decide(seen: Seen, rules: DecisionRules): Verdict {
  const { listed, snapshot, tombstone, tasks } = seen;
  // A baseline emits nothing, so a change that it wrote over an existing snapshot would never be emitted.
  if (snapshot && rules.kind === 'baseline') return SETTLED;
  if (!listed && !snapshot) return { end: unlistedAndUnknown(seen) };
  if (listed && tombstone && !isMadeAgain(listed, tombstone)) return { end: 'uncertain' };
  if (!tasks)
    return listed ? listedWithoutTaskList(seen, listed, rules) : unlistedWithoutTaskList(seen, rules);
  const { difference, isUncertain } = differ(seen, tasks, rules);
  const end = listed ? 'settled' : unlistedWithTaskList(seen, rules);
  return { difference, end: end === 'settled' && (isUncertain || tasks.isUnstable) ? 'uncertain' : end };
}

/** Neither listed nor known: no project at all, or one with a recheck. The recheck is settled when the whole
 *  listing lacks the project. */
function unlistedAndUnknown({ listing, recheck }: Seen): End {
  if (!recheck || listing === 'whole') return 'settled';
  return listing === 'changed' ? 'unclear' : recheck.cause;
}

/** Listed, but its task list answers 404: its own fields are compared all the same. The service may answer so
 *  for a project without tasks; or the project was deleted, and a listing by update time still shows it: only
 *  the whole listing proves that it is there. */
function listedWithoutTaskList(seen: Seen, listed: Listed, rules: DecisionRules): Verdict {
  const { round } = rules;
  const { snapshot, listing, recheck } = seen;
  if (snapshot) {
    const tasks = tasksOf(snapshot);
    const { difference, isUncertain } = differ(seen, tasks, rules);
    if (tasks.tasks.size > 0)
      return {
        difference,
        end: round === 1 && recheck?.cause !== 'no-task-list' ? 'unclear' : 'no-task-list',
        lacksTasks: true,
      };
    if (listing === 'changed') return { difference, end: 'unclear' };
    return { difference, end: isUncertain ? 'uncertain' : 'settled' };
  }
  if (round === 1) return { end: 'unclear' };
  // A new project is taken to have no tasks only after two passes met the 404.
  if (recheck?.cause !== 'no-task-list') return { end: 'no-task-list' };
  const { readAt, readBefore } = listed;
  return {
    difference: differ(seen, { tasks: new Map(), readAt, readBefore }, rules).difference,
    end: 'settled',
  };
}

/** Not listed, and its task list answers 404: gone, if the listing was whole. If the listing may have passed
 *  over it, the 404 proves that only for a project that had tasks; and in a sweep, where no audit entry hints
 *  at a deletion, only if the last sweep missed it, too. */
function unlistedWithoutTaskList(seen: Seen, rules: DecisionRules): Verdict {
  const { listing, snapshot, recheck } = seen;
  const { kind } = rules;
  if (listing === 'whole') return { end: 'vanished' };
  // Stryker disable next-line OptionalChaining: what is neither listed nor known was settled before.
  const hadTasks = (snapshot?.content.tasks.size ?? 0) > 0;
  // The 404 shows nothing new: it came while the project was listed, too. Reading the whole list in each pass is too
  // expensive: a sweep will decide.
  if (kind === 'changes' && hadTasks && recheck?.cause === 'no-task-list')
    return { end: 'no-task-list', lacksTasks: true };
  if (listing === 'changed') return { end: 'unclear' };
  if (kind === 'changes') return { end: hadTasks ? 'vanished' : (recheck?.cause ?? 'settled') };
  return { end: hadTasks && wasMissed(seen, rules) ? 'vanished' : 'not-listed' };
}

/** Not listed, but its task list is there: gone once two sweeps in a row missed it. To a `changes` pass it is
 *  never gone: one that is retried can be read again, and is looked for in the whole list; other rechecks are
 *  left to the sweep. */
function unlistedWithTaskList(seen: Seen, rules: DecisionRules): End {
  const { listing, recheck } = seen;
  if (rules.kind === 'sweep') {
    if (listing === 'whole') return wasMissed(seen, rules) ? 'missed twice' : 'not-listed';
    return recheck?.cause === 'not-listed' ? 'not-listed' : 'uncertain';
  }
  if (!recheck) return 'settled';
  if (!isRetried(recheck.cause)) return recheck.cause;
  if (listing === 'changed') return 'unclear';
  return listing === 'whole' ? 'settled' : recheck.cause;
}

/** True when an earlier sweep missed the project. A recheck that is later than the end of the last sweep was written by
 *  an earlier run of this one: what hides the project may last for minutes. */
function wasMissed({ recheck }: Seen, { sweepCompletedAt, begunAt }: DecisionRules): boolean {
  // The clock of the last sweep may have been ahead.
  return recheck?.cause === 'not-listed' && recheck.foundAt <= Math.min(sweepCompletedAt, begunAt);
}

/** Compares what was read with the snapshot. A listed record that is older than that of the snapshot is not
 *  used (see freshest). */
function differ(
  { projectId, listed, snapshot, isOfOtherList = false }: Seen,
  tasks: TasksRead,
  { kind, compare }: DecisionRules,
): { difference: Difference | undefined; isUncertain: boolean } {
  const { newer, isUncertain } = freshest(listed, snapshot);
  const source = newer === 'listed' ? (listed as Listed) : recordOf(snapshot as Snapshot);
  const before = snapshot?.content;
  const content = keepArchived(before, { record: source.record, tasks: tasks.tasks }, compare);
  const changes = compareProject(projectId, before, content, compare);
  const difference = { content, changes, source, tasks };
  const isWritten =
    !snapshot || changes.length > 0 || isOfOtherList || needsRefresh(snapshot, difference, kind);
  return { difference: isWritten ? difference : undefined, isUncertain };
}

/** Whether the snapshot is written again though there is no change to emit (docs/decisions/0003, 0111). A
 *  `changes` pass does so if the record differs at all: else a pass with an older listing would take that for
 *  newer. A sweep does so if the digests differ, once a day: with these it need not parse and compare the
 *  same answers again. */
function needsRefresh(
  { content: before, recordReadAt, digests = {} }: Snapshot,
  { content, source, tasks }: Difference,
  kind: PassKind,
): boolean {
  if (kind !== 'sweep') return !jsonEqual(before.record, content.record);
  const areOthers = source.digest !== digests.record || tasks.digest !== digests.tasks;
  return areOthers && isRefreshDue(recordReadAt, source);
}

/** Whether the snapshot is so old that a sweep which reads the same from other bytes writes it again. */
export function isRefreshDue(recordReadAt: number, { readAt }: Pick<Listed, 'readAt'>): boolean {
  return readAt - recordReadAt > REFRESH_MS;
}

function recordOf({ content, recordReadAt: readAt, untimed, digests }: Snapshot): Difference['source'] {
  return {
    record: content.record,
    readAt,
    readBefore: readAt,
    digest: digests?.record,
    ...(untimed && { untimed }),
  };
}

function tasksOf({ content, tasksReadAt: readAt, digests }: Snapshot): TasksRead {
  return { tasks: content.tasks, readAt, readBefore: readAt, digest: digests?.tasks };
}

/** The clocks of the service's machines may differ, and count whole seconds: what was read later by more than
 *  this is newer. */
export const CLOCK_TOLERANCE_MS = 5_000;
/** Our own clock may be wrong by hours, and differ between two pollers (docs/decisions/0042). */
const OUR_CLOCK_TOLERANCE_MS = 24 * 60 * 60 * 1000;

/** Which project record is the newer one: the listing's, the snapshot's, or that is not certain yet.
 *
 *  A sweep lists first, then reads for minutes; in that time a `changes` pass may commit a newer record. Comparing
 *  the older record with that one would report a change back to the old value, which never happened. In this order:
 *  1. A record that was listed clearly later than the snapshot's is newer: later by seconds, or by a day if one of
 *     the two times is by our own clock.
 *  2. Else the later update time wins, so that one answer with a `Date` in the future can't make a snapshot win
 *     for good.
 *  3. If an update time is missing, or both are equal, the later time of reading wins.
 *  4. If these are equal, too, the snapshot's record stays. If the two differ, the project is uncertain: a later
 *     pass, which lists it again, decides. */
export function freshest(
  listed: Listed | undefined,
  snapshot: Snapshot | undefined,
): { readonly newer: 'listed' | 'snapshot'; readonly isUncertain: boolean } {
  if (!snapshot) return { newer: 'listed', isUncertain: false };
  if (!listed) return { newer: 'snapshot', isUncertain: false };
  const order = newerBy(listed, snapshot);
  if (order > 0) return { newer: 'listed', isUncertain: false };
  return {
    newer: 'snapshot',
    isUncertain: order === 0 && !jsonEqual(listed.record, snapshot.content.record),
  };
}

/** Whether a listing shows a project that was made again after its deletion. It does if it was read clearly
 *  later than the listing that lacked the project: later by seconds; by our own clock, by a day, or by
 *  seconds if the record was also updated since. Else it may show the project as it was before the deletion,
 *  and the next pass, which lists again, decides. */
export function isMadeAgain(listed: Listed, tombstone: Tombstone): boolean {
  const byReading = listed.readAt - tombstone.readAt;
  if (!listed.untimed && !tombstone.untimed) return byReading > CLOCK_TOLERANCE_MS;
  if (byReading > OUR_CLOCK_TOLERANCE_MS) return true;
  const [theirs, ours] = [updateTime(listed.record), tombstone.updatedAt];
  // A newer update time alone proves nothing: the edit may have come before the deletion, with no snapshot of it.
  const isUpdated = theirs === undefined || ours === undefined || theirs > ours;
  return isUpdated && byReading > CLOCK_TOLERANCE_MS;
}

function newerBy(listed: Listed, snapshot: Snapshot): number {
  const byReading = listed.readAt - snapshot.recordReadAt;
  if (byReading > (listed.untimed || snapshot.untimed ? OUR_CLOCK_TOLERANCE_MS : CLOCK_TOLERANCE_MS))
    return byReading;
  const [theirs, ours] = [updateTime(listed.record), updateTime(snapshot.content.record)];
  return theirs !== undefined && ours !== undefined && theirs !== ours ? theirs - ours : byReading;
}
