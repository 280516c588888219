import {
  compareProject,
  keepArchived,
  type ProjectContent,
  type RecordChange,
  type Rules,
} from '../changes/compare-project.ts';
import { jsonEqual } from '../changes/equal.ts';
import { freshest, isMadeAgain } from '../reading/freshest.ts';
import type { Listed, ListingKind } from '../reading/listing.ts';
import type { TasksRead } from '../reading/read-tasks.ts';
import type { Snapshot, Tombstone } from '../snapshots/snapshots.ts';
import type { Debt } from '../snapshots/state.ts';
import { type End, isRetried } from './debts.ts';
import type { PassKind } from './parts.ts';

/** All that was read of one project. */
export interface Seen {
  readonly projectId: string;
  readonly listing: ListingKind;
  readonly listed: Listed | undefined;
  /** Read before the tasks were. */
  readonly snapshot: Snapshot | undefined;
  /** Where there is no snapshot: what its deletion left behind. */
  readonly tombstone: Tombstone | undefined;
  /** Undefined when the task list answered 404. */
  readonly tasks: TasksRead | undefined;
  /** What an earlier pass, or run of a baseline, owed it. */
  readonly debt: Debt | undefined;
}

export interface DecisionRules {
  readonly kind: PassKind;
  readonly round: 1 | 2;
  readonly compare: Rules;
}

/** What is to be committed: a new content, with what it changes, if anything (see isKept). */
export interface Difference {
  readonly content: ProjectContent;
  readonly changes: readonly RecordChange[];
  readonly source: Pick<Listed, 'record' | 'readAt' | 'readBefore' | 'untimed'> & {
    readonly digest?: string | undefined;
  };
  readonly tasks: TasksRead;
}

/** What becomes of a project: what is to be committed, if anything, and what is left to do then. */
export interface Verdict {
  readonly difference?: Difference | undefined;
  readonly end: End;
  /** True for tasks that can't be had of a project that had some. */
  readonly lacksTasks?: boolean;
}

/** So old is a snapshot before a sweep writes it anew though nothing changed. */
const REWRITE_MS = 24 * 60 * 60 * 1000;

const SETTLED: Verdict = { end: 'settled' };

/** Decides by what was read, and by nothing else (design.md §5). */
export function decide(seen: Seen, rules: DecisionRules): Verdict {
  const { listed, snapshot, tombstone, tasks } = seen;
  // A baseline never writes over a snapshot: it tells nothing, so whatever it overwrote would never be told.
  if (snapshot && rules.kind === 'baseline') return SETTLED;
  if (!listed && !snapshot) return { end: ofNoProject(seen) };
  if (listed && tombstone && !isMadeAgain(listed, tombstone)) return { end: 'uncertain' };
  if (!tasks)
    return listed ? listedWithoutTaskList(seen, listed, rules) : unlistedWithoutTaskList(seen, rules);
  const { difference, isUncertain } = differ(seen, tasks, rules);
  const end = listed ? 'settled' : unlistedWithTaskList(seen, rules);
  return { difference, end: end === 'settled' && (isUncertain || tasks.isRestless) ? 'uncertain' : end };
}

/** Neither listed nor known: no project of ours, or one that was owed a look and is gone. */
function ofNoProject({ listing, debt }: Seen): End {
  if (!debt || listing === 'whole') return 'settled';
  return listing === 'changed' ? 'unclear' : debt.cause;
}

/** A project that is listed tells its own changes, whatever became of its task list. A service may answer 404 for a project without tasks; and
 *  a listing by update time may show what is deleted: that it is there, only the whole one tells. */
function listedWithoutTaskList(seen: Seen, listed: Listed, rules: DecisionRules): Verdict {
  const { round } = rules;
  const { snapshot, listing, debt } = seen;
  if (snapshot) {
    const tasks = tasksOf(snapshot);
    const { difference, isUncertain } = differ(seen, tasks, rules);
    if (tasks.tasks.size > 0)
      return {
        difference,
        end: round === 1 && debt?.cause !== 'no-task-list' ? 'unclear' : 'no-task-list',
        lacksTasks: true,
      };
    if (listing === 'changed') return { difference, end: 'unclear' };
    return { difference, end: isUncertain ? 'uncertain' : 'settled' };
  }
  if (round === 1) return { end: 'unclear' };
  // What answers so in two passes has no tasks.
  if (debt?.cause !== 'no-task-list') return { end: 'no-task-list' };
  const { readAt, readBefore } = listed;
  return {
    difference: differ(seen, { tasks: new Map(), readAt, readBefore }, rules).difference,
    end: 'settled',
  };
}

/** Gone, as far as the whole listing can tell. One that may have passed over it tells so only of a project that had tasks; and a sweep, which
 *  nothing but that answer led to it, only if the last one missed it, too. */
function unlistedWithoutTaskList({ listing, snapshot, debt }: Seen, { kind }: DecisionRules): Verdict {
  if (listing === 'whole') return { end: 'vanished' };
  const hadTasks = (snapshot?.content.tasks.size ?? 0) > 0;
  // It answered so while it was listed: to ask the whole list each time would cost more than that a sweep finds it gone.
  if (kind === 'changes' && hadTasks && debt?.cause === 'no-task-list')
    return { end: 'no-task-list', lacksTasks: true };
  if (listing === 'changed') return { end: 'unclear' };
  if (kind === 'changes') return { end: hadTasks ? 'vanished' : (debt?.cause ?? 'settled') };
  return { end: hadTasks && debt?.cause === 'not-listed' ? 'vanished' : 'not-listed' };
}

/** Its task list is there. Two sweeps that miss it are certain enough; a `changes` pass leaves that to them. */
function unlistedWithTaskList({ listing, debt }: Seen, { kind }: DecisionRules): End {
  if (kind === 'sweep') {
    if (listing === 'whole') return debt?.cause === 'not-listed' ? 'vanished again' : 'not-listed';
    return debt?.cause === 'not-listed' ? 'not-listed' : 'uncertain';
  }
  if (!debt) return 'settled';
  if (!isRetried(debt.cause)) return debt.cause;
  if (listing === 'changed') return 'unclear';
  return listing === 'whole' ? 'settled' : debt.cause;
}

/** The difference between what was read and the snapshot, by the newer one of the two records. */
function differ(
  { projectId, listed, snapshot }: Seen,
  tasks: TasksRead,
  { kind, compare }: DecisionRules,
): { difference: Difference | undefined; isUncertain: boolean } {
  const { newer, isUncertain } = freshest(listed, snapshot);
  const source = newer === 'listed' ? (listed as Listed) : recordOf(snapshot as Snapshot);
  const before = snapshot?.content;
  const content = keepArchived(before, { record: source.record, tasks: tasks.tasks }, compare);
  const changes = compareProject(projectId, before, content, compare);
  const difference = { content, changes, source, tasks };
  const isWritten = !snapshot || changes.length > 0 || isKept(snapshot, difference, kind);
  return { difference: isWritten ? difference : undefined, isUncertain };
}

/** Whether what changes nothing is written all the same (docs/decisions/0003). By a `changes` pass when the record moved on: else an older
 *  listing would be taken for newer than this one. By a sweep, a day later, when its bytes are others: else it would compare them for ever. */
function isKept(
  { content: before, recordReadAt, digests = {} }: Snapshot,
  { content, source, tasks }: Difference,
  kind: PassKind,
): boolean {
  if (kind !== 'sweep') return !jsonEqual(before.record, content.record);
  const areOthers = source.digest !== digests.record || tasks.digest !== digests.tasks;
  return areOthers && source.readAt - recordReadAt > REWRITE_MS;
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
