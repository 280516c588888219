import fc from 'fast-check';
import type { Rhythm } from '../../../functions/schedule/scheduled.ts';
import type { Strike } from '../faults.ts';
import type { EditStep, RunStep, Step } from '../plan.ts';

/** From here on tick starts passes, or no longer does; nothing but time passes; or an operator asks for a pass. */
export type ScheduleStep =
  | { readonly do: 'schedule'; readonly isOn: boolean }
  | { readonly do: 'wait' }
  | { readonly do: 'ask'; readonly mode: 'changes' | 'sweep' };

/** How often passes are due, in ms, and what goes wrong on the way from tick to them. */
export interface Schedule {
  readonly changes: Rhythm;
  readonly sweep: number;
  /** Of the runs that messages start: each meets the next of these. */
  readonly runs: readonly (readonly Strike[])[];
  /** Of 1: how often tick does not come, for some minutes, or comes twice; how often a message is late, or its run is throttled. */
  readonly mess: {
    readonly missed: number;
    readonly twice: number;
    readonly late: number;
    readonly throttled: number;
  };
}

export type Scheduled = Schedule & { readonly place: number; readonly during: readonly Step[] };

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

const fixed = (ms: number): Rhythm => ({ fastest: ms, slowest: ms });
const RHYTHMS: readonly Rhythm[] = [
  ...[fixed(MINUTE), fixed(MINUTE), fixed(MINUTE), fixed(2 * MINUTE)],
  ...[fixed(20 * SECOND), fixed(20 * SECOND), fixed(5 * SECOND)],
  { fastest: 10 * SECOND, slowest: 2 * MINUTE },
  { fastest: 10 * SECOND, slowest: 5 * MINUTE },
  { fastest: 5 * SECOND, slowest: 30 * SECOND },
  { fastest: MINUTE, slowest: 4 * MINUTE },
];

/** Steps in which tick starts passes, mixed with all other steps except those that the schedule brings
 *  itself. */
export function scheduled(of: {
  readonly edit: fc.Arbitrary<EditStep & { readonly gap: number }>;
  readonly run: fc.Arbitrary<RunStep & { readonly gap: number }>;
  readonly strike: fc.Arbitrary<Strike>;
}): fc.Arbitrary<Scheduled | undefined> {
  const gap = fc.nat(30 * SECOND);
  const mode = fc.constantFrom('changes' as const, 'changes' as const, 'sweep' as const);
  const during: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        gap: fc.integer({ min: MINUTE, max: 150 * SECOND }),
        do: fc.constant('wait' as const),
      }),
    },
    { weight: 4, arbitrary: fc.tuple(of.edit, gap).map(([edit, gap]) => ({ ...edit, gap })) },
    { weight: 1, arbitrary: fc.tuple(of.run, gap).map(([run, gap]) => ({ ...run, gap })) },
    { weight: 1, arbitrary: fc.record({ gap, do: fc.constant('ask' as const), mode }) },
    {
      weight: 1,
      arbitrary: fc.record({
        gap,
        do: fc.constant('clock' as const),
        poller: fc.constant(0 as const),
        by: fc.constantFrom(-2 * MINUTE, -HOUR, HOUR),
      }),
    },
  );
  const strikes = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 2, arbitrary: fc.array(of.strike, { minLength: 1, maxLength: 2, size: 'max' }) },
  );
  const some = fc.record({
    place: fc.nat(20),
    changes: fc.constantFrom(...RHYTHMS),
    sweep: fc.constantFrom(MINUTE, 3 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR),
    during: fc.array(during, { minLength: 3, maxLength: 6, size: 'max' }),
    runs: fc.array(strikes, { maxLength: 12, size: 'max' }),
    mess: fc.record({
      missed: fc.constantFrom(0, 0.2),
      twice: fc.constantFrom(0, 0.4),
      late: fc.constantFrom(0, 0.2),
      throttled: fc.constantFrom(0, 0.2),
    }),
  });
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: some });
}

export function withSchedule(
  steps: readonly Step[],
  scheduled: Scheduled | undefined,
): { steps: readonly Step[]; schedule: Schedule | undefined } {
  if (!scheduled) return { steps, schedule: undefined };
  const { place, during, ...schedule } = scheduled;
  const from = Math.min(place, steps.length);
  const turned = (isOn: boolean, gap: number): Step => ({ gap, do: 'schedule', isOn });
  return {
    steps: [
      ...steps.slice(0, from),
      turned(true, SECOND),
      ...during,
      turned(false, MINUTE),
      ...steps.slice(from),
    ],
    schedule,
  };
}
