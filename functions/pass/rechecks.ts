import { assert } from '../basics/assert.ts';
import { byText } from '../basics/order.ts';
import type { Cause, ProcessState, Recheck } from '../model/process-state.ts';
import type { RecheckChange } from '../store/store.ts';

/** How a look at a project ends. `settled`: nothing is left to do. `unclear`: only the whole listing of the
 *  second round decides. `vanished`: gone, its task list answers 404. `missed twice`: gone, for two sweeps
 *  missed it, though its task list is there. A Cause: a later pass must look at it again. */
export type End = 'settled' | 'unclear' | 'vanished' | 'missed twice' | Cause;

/** What one pass found out about a project. */
export interface Found {
  readonly end: End;
  /** What went wrong, in words that subscribers may read. */
  readonly reason?: string;
  /** The error, if the project failed: it may have changes that can't be emitted. */
  readonly fault?: Error;
  /** When its tasks were read, in ms since 1970; undefined if they were not. */
  readonly tasksReadAt?: number | undefined;
}

const REASONS = {
  'no-task-list': 'The project is listed, but its task list answers 404.',
  'not-listed': 'The list of projects lacks it, and its task list does not show whether it is gone.',
  uncertain:
    'What was read of it is not certain: it changed while it was read, or may be older than what was emitted.',
  unreadable: 'It cannot be read.',
  unclear: 'Only the whole list of projects shows what became of it.',
} as const;

/** Why a project that is gone is not deleted yet. */
export const ON_HOLD =
  'It is gone. Its deletion waits for a release, because many projects vanished at once: the process is on hold.';

/** The time after which changes of a project may not have been emitted, if a pass fails with it now. Changes
 *  that move its update time were emitted up to the watermark, all others up to the last sweep. */
export function sinceOf({ baselined, watermark, sweptAt }: ProcessState): number {
  return baselined ? Math.min(watermark, sweptAt) : 0;
}

/** A recheck without the revision of its row, which only the store knows. */
type RecheckContent = Omit<Recheck, 'revision'>;

/** What is to be written for what a pass found: a row for each project that must be looked at again, and the
 *  removal of rows that are settled. `state`: as it is now; `foundAt`: our time; `known`: the rechecks as this pass
 *  read or wrote them. */
export function recheckChanges(
  state: ProcessState,
  found: readonly (readonly [projectId: string, found: Found])[],
  foundAt: number,
  known: ReadonlyMap<string, RecheckContent> = state.rechecks,
): RecheckChange[] {
  const changes = found.flatMap(([projectId, one]): RecheckChange[] => {
    const before = state.rechecks.get(projectId);
    const cause = causeOf(one);
    // A row that another pass wrote since stays: that pass moves on because of it.
    if (!cause)
      return before && isSame(before, known.get(projectId)) ? [{ projectId, before, after: undefined }] : [];
    const isNow = isFoundNow(one, before, foundAt);
    if (before?.cause === cause && one.reason === ON_HOLD && before.reason !== ON_HOLD)
      return [{ projectId, before, after: { ...before, reason: ON_HOLD } }];
    // An uncertain look does not replace a cause that each `changes` pass tries again.
    if (before && (before.cause === cause ? !isNow : cause === 'uncertain' && isRetried(before.cause)))
      return [];
    const {
      since,
      foundAt: first,
      isReported,
    } = before ?? { since: sinceOf(state), foundAt, isReported: false };
    const met = isNow ? foundAt : first;
    return [{ projectId, before, after: { cause, since, foundAt: met, reason: reasonOf(one), isReported } }];
  });
  checkRechecks(state, found, changes);
  return changes;
}

/** True when the recheck is of now, not of when an earlier cause was found: of an unclear project, so that the next
 *  run of this pass looks at it again (see surveyChanges); of one that a sweep misses, so that only the next sweep
 *  counts that (see wasMissed). A time ahead of our clock, which no sweep would count for as long, is replaced. */
function isFoundNow({ end }: Found, before: Recheck | undefined, now: number): boolean {
  if (end === 'unclear') return true;
  return end === 'not-listed' && !(before?.cause === end && before.foundAt <= now);
}

function isSame(one: RecheckContent, other: RecheckContent | undefined): boolean {
  return one.cause === other?.cause && one.foundAt === other.foundAt && one.isReported === other.isReported;
}

/** Checks rechecks before they are written: a project that loses its own loses its changes.
 *  @throws AssertionError */
function checkRechecks(
  { rechecks }: ProcessState,
  found: readonly (readonly [projectId: string, found: Found])[],
  changes: readonly RecheckChange[],
): void {
  const written = new Map(changes.map(({ projectId, after }) => [projectId, after]));
  for (const [projectId, one] of found) {
    const hasRecheck = written.has(projectId) ? written.get(projectId) : rechecks.get(projectId);
    assert(!causeOf(one) || hasRecheck !== undefined, 'recheck.of-each-unsettled');
  }
  for (const { before, after } of changes) {
    if (!before || !after) continue;
    assert(after.since <= before.since, 'recheck.since-never-grows');
    assert(after.isReported || !before.isReported, 'recheck.stays-reported');
  }
}

