import type { DebtChange } from '../snapshots/snapshots.ts';
import type { Cause, Debt, ProcessState } from '../snapshots/state.ts';

/** What a look at a project left: it is done with; only the whole listing can tell (`unclear`); it is gone, for certain or because two sweeps
 *  missed it; or it is owed another look. */
export type End = 'settled' | 'unclear' | 'vanished' | 'vanished again' | Cause;

/** What one pass found out about a project. */
export interface Found {
  readonly end: End;
  /** What was met, in words that subscribers may read. */
  readonly reason?: string;
  /** The failure itself, where something is wrong with the project: it may have changes that can't be told. */
  readonly fault?: Error;
}

const REASONS = {
  'no-task-list': 'The project is listed, but its task list answers 404.',
  'not-listed': 'The list of projects lacks it, and its task list does not tell whether it is gone.',
  uncertain: 'What was read of it is not certain: it changed meanwhile, or may be older than what was told.',
  unreadable: 'It can not be read.',
  unclear: 'Only the whole list of projects tells what became of it.',
} as const;

/** Since when the changes of a project may be untold that a pass meets now: what was visible by its update time was told up to the
 *  watermark, all else up to the last sweep. */
export function sinceOf({ baselined, watermark, sweptAt }: ProcessState): number {
  return baselined ? Math.min(watermark, sweptAt) : 0;
}

/** Of what a pass found, what is to be written: one row for each project that is owed a look now, none for those that are done with.
 *  `state`: as it is now; `metAt`: our time. */
export function debtChanges(
  state: ProcessState,
  found: readonly (readonly [projectId: string, found: Found])[],
  metAt: number,
): DebtChange[] {
  return found.flatMap(([projectId, one]): DebtChange[] => {
    const before = state.debts.get(projectId);
    const cause = causeOf(one);
    if (!cause) return before ? [{ projectId, before, after: undefined }] : [];
    const isUnclear = one.end === 'unclear';
    // What is tried again all the same is told as what it was.
    if (before && (before.cause === cause ? !isUnclear : cause === 'uncertain' && isRetried(before.cause)))
      return [];
    const { since, metAt: first, told } = before ?? { since: sinceOf(state), metAt, told: false };
    // The next run of this pass is to look at it, too.
    const met = isUnclear ? metAt : first;
    return [{ projectId, before, after: { cause, since, metAt: met, reason: reasonOf(one), told } }];
  });
}

/** What was met, in words that subscribers may read. */
export function reasonOf({ end, reason }: Found): string {
  return reason ?? REASONS[end as keyof typeof REASONS];
}

/** What each `changes` pass tries again; of the other debts it learns nothing new, unless they are listed or named. */
export function isRetried(cause: Cause): boolean {
  return cause === 'unreadable' || cause === 'no-task-list';
}

/** What is still unclear when a pass ends is owed a look, too. */
function causeOf({ end }: Found): Cause | undefined {
  if (end === 'settled' || end === 'vanished' || end === 'vanished again') return undefined;
  return end === 'unclear' ? 'uncertain' : end;
}

/** The debts that subscribers are to hear of: what an earlier pass could not read either. `begunAt`: when this one began, by our clock. */
export function toTell(
  { debts }: ProcessState,
  found: readonly (readonly [projectId: string, found: Found])[],
  begunAt: number,
): (DebtChange & { readonly after: Omit<Debt, 'revision'> })[] {
  return found.flatMap(([projectId, { end, fault, reason = REASONS.unreadable }]) => {
    const before = debts.get(projectId);
    if (!fault || !before || before.told || isQuiet(before) || before.metAt >= begunAt) return [];
    return [{ projectId, before, after: { ...before, cause: end as Cause, reason, told: true } }];
  });
}

/** What was owed for another reason was no failure yet. */
function isQuiet({ cause }: Debt): boolean {
  return cause === 'not-listed' || cause === 'uncertain';
}
