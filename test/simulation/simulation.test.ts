import { describe, expect, it } from 'vitest';
import { Coverage } from './faults.ts';
import { coverageTable, encounters, encounterTable, neverStruck } from './report.ts';
import { baseOf, type Failure, planOf, runSeeds } from './seeds.ts';

const SEEDS = 150;

describe('the simulation', () => {
  it(`holds invariants 1 to 6 and 8 to 11 under every fault, in ${SEEDS} plans that are others with every change of the code`, async () => {
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
    const tables = `${coverageTable(coverage.rows)}\n${encounterTable(coverage.rows)}`;
    process.stdout.write(`Simulated seeds ${base} to ${next - 1}:\n${tables}\n`);
    const told = failures.map(({ seed, message }) => `${message}\n(npm run simulate -- --seed ${seed})`);
    expect(told.join('\n')).toBe('');
    expect(neverStruck(coverage.rows)).toEqual([]);
    expect(encounters(coverage.rows)).toBeGreaterThan(next - base);
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
