import fc from 'fast-check';
import type { RunStep, Step } from '../plan.ts';

/** From the step `from` on, `steps` long, no reading of the list shows this project, which is chosen by remainder. */
export interface Restless {
  readonly project: number;
  readonly from: number;
  readonly steps: number;
}

interface Unrest {
  readonly restless: Restless;
  readonly runs: readonly (RunStep & { readonly gap: number })[];
}

const sweep = fc.constant({
  gap: 120_000,
  do: 'run' as const,
  mode: 'sweep' as const,
  budget: 900_000,
  strikes: [],
});

/** Long enough for at least two sweeps. */
const some: fc.Arbitrary<Unrest> = fc.record({
  restless: fc.record({ project: fc.nat(1000), from: fc.nat(12), steps: fc.integer({ min: 3, max: 9 }) }),
  runs: fc.array(sweep, { minLength: 2, maxLength: 3, size: 'max' }),
});

export const unrest: fc.Arbitrary<Unrest | undefined> = fc.oneof(
  { weight: 7, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: some },
);

export function withUnrest(
  steps: readonly Step[],
  unrested: Unrest | undefined,
): { steps: readonly Step[]; restless: Restless | undefined } {
  if (!unrested) return { steps, restless: undefined };
  const from = Math.min(unrested.restless.from, steps.length);
  return {
    steps: [...steps.slice(0, from), ...unrested.runs, ...steps.slice(from)],
    restless: { ...unrested.restless, from },
  };
}
