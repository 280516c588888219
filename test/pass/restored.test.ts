import { type AttributeValue, PutItemCommand, paginateQuery } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import { CHANGE, partition } from '../../functions/snapshots/keys.ts';
import { openStage } from '../support/stage.ts';
import { inShort, PROCESS, type World } from '../support/world.ts';

const stage = openStage();
let world: World;

/** The items of the process, its journal aside, as they are now. */
async function backUp(): Promise<Record<string, AttributeValue>[]> {
  const { client, tableName } = stage.table;
  const kept: Record<string, AttributeValue>[] = [];
  const query = {
    TableName: tableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: partition(world.process) } },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client }, query)) {
    kept.push(...Items.filter(item => !item.sk?.S?.startsWith(CHANGE)));
  }
  return kept;
}

/** What was kept takes the place of what is there; the journal stays, so that it shows what was sent. */
async function restore(kept: readonly Record<string, AttributeValue>[]): Promise<void> {
  const { client, tableName: TableName } = stage.table;
  for (const Item of kept) await client.send(new PutItemCommand({ TableName, Item }));
}

const budget = (value: string) => world.edit.updateProject(PROCESS, '1001', { budget: value });
const idsOf = (events: readonly ChangeEvent[]) => events.map(({ id }) => id);

it('invariant 3: a table restored to an earlier moment gives no id and no sequence twice', async () => {
  world = await stage.create();
  await world.run();
  const kept = await backUp();
  budget('1');
  await world.later();
  const before = await world.events();
  await restore(kept);
  budget('2');
  await world.later();
  const after = (await world.events()).slice(before.length);
  expect(inShort(before)).toEqual(['project.updated 1001 budget: "" → "1"']);
  expect(inShort(after)).toEqual(['project.updated 1001 budget: "" → "2"']);
  expect(idsOf(after)).not.toEqual(idsOf(before));
  expect(Number(after[0]?.sequence)).toBeGreaterThan(Number(before[0]?.sequence));
});

it('invariant 3: a deletion after that has an id and a sequence of its own', async () => {
  world = await stage.create();
  await world.run();
  const kept = await backUp();
  budget('1');
  await world.later();
  await restore(kept);
  world.edit.deleteProject(PROCESS, '1001');
  await world.later();
  const [updated, ...deleted] = await world.events();
  expect(inShort(deleted)).toContain('project.deleted 1001');
  for (const event of deleted) expect(Number(event.sequence)).toBeGreaterThan(Number(updated?.sequence));
});

it('invariant 3: a snapshot kept in silence after that is newer than all that was told', async () => {
  world = await stage.create();
  await world.run();
  const kept = await backUp();
  budget('1');
  await world.later();
  await restore(kept);
  world.edit.updateProject(PROCESS, '1001', { budget: '' });
  await world.later();
  const [told, ...others] = await world.events();
  const snapshot = await world.snapshots.load(world.process, '1001');
  expect(others).toEqual([]);
  expect(snapshot?.version).toBeGreaterThan(Number(told?.sequence));
});
