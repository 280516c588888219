import { describe, expect, it } from 'vitest';
import { Coverage } from './faults.ts';
import { coverageTable, encounters } from './report.ts';
import { run } from './run.ts';
import { baseOf, planOf, range, runSeeds } from './seeds.ts';

/** Too few for every fault: `npm run simulate` checks that among its thousands. */
const SEEDS = 40;

describe('the simulation', () => {
  it(`holds invariants 1 to 6 and 8 to 11 under faults, in ${SEEDS} plans that are others with every change of the code`, async () => {
    const base = baseOf(Date.now());
    const seeds = range(base, SEEDS);
    const { failures, rows } = await runSeeds(seeds);
    process.stdout.write(`Simulated seeds ${base} to ${base + SEEDS - 1}:\n${coverageTable(rows)}\n`);
    const told = failures.map(({ seed, message }) => `${message}\n(npm run simulate -- --seed ${seed})`);
    expect(told.join('\n')).toBe('');
    expect(encounters(rows)).toBeGreaterThan(SEEDS);
  }, 600_000);

  it('draws the same plan for the same seed, and another one for the next', () => {
    expect(planOf(7)).toEqual(planOf(7));
    expect(planOf(8)).not.toEqual(planOf(7));
  });

  it.each(['sqlite', 'dynamodb'] as const)(
    'logs and writes the same, byte for byte, when a seed is repeated over %s',
    async storage => {
      const seed = range(1, 100).find(each => planOf(each).storage === storage) ?? 0;
      expect(await bytesOf(seed)).toBe(await bytesOf(seed));
    },
  );
});

/** The log of a seed, and all that it wrote. */
async function bytesOf(seed: number): Promise<string> {
  const { said, storage } = await run(planOf(seed), new Coverage());
  return [...said, ...storage.stream.map(record => JSON.stringify(record))].join('\n');
}
