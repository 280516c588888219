import fc from 'fast-check';
import type { Step } from '../plan.ts';

/** A clock of ours is set, while all goes on; or the service begins, or ceases, to send a `Date` header. */
export type ClockStep =
  | { readonly do: 'clock'; readonly poller: 0 | 1; readonly by: number }
  | { readonly do: 'date'; readonly header: boolean };

/** By how many ms the service's clock, and those of our two pollers, are wrong. */
export interface Skew {
  readonly service: number;
  readonly pollers: readonly [number, number];
}

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
/** By how much two pollers may differ where versions depend on their clocks alone (docs/decisions/0042). */
const CLOSE_MS = 2 * SECOND;

const offset = fc.constantFrom(0, 0, 0, 90 * SECOND, -90 * SECOND, HOUR, -HOUR, 5 * HOUR, -7 * SECOND);
const apart = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(0, 0, CLOSE_MS) },
  { weight: 1, arbitrary: fc.constantFrom(20 * SECOND, -3 * MINUTE, HOUR, -2 * HOUR) },
);

export const skew: fc.Arbitrary<Skew> = fc
  .tuple(offset, offset, apart)
  .map(([service, ours, other]) => ({ service, pollers: [ours, ours + other] as const }));

const clockStep: fc.Arbitrary<ClockStep> = fc.oneof(
  fc.record({
    do: fc.constant('clock' as const),
    poller: fc.constantFrom(0 as const, 1 as const),
    by: fc.constantFrom(4 * SECOND, -4 * SECOND, 2 * MINUTE, -2 * MINUTE, HOUR, -HOUR),
  }),
  fc.record({ do: fc.constant('date' as const), header: fc.boolean() }),
);

/** Some of them, each with its place among the other steps. */
export const clockSteps = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.tuple(fc.nat(24), fc.nat(2_000), clockStep), {
      minLength: 1,
      maxLength: 4,
      size: 'max',
    }),
  },
);

export function withClocks(
  steps: readonly Step[],
  clocks: readonly (readonly [place: number, gap: number, step: ClockStep])[],
): Step[] {
  const all = [...steps];
  for (const [place, gap, step] of clocks) all.splice(Math.min(place + 1, all.length), 0, { gap, ...step });
  return all;
}

/** Whether our clocks are close to each other, and are never set back: versions then grow in any case. */
export function areClose({ pollers }: Skew, steps: readonly Step[]): boolean {
  return Math.abs(pollers[0] - pollers[1]) <= CLOSE_MS && steps.every(step => step.do !== 'clock');
}

/** When the service tells its time. */
export function datedIn({
  freedoms,
  steps,
}: {
  readonly freedoms: { readonly dateHeader?: boolean };
  readonly steps: readonly Step[];
}): 'always' | 'sometimes' | 'never' {
  if (isTimed(freedoms, steps)) return 'always';
  return freedoms.dateHeader === false && !steps.some(step => step.do === 'date' && step.header)
    ? 'never'
    : 'sometimes';
}

/** Whether every time that the passes know is the service's own. */
export function isTimed(freedoms: { readonly dateHeader?: boolean }, steps: readonly Step[]): boolean {
  return freedoms.dateHeader !== false && steps.every(step => step.do !== 'date');
}
