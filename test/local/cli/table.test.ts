import { expect, it, onTestFinished } from 'vitest';
import type { Snapshots } from '../../../functions/store/store.ts';
import { Closers } from '../../../local/basics/closers.ts';
import { sqliteTable, type TableHouse } from '../../../local/cli/table.ts';
import type { Store } from '../../../local/data/store.ts';
import { eventually } from '../../kit/local/sns-house.ts';

it('what a pass commits is looked for at once, and before there is a feed nobody looks', async () => {
  let looks = 0;
  const store = {
    snapshots: { commit: async () => 'committed' },
    journal: {
      positionOf: () => 0,
      after: () => {
        looks += 1;
        return [];
      },
    },
  } as unknown as Store;
  const closers = new Closers();
  onTestFinished(() => closers.close());
  const house = { closers, output: { warn: () => undefined } } as unknown as TableHouse;
  const { snapshots, feed } = sqliteTable(house, store);
  const commit = () => snapshots.commit(...([] as unknown as Parameters<Snapshots['commit']>));
  expect([await commit(), looks]).toEqual(['committed', 0]);
  const { drained } = feed(async () => ({ batchItemFailures: [] }));
  await drained();
  const before = looks;
  const began = performance.now();
  for (let each = 1; each <= 50; each++) {
    await commit();
    await eventually(() => expect(looks).toBeGreaterThanOrEqual(before + each));
  }
  // By itself it looks each 100 ms.
  expect(performance.now() - began).toBeLessThan(2_500);
});
