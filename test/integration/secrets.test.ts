import { inspect } from 'node:util';
import { paginateScan } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../functions/store/codec.ts';
import { openTable, type TestTable } from '../kit/table.ts';
import { createWorld, PROCESS, type World } from '../kit/world.ts';

let table: TestTable;
beforeAll(async () => {
  table = await openTable();
});
afterAll(() => table?.stop());

/** Everything that the table holds, as text, blobs unpacked. */
async function tableText(): Promise<string> {
  const texts: string[] = [];
  const all = { TableName: table.tableName, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: table.client }, all)) {
    for (const item of Items) {
      texts.push(JSON.stringify(item));
      for (const value of Object.values(item)) if (value.B) texts.push(JSON.stringify(decode(value.B)));
    }
  }
  return texts.join('\n');
}

/** Passes that succeed, and passes that fail in each way that a service can fail. */
async function liveThrough(world: World): Promise<unknown[]> {
  const errors: unknown[] = [];
  const run = () => world.later().catch(error => errors.push(error));
  await world.run();
  for (const fault of [
    { status: 401 },
    { status: 403 },
    { status: 500 },
    'destroy',
    'truncate',
    { status: 200, body: '<html>' },
  ] as const) {
    world.edit.updateProject(PROCESS, '1001', { budget: String(errors.length) });
    const active = world.service.fail({ times: 40, fault });
    await run();
    active.cancel();
    world.clock.now += 3_600_000;
    await run();
  }
  return errors;
}

describe('secrets', () => {
  it('invariant 10: are in no log, metric, event, error or item of the table, whatever goes wrong', async () => {
    const world = await createWorld(table);
    try {
      const errors = await liveThrough(world);
      expect(errors.length).toBeGreaterThan(3);
      const everything = [
        await tableText(),
        inspect([world.said, world.notices, await world.events()], { depth: 20 }),
        ...errors.map(error => inspect(error, { depth: 20, showHidden: true })),
      ].join('\n');
      expect(everything).toContain(PROCESS);
      expect(everything).not.toContain(world.service.clientSecret);
      expect(everything).not.toMatch(/eyJ[\w-]{10,}\.[\w-]+\.[\w-]+/);
    } finally {
      await world.stop();
    }
  });
});
