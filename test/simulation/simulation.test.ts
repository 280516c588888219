import { describe, expect, it } from 'vitest';
import { Coverage } from './faults.ts';
import { coverageTable, neverStruck } from './report.ts';
import { baseOf, type Failure, planOf, runSeeds } from './seeds.ts';

const SEEDS = 150;

describe('the simulation', () => {
  it(`holds invariants 1 to 6 and 8 to 10 under every fault, in ${SEEDS} plans that are others every day`, async () => {
    const base = baseOf(Date.now());
    const coverage = new Coverage();
    const failures: Failure[] = [];
    let next = base;
    // A fault that chance left out of these plans is looked for in some more.
    while (next < base + SEEDS || (next < base + 6 * SEEDS && neverStruck(coverage.rows).length > 0)) {
      const outcome = await runSeeds(Array.from({ length: 75 }, () => next++));
      coverage.merge(outcome.rows);
      failures.push(...outcome.failures);
    }
    process.stdout.write(`Simulated seeds ${base} to ${next - 1}:\n${coverageTable(coverage.rows)}\n`);
    const told = failures.map(({ seed, message }) => `${message}\n(npm run simulate -- --seed ${seed})`);
    expect(told.join('\n')).toBe('');
    expect(neverStruck(coverage.rows)).toEqual([]);
  }, 600_000);

  it('draws the same plan for the same seed, and another one for the next', () => {
    expect(planOf(7)).toEqual(planOf(7));
    expect(planOf(8)).not.toEqual(planOf(7));
  });

  it('goes the same way whenever it is repeated', async () => {
    const [one, other] = [await runSeeds([11, 12, 13]), await runSeeds([11, 12, 13])];
    expect(one).toEqual(other);
    expect(one.failures).toEqual([]);
  });
});
