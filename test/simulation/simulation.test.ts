import { describe, expect, it } from 'vitest';
import { coverageTable, encounters, encounterTable } from './report.ts';
import { baseOf, planOf, runSeeds } from './seeds.ts';

/** Too few for every fault: `npm run simulate` checks that among its thousands. */
const SEEDS = 150;

describe('the simulation', () => {
  it(`holds invariants 1 to 6 and 8 to 11 under faults, in ${SEEDS} plans that are others with every change of the code`, async () => {
    const base = baseOf(Date.now());
    const seeds = Array.from({ length: SEEDS }, (_, index) => base + index);
    const { failures, rows } = await runSeeds(seeds);
    const tables = `${coverageTable(rows)}\n${encounterTable(rows)}`;
    process.stdout.write(`Simulated seeds ${base} to ${base + SEEDS - 1}:\n${tables}\n`);
    const told = failures.map(({ seed, message }) => `${message}\n(npm run simulate -- --seed ${seed})`);
    expect(told.join('\n')).toBe('');
    expect(encounters(rows)).toBeGreaterThan(SEEDS);
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
