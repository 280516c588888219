import fc from 'fast-check';
import { type Drawn, some, weighted } from './draw.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** By how much two pollers may differ where versions depend on their clocks alone (docs/decisions/0042). */
const CLOSE_MS = 2 * SECOND;

const offset = fc.constantFrom(0, 0, 0, 90 * SECOND, -90 * SECOND, HOUR, -HOUR, 5 * HOUR, -7 * SECOND);
const apart = weighted(
  [6, fc.constantFrom(0, 0, CLOSE_MS)],
  [1, fc.constantFrom(20 * SECOND, -3 * MINUTE, HOUR, -2 * HOUR)],
);

/** By how many ms the service's clock, and those of our two pollers, are wrong. */
export const skew = fc
  .tuple(offset, offset, apart)
  .map(([service, ours, other]) => ({ service, pollers: [ours, ours + other] as const }));
export type Skew = Drawn<typeof skew>;

/** A clock of ours is set, while all goes on; or the service begins, or ceases, to send a `Date` header. */
const clockStep = fc.oneof(
  fc.record({
    do: fc.constant('clock'),
    poller: fc.constantFrom(0, 1),
    by: fc.constantFrom(4 * SECOND, -4 * SECOND, 2 * MINUTE, -2 * MINUTE, HOUR, -HOUR),
  }),
  fc.record({ do: fc.constant('date'), header: fc.boolean() }),
);
export type ClockStep = Drawn<typeof clockStep>;

/** Some of them, each with its place among the other steps. */
export const clockSteps = weighted(
  [5, fc.constant([])],
  [1, some(fc.tuple(fc.nat(24), fc.nat(2_000), clockStep), 1, 4)],
);

interface Steps {
  readonly steps: readonly { readonly do: string; readonly header?: boolean }[];
}

/** Whether our clocks are close to each other, and are never set back: versions then grow in any case. */
export function areClose({ skew: { pollers }, steps }: Steps & { readonly skew: Skew }): boolean {
  return Math.abs(pollers[0] - pollers[1]) <= CLOSE_MS && steps.every(step => step.do !== 'clock');
}

interface Dated extends Steps {
  readonly freedoms: { readonly dateHeader?: boolean };
}

/** When the service tells its time. */
export function datedIn(plan: Dated): 'always' | 'sometimes' | 'never' {
  if (isTimed(plan)) return 'always';
  return plan.freedoms.dateHeader === false && !plan.steps.some(({ header }) => header)
    ? 'never'
    : 'sometimes';
}

/** Whether every time that the passes know is the service's own. */
export function isTimed({ freedoms, steps }: Dated): boolean {
  return freedoms.dateHeader !== false && steps.every(step => step.do !== 'date');
}
