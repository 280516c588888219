import fc from 'fast-check';
import type { Rhythm } from '../../../functions/schedule/scheduled.ts';
import { between, type Drawn, seldom, some, weighted } from './draw.ts';
import { scheduledStrikes } from './faults.ts';
import { edit, run } from './steps.ts';

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

const gap = fc.nat(30 * SECOND);
/** Nothing but time passes. */
const wait = fc.record({ gap: between(MINUTE, 150 * SECOND), do: fc.constant('wait') });
const mode = fc.constantFrom('changes', 'changes', 'sweep');
/** An operator asks for a pass. */
const ask = fc.record({ gap, do: fc.constant('ask'), mode });
const setBack = fc.record({
  ...{ gap, do: fc.constant('clock'), poller: fc.constant(0) },
  by: fc.constantFrom(-2 * MINUTE, -HOUR, HOUR),
});

/** From here on tick starts passes, or no longer does; or one of the other steps that a schedule brings. */
export type ScheduleStep =
  | { readonly do: 'schedule'; readonly isOn: boolean; readonly gap: number }
  | Drawn<typeof wait>
  | Drawn<typeof ask>;

/** When tick starts passes, and what goes wrong on the way from tick to them. */
const schedule = fc.record({
  place: fc.nat(20),
  /** How often passes are due, in ms. */
  changes: fc.constantFrom(...RHYTHMS),
  sweep: fc.constantFrom(MINUTE, 3 * MINUTE, 10 * MINUTE, HOUR, 6 * HOUR),
  /** Steps in which tick starts passes. */
  during: some(
    weighted(
      [4, wait],
      [4, fc.tuple(edit, gap).map(([edit, gap]) => ({ ...edit, gap }))],
      [1, fc.tuple(run, gap).map(([run, gap]) => ({ ...run, gap }))],
      [1, ask],
      [1, setBack],
    ),
    3,
    6,
  ),
  /** Of the runs that messages start: each meets the next of these. */
  runs: some(weighted([3, fc.constant([])], [2, some(scheduledStrikes, 1, 2)]), 0, 12),
  /** Of 1: how often tick does not come, for some minutes, or comes twice; how often a message is late, or its run is throttled. */
  mess: fc.record({
    missed: fc.constantFrom(0, 0.2),
    twice: fc.constantFrom(0, 0.4),
    late: fc.constantFrom(0, 0.2),
    throttled: fc.constantFrom(0, 0.2),
  }),
});
export type Schedule = Omit<Drawn<typeof schedule>, 'place' | 'during'>;
export const scheduled = seldom(3, schedule);

/** Switches tick on before these steps, and off after them. */
export function ticking<Step>(during: readonly Step[]): (Step | ScheduleStep)[] {
  return [
    { gap: SECOND, do: 'schedule', isOn: true },
    ...during,
    { gap: MINUTE, do: 'schedule', isOn: false },
  ];
}
