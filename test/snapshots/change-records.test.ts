import { expect, test } from 'vitest';
import { createChangeRecords } from '../../functions/snapshots/change-records.ts';
import { decodeEvents } from '../../functions/snapshots/codec.ts';
import { createSnapshots } from '../../functions/snapshots/dynamo-snapshots.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { commit } from '../kit/operations/house.ts';
import { openModel } from '../kit/table.ts';

test('change records are read as they were committed, by the times of their commits and in their order', async () => {
  const table = openModel();
  const process = { workspace: 'eu', processId: 'p' };
  const stores = { snapshots: createSnapshots(table) };
  const at = (minute: number) => Date.UTC(2026, 2, 4, 5, minute);
  for (const minute of [3, 1, 2, 4]) {
    const place = { process, at: at(minute), projectId: `of-${minute}` };
    await commit(stores, eventsOf(at(minute), 1, place), place);
  }
  const records = createChangeRecords(table);
  const read = async (since: number, until: number, behind?: string) =>
    (await records.read(process, { since, until, behind })).records;

  // `since` belongs to it, `until` does not.
  const found = await read(at(1), at(3));
  expect(found.map(record => [record.at, record.events])).toEqual([
    [at(1), 1],
    [at(2), 1],
  ]);
  expect(decodeEvents(found[0]?.encoded ?? Buffer.of())).toHaveLength(1);
  expect(await read(at(1), at(3), found[0]?.sk)).toEqual(found.slice(1));
  expect(await read(at(5), at(6))).toEqual([]);
});
