import fc from 'fast-check';
import { codeSeed } from '../kit/code-seed.ts';
import { Coverage } from './faults.ts';
import { type Plan, plans } from './plan.ts';
import { run } from './run.ts';

/** A seed under which something did not hold. */
export interface Failure {
  readonly seed: number;
  readonly message: string;
}

export interface Outcome {
  readonly failures: readonly Failure[];
  readonly rows: Coverage['rows'];
}

// fast-check prefers small values, for a search that grows from them; here each seed is independent.
const drawn = fc.noBias(plans);

/** The plan that a seed draws. */
export function planOf(seed: number): Plan {
  const [plan] = fc.sample(drawn, { seed, numRuns: 1 });
  return plan as Plan;
}

/** `count` seeds from `base` on. */
export function range(base: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => base + index);
}

/** Lives through the plans of these seeds, one after the other. */
export async function runSeeds(
  seeds: Iterable<number>,
  onDone: (failure?: Failure) => void = () => {},
): Promise<Outcome> {
  const coverage = new Coverage();
  const failures: Failure[] = [];
  for (const seed of seeds) {
    const failure = await failureOf(seed, coverage);
    if (failure) failures.push(failure);
    onDone(failure);
  }
  return { failures, rows: coverage.rows };
}

async function failureOf(seed: number, coverage: Coverage): Promise<Failure | undefined> {
  try {
    await run(planOf(seed), coverage);
    return undefined;
  } catch (error) {
    return { seed, message: (error as Error).message };
  }
}

/** The smallest plan that fast-check finds by shrinking and that fails as the seed's does; with its
 *  failure. */
export async function shrink(seed: number): Promise<{ plan: Plan; message: string } | undefined> {
  const property = fc.asyncProperty(drawn, async plan => {
    await run(plan, new Coverage());
  });
  const { counterexample, errorInstance } = await fc.check(property, { seed, numRuns: 1 });
  if (!counterexample) return undefined;
  return { plan: counterexample[0], message: (errorInstance as Error).message };
}

/** The first seed for this state of the code: it differs after each change, and is the same on every
 *  machine. */
export function baseOf(now: number): number {
  return codeSeed(now) * 10_000;
}
