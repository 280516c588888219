import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { decodeEvents } from '../../../functions/store/codec.ts';
import { createChangeRecords } from '../../../functions/store/dynamo/journal.ts';
import { createSnapshots } from '../../../functions/store/dynamo/store.ts';
import { commit } from '../../kit/operations/context.ts';
import { eventsOf } from '../../kit/operations/events.ts';
import { openModel } from '../../kit/table.ts';

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
  const read = async (since: number, until: number, after?: string) =>
    (await records.read(process, { since, until, after })).records;

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

test('change records are read a page at a time, as they are now, and the last page says that it is', async () => {
  const asked: object[] = [];
  const table = openModel(command => void asked.push(command));
  const process = { workspace: 'eu', processId: 'p' };
  const at = Date.UTC(2026, 2, 4, 5);
  const place = (number: number) => ({ process, at: at + number, projectId: `p${number}` });
  const stores = { snapshots: createSnapshots(table) };
  for (let number = 0; number < 101; number++)
    await commit(stores, eventsOf(at + number, 1, place(number)), place(number));
  asked.length = 0;
  const read = async (until: number, after?: string) => {
    const page = await createChangeRecords(table).read(process, { since: at, until, after });
    return { ...page, count: page.records.length };
  };
  const first = await read(at + 101);
  expect(first).toMatchObject({ count: 100, isLast: false });
  expect(await read(at + 101, first.records.at(-1)?.sk)).toMatchObject({ count: 1, isLast: true });
  expect(await read(at + 99)).toMatchObject({ count: 99, isLast: true });
  expect(asked).toMatchObject(Array(3).fill({ input: { ConsistentRead: true } }));
});

test('a change record that can not be decoded is read as it stands, with no event', async () => {
  const table = openModel();
  const at = Date.UTC(2026, 2, 4, 5);
  const keys = ['1', '2'].map(end => ({ pk: { S: 'W#eu#P#p' }, sk: { S: `CHANGE#${at}#p#${end}` } }));
  const [broken, empty] = [{ ...keys[0], events: { B: new Uint8Array([1, 2, 3]) } }, { ...keys[1] }];
  for (const Item of [broken, empty])
    await table.client.send(new PutItemCommand({ TableName: table.tableName, Item: Item as never }));
  const process = { workspace: 'eu', processId: 'p' };
  const { records } = await createChangeRecords(table).read(process, {
    since: at,
    until: at + 1,
    after: undefined,
  });
  expect(records.map(({ pk, sk, encoded, events }) => [pk, sk, [...encoded], events])).toEqual([
    ['W#eu#P#p', `CHANGE#${at}#p#1`, [1, 2, 3], 0],
    ['W#eu#P#p', `CHANGE#${at}#p#2`, [], 0],
  ]);
});
