import type { PassWindow } from '../snapshots/snapshots.ts';
import type { ProcessState } from '../snapshots/state.ts';
import { type End, reasonOf } from './debts.ts';
import type { Findings } from './findings.ts';
import type { PassKind } from './parts.ts';

/** Above this many at once, or this part of a process, deletions wait for an operator (design.md §5). */
const BULK_COUNT = 10;
const BULK_PART = 0.2;
/** So long a baseline waits for projects that can't be read: what is out for a few minutes must not be told as created
 *  later. */
const WAIT_MS = 5 * 60_000;

/** More than this many deletions in a process of `known` projects are held. */
export function bulkLimit(known: number): number {
  return Math.max(BULK_COUNT, Math.floor(known * BULK_PART));
}

/** All that the end of a pass rests on. */
export interface Facts {
  readonly kind: PassKind;
  readonly window: PassWindow;
  /** True when no listing of the pass may have passed over a project. */
  readonly isComplete: boolean;
  /** True when time ran out before all was looked at. */
  readonly isStopped: boolean;
  readonly findings: Findings;
  /** How many projects have a snapshot, and how many of them the whole listing lacks; as far as it was needed. */
  readonly known: number;
  readonly missing: number;
  /** As it is now: another pass may have put the process on hold since this one began. */
  readonly state: ProcessState;
  /** Our time, in ms since 1970. */
  readonly now: number;
}

/** How a pass ends. */
export interface Conclusion {
  /** `failed`: nothing moves on. `later`: the next run goes on. `done`: watermark and audit position move on. */
  readonly as: 'failed' | 'later' | 'done';
  /** Why it failed. */
  readonly error?: Error;
  /** Projects to delete. */
  readonly deletions: readonly string[];
  /** Set when the process is to be on hold, with none of its deletions told. */
  readonly hold?: { readonly missing: number; readonly known: number };
  /** True when a hold, or its release, is over. */
  readonly endsHold: boolean;
  /** True when what is owed a look is to be written. */
  readonly keepsDebts: boolean;
}

/** Concludes from what was found, and from nothing else (design.md §5). */
export function conclude(facts: Facts): Conclusion {
  const { kind, findings, isStopped } = facts;
  const outage = outageOf(facts);
  if (isStopped) {
    const nothing = { deletions: [], endsHold: false, keepsDebts: false } as const;
    return outage ? { as: 'failed', error: outage, ...nothing } : { as: 'later', ...nothing };
  }
  const deletions = deletionsOf(facts);
  if (outage) return { as: 'failed', error: outage, ...deletions, keepsDebts: false };
  const waiting = kind === 'baseline' ? waitingFor(facts) : undefined;
  if (waiting) return { as: 'failed', error: waiting, ...deletions, keepsDebts: true };
  return { as: 'done', ...deletions, keepsDebts: findings.sorted().length > 0 };
}

/** The failure of a pass that too many projects failed. A baseline of which all fail is one, however few they are. */
function outageOf({ kind, findings }: Facts): Error | undefined {
  const { faults, total } = findings;
  const areAll = kind === 'baseline' && faults.length > 0 && faults.length === total;
  if (!findings.areOutage && !areAll) return undefined;
  const [cause] = faults;
  const message = `${faults.length} project(s) can not be read or committed. The first: ${cause?.message}`;
  return new Error(message, { cause });
}

/** The projects that are certainly gone, or, when they are too many, none: then the process is on hold until an operator releases it or
 *  the projects are back. It stays so though fewer are certainly gone, because some can't be read. */
function deletionsOf({
  kind,
  findings,
  known,
  missing,
  state,
}: Facts): Pick<Conclusion, 'deletions' | 'hold' | 'endsHold'> {
  const deletions = findings.idsOf('vanished', 'vanished again');
  if (kind === 'baseline' || (kind === 'changes' && deletions.length === 0))
    return { deletions: [], endsHold: false };
  const isOnHold = state.hold !== undefined;
  // A `changes` pass asks after few of those that are missing: that they are gone makes the others no more certain.
  const counted = isOnHold || kind === 'changes' ? missing : deletions.length;
  const isTooMuch = counted > bulkLimit(known) || areAllThatWeKnow({ findings, known, missing }, isOnHold);
  if (isTooMuch && !state.released) return { deletions: [], hold: { missing, known }, endsHold: false };
  // Whether a process is still to be on hold is the sweep's to say: it sees all of it.
  return { deletions, endsHold: kind === 'sweep' && (isOnHold || state.released) };
}

/** A whole process that is empty at once looks just like a permission that was lost, and one of which nothing that we
 *  know is left like one whose identifiers changed: its last project is gone only if its task list says so. */
function areAllThatWeKnow(
  { findings, known, missing }: Pick<Facts, 'findings' | 'known' | 'missing'>,
  isOnHold: boolean,
): boolean {
  if (missing < known || known === 0) return false;
  const again = findings.idsOf('vanished again').length;
  return missing > 1 ? isOnHold || again + findings.idsOf('vanished').length > 0 : again > 0;
}

/** What has no snapshot yet, or one of which nobody knows whether it is whole. */
function isLacking(end: End): boolean {
  return end === 'unreadable' || end === 'no-task-list' || end === 'uncertain';
}

/** Why a baseline is not over yet: projects that can't be read, or whose task lists are not there, or a list that never came to rest. It waits
 *  some minutes, and then does without: each of these projects is told, whole, as created once it can be read. */
function waitingFor({ window, isComplete, findings, now }: Facts): Error | undefined {
  const lacking = findings.sorted().filter(([, { end }]) => isLacking(end));
  if (lacking.length === 0 && isComplete) return undefined;
  // A poller whose clock runs ahead must not make the others wait for that time.
  const since = Math.min(now, window.waitingSince ?? now);
  if (now - since >= WAIT_MS) return undefined;
  const [first] = lacking;
  const what =
    first === undefined
      ? 'The list of projects changed each time that it was read: what it passed over would be told as created later'
      : `${lacking.length} project(s) can not be read. The first, ${first[0]}: ${reasonOf(first[1]).replace(/\.$/, '')}`;
  return new Error(
    `${what}. The baseline waits ${WAIT_MS / 60_000} minutes for this to end, and then does without.`,
    {
      cause: first?.[1].fault,
    },
  );
}
