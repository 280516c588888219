import type { ProcessState } from '../model/process-state.ts';
import type { PassWindow } from '../store/store.ts';
import type { PassKind } from './context/context.ts';
import { type End, type Findings, reasonOf } from './rechecks.ts';

/** More deletions at once than this number, and than this part of a process, wait for an operator (design.md §5). */
const BULK_COUNT = 10;
const BULK_PART = 0.2;
/** How long a baseline waits for projects that can't be read, so that a failure of a few minutes doesn't emit
 *  them as created later. */
const WAIT_MS = 5 * 60_000;

/** More deletions than this, in a process of `known` projects, wait for an operator. */
export function bulkLimit(known: number): number {
  return Math.max(BULK_COUNT, Math.floor(known * BULK_PART));
}

/** All that the conclusion of a pass rests on. */
interface Facts {
  readonly kind: PassKind;
  readonly window: PassWindow;
  /** False when a listing of the pass may have passed over a project. */
  readonly isComplete: boolean;
  /** True when time ran out before all was looked at. */
  readonly isStopped: boolean;
  readonly findings: Findings;
  /** How many projects have a snapshot, and how many of these the second listing lacks; 0 when no second
   *  round was needed. */
  readonly known: number;
  readonly missing: number;
  /** As it is now: another pass may have put the process on hold since this one began. */
  readonly state: ProcessState;
  /** Our time, in ms since 1970. */
  readonly now: number;
}

/** How a pass ends. */
export interface Conclusion {
  /** `failed`: nothing moves on. `later`: the next run resumes the pass. `done`: watermark and audit position
   *  move on. */
  readonly as: 'failed' | 'later' | 'done';
  /** Why it failed. */
  readonly error?: Error;
  /** Projects to delete. */
  readonly deletions: readonly string[];
  /** Set when the process is to be on hold: then none of the deletions is emitted. */
  readonly hold?: { readonly missing: number; readonly known: number };
  /** True when the hold, or the release from it, is to be cleared. */
  readonly releasesHold: boolean;
  /** True when the rechecks that were found are to be written. */
  readonly keepsRechecks: boolean;
}

/** Decides how the pass ends, by what was found and nothing else (design.md §5). */
export function conclude(facts: Facts): Conclusion {
  const { kind, findings, isStopped } = facts;
  const outage = outageOf(facts);
  if (isStopped) {
    const nothing = { deletions: [], releasesHold: false, keepsRechecks: false } as const;
    return outage ? { as: 'failed', error: outage, ...nothing } : { as: 'later', ...nothing };
  }
  const deletions = deletionsOf(facts);
  if (outage) return { as: 'failed', error: outage, ...deletions, keepsRechecks: false };
  const waiting = kind === 'baseline' ? waitingFor(facts) : undefined;
  if (waiting) return { as: 'failed', error: waiting, ...deletions, keepsRechecks: true };
  return { as: 'done', ...deletions, keepsRechecks: findings.sorted().length > 0 };
}

/** The error of a pass in which too many projects failed; in a baseline also when all failed, however few they are. */
function outageOf({ kind, findings }: Facts): Error | undefined {
  const { faults, total } = findings;
  const areAll = kind === 'baseline' && faults.length > 0 && faults.length === total;
  if (!findings.areOutage && !areAll) return undefined;
  const [cause] = faults;
  // Stryker disable next-line OptionalChaining: an outage has a fault.
  const message = `${faults.length} project(s) cannot be read or committed. The first: ${cause?.message}`;
  return new Error(message, { cause });
}

/** The projects that are gone; none if they are too many: then the process is on hold until an operator
 *  releases it or they are back. During a hold all missing projects count, even those that can't be read:
 *  else it could end because fewer are certainly gone. */
function deletionsOf(facts: Facts): Pick<Conclusion, 'deletions' | 'hold' | 'releasesHold'> {
  const { kind, findings, known, missing, state } = facts;
  const deletions = findings.idsOf('vanished', 'missed twice');
  if (kind === 'baseline' || (kind === 'changes' && deletions.length === 0))
    return { deletions: [], releasesHold: false };
  const isOnHold = state.hold !== undefined;
  // A `changes` pass looks at only some of the missing projects. All of them count: those it found gone may
  // be a few of many. Only missing ones are deleted: others, which another pass has deleted since, have no snapshot.
  const counted = isOnHold || kind === 'changes' ? missing : deletions.length;
  const isTooMuch = counted > bulkLimit(known) || mayHaveLostAll(facts, isOnHold);
  if (isTooMuch && !state.released) return { deletions: [], hold: { missing, known }, releasesHold: false };
  // Only a sweep, which looks at all projects, may end a hold.
  return { deletions, releasesHold: kind === 'sweep' && (isOnHold || state.released) };
}

/** True when all known projects are missing, and one was found gone or a hold is on: a lost permission, or
 *  new identifiers for all, look the same. An exception is a process's only project: it is gone if its task
 *  list answers 404. */
function mayHaveLostAll({ findings, known, missing }: Facts, isOnHold: boolean): boolean {
  if (missing < known || known === 0) return false;
  if (missing === 1) return findings.idsOf('missed twice').length > 0;
  return isOnHold || findings.idsOf('vanished', 'missed twice').length > 0;
}

/** True when the project has no snapshot yet, or one that may lack tasks. */
function isLacking(end: End): boolean {
  return end === 'unreadable' || end === 'no-task-list' || end === 'uncertain';
}

/** Why a baseline can't be completed yet: projects or task lists can't be read, or the list of projects
 *  changed in each reading. After WAIT_MS it is completed without these projects: each is emitted as created
 *  once it can be read. */
function waitingFor({ window, isComplete, findings, now }: Facts): Error | undefined {
  const lacking = findings.sorted().filter(([, { end }]) => isLacking(end));
  if (lacking.length === 0 && isComplete) return undefined;
  // `waitingSince` may be in the future, written by a poller whose clock runs ahead: then the wait begins now.
  const since = Math.min(now, window.waitingSince ?? now);
  if (now - since >= WAIT_MS) return undefined;
  const [first] = lacking;
  const what =
    first === undefined
      ? 'The list of projects changed each time that it was read: what it passed over would be emitted as created later'
      : `${lacking.length} project(s) cannot be read. The first, ${first[0]}: ${reasonOf(first[1]).replace(/\.$/, '')}`;
  const message = `${what}. The baseline waits ${WAIT_MS / 60_000} minutes for this to end, and then does without.`;
  return new Error(message, { cause: first?.[1].fault });
}