/** What went wrong, in words that subscribers may read. */
export function reasonOf({ end, reason }: Found): string {
  return reason ?? REASONS[end as keyof typeof REASONS];
}

/** True for causes that each `changes` pass tries again. It looks at other rechecks only if the listing or
 *  the audit log names them. */
export function isRetried(cause: Cause | undefined): boolean {
  return cause === 'unreadable' || cause === 'no-task-list';
}

/** The projects that are skipped no longer by these changes: they were read and committed, or are gone. */
export function skippedNoLonger(changes: readonly RecheckChange[]): string[] {
  const ended = changes.filter(({ before, after }) => before && isRetried(before.cause) && !after);
  return ended.map(({ projectId }) => projectId);
}

/** The cause of the recheck, if there is one now. A project that is still unclear counts as uncertain. */
function causeOf({ end }: Found): Cause | undefined {
  if (end === 'settled' || end === 'vanished' || end === 'missed twice') return undefined;
  return end === 'unclear' ? 'uncertain' : end;
}

/** The rechecks to announce to subscribers: this pass failed with the project, and so did one before
 *  `begunAt`, the begin of this one by our clock. */
export function toAnnounce(
  { rechecks }: ProcessState,
  found: readonly (readonly [projectId: string, found: Found])[],
  begunAt: number,
): (RecheckChange & { readonly after: RecheckContent })[] {
  return found.flatMap(([projectId, { end, fault, reason = REASONS.unreadable }]) => {
    const before = rechecks.get(projectId);
    if (!fault || !before || before.isReported || isNoFailure(before) || before.foundAt >= begunAt) return [];
    return [{ projectId, before, after: { ...before, cause: end as Cause, reason, isReported: true } }];
  });
}

/** True for causes that are no failure: the first failure after one of these is not announced yet. */
function isNoFailure({ cause }: Recheck): boolean {
  return cause === 'not-listed' || cause === 'uncertain';
}

/** When more projects than this number, and than this part of all, newly fail, it is an outage; fewer are
 *  faults of their own. */
const OUTAGE_COUNT = 10;
const OUTAGE_PART = 0.2;

/** What a pass found out about each project that it looked at. */
export class Findings {
  readonly #found = new Map<string, Found>();
  readonly #state: Pick<ProcessState, 'rechecks' | 'completedAt' | 'sweepCompletedAt'>;
  readonly #retried: ReadonlySet<string>;
  /** How many projects the pass covers. */
  readonly total: number;
  #new = new Set<string>();
  #newFaults = 0;

  /** @param retried the projects that are looked at for their recheck alone: these fail no more than before */
  constructor(
    state: Pick<ProcessState, 'rechecks' | 'completedAt' | 'sweepCompletedAt'>,
    total: number,
    retried: ReadonlySet<string> = new Set(),
  ) {
    this.#state = state;
    this.total = total;
    this.#retried = retried;
  }

  set(projectId: string, found: Found): void {
    this.#newFaults +=
      this.#isNewFault(projectId, found) - this.#isNewFault(projectId, this.#found.get(projectId));
    this.#found.set(projectId, found);
    this.#new.add(projectId);
  }

  /** In the order of ids, not of looking: their events must have the same order every time. */
  sorted(): [projectId: string, found: Found][] {
    return [...this.#found].sort(([one], [other]) => byText(one, other));
  }

  /** What was found since the last call, so that each recheck is written once during the pass. */
  takeNew(): [projectId: string, found: Found][] {
    const ids = this.#new;
    this.#new = new Set();
    return this.sorted().filter(([id]) => ids.has(id));
  }

  idsOf(...ends: readonly Found['end'][]): string[] {
    return this.sorted().flatMap(([id, { end }]) => (ends.includes(end) ? [id] : []));
  }

  /** The faults that were met, in the order of the projects' ids. */
  get faults(): Error[] {
    return this.sorted().flatMap(([, { fault }]) => (fault ? [fault] : []));
  }

  /** True when the number of projects that newly fail shows that the service is at fault. The pass then
   *  fails; no single project is skipped. */
  get areOutage(): boolean {
    return this.#newFaults > Math.max(OUTAGE_COUNT, Math.floor(this.total * OUTAGE_PART));
  }

  #isNewFault(projectId: string, found: Found | undefined): number {
    const { rechecks, completedAt, sweepCompletedAt } = this.#state;
    // Known are rechecks from before the last completed pass, and those of a sweep that is not completed. Others that
    // were written since, by runs of an outage that failed, count as new: their projects are listed again.
    const { foundAt = Number.POSITIVE_INFINITY } = rechecks.get(projectId) ?? {};
    const isKnown = this.#retried.has(projectId) || foundAt <= Math.max(completedAt, sweepCompletedAt);
    return found?.fault && !isKnown ? 1 : 0;
  }
}
