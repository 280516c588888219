import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTickClaims } from '../../functions/store/dynamo/tick.ts';
import { TICK_KEY } from '../../functions/store/keys.ts';
import type { TickClaims } from '../../functions/store/store.ts';
import { type OpenTable, TABLES } from '../kit/store/tables.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

describe.each(TABLES)('the claims of ticks, in %s', (_, open) => {
  let table: OpenTable;
  let claims: TickClaims;
  let chance = 0;
  const claimsOver = (client: OpenTable['client'] = table.client) =>
    createTickClaims({ ...table, client, patience: { ...table.patience, random: () => ++chance / 1_000 } });
  beforeAll(async () => {
    table = await open();
  });
  beforeEach(async () => {
    await table.client.send(new DeleteItemCommand({ TableName: table.tableName, Key: TICK_KEY }));
    claims = claimsOver();
  });
  afterAll(() => table?.stop());

  it('begin now, and go on where the last ended', async () => {
    expect(await claims.claim({ now: AT, to: AT + MINUTE })).toBe(AT);
    expect(await claims.claim({ now: AT + MINUTE + 7, to: AT + 2 * MINUTE })).toBe(AT + MINUTE);
    expect(await claims.claim({ now: AT + 9 * MINUTE, to: AT + 10 * MINUTE })).toBe(AT + 2 * MINUTE);
  });

  it('give no time twice', async () => {
    await claims.claim({ now: AT, to: AT + MINUTE });
    expect(await claims.claim({ now: AT, to: AT + MINUTE })).toBeUndefined();
    expect(await claims.claim({ now: AT - 7, to: AT + MINUTE - 7 })).toBeUndefined();
    expect(await claims.claim({ now: AT + 7, to: AT + MINUTE + 7 })).toBe(AT + MINUTE);
  });

  it('give it to one of those who ask at once', async () => {
    await claims.claim({ now: AT, to: AT + MINUTE });
    const asked = Array.from({ length: 5 }, () => claims.claim({ now: AT + MINUTE, to: AT + 2 * MINUTE }));
    const got = (await Promise.all(asked)).filter(from => from !== undefined);
    expect(got).toEqual([AT + MINUTE]);
  });

  it('give the first time to one of those who ask at once, too', async () => {
    const asked = Array.from({ length: 5 }, () => claims.claim({ now: AT, to: AT + MINUTE }));
    expect((await Promise.all(asked)).filter(from => from !== undefined)).toEqual([AT]);
  });

  it.each([
    [2 * MINUTE, undefined],
    [2 * MINUTE + 1, AT],
  ])('begin anew where the last lies ahead by more than two minutes: by %i ms', async (ahead, from) => {
    await claims.claim({ now: AT + ahead - MINUTE, to: AT + ahead });
    expect(await claims.claim({ now: AT, to: AT + MINUTE })).toBe(from);
  });

  it.each(['gone', 'empty'])(
    'are none where the row is %s, also when that happens to a claim that fails',
    async state => {
      const { client, tableName: TableName } = table;
      const strike = () =>
        state === 'gone'
          ? client.send(new DeleteItemCommand({ TableName, Key: TICK_KEY }))
          : client.send(new PutItemCommand({ TableName, Item: TICK_KEY }));
      await strike();
      expect(await claims.claim({ now: AT, to: AT + MINUTE })).toBe(AT);
      let failed = false;
      const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
      const struck = {
        send: async (command: object) => {
          if (failed) await strike();
          if (command.constructor.name !== 'UpdateItemCommand') return send(command);
          failed = true;
          await claims.claim({ now: AT + MINUTE, to: AT + 2 * MINUTE });
          return send(command);
        },
      } as never;
      expect(await claimsOver(struck).claim({ now: AT + MINUTE, to: AT + 2 * MINUTE })).toBeUndefined();
    },
  );

  it('know their own when the answer was lost and the request repeated, and no other’s', async () => {
    const send = table.client.send.bind(table.client) as (command: unknown) => Promise<unknown>;
    const twice = {
      send: async (command: object) => {
        if (command.constructor.name === 'UpdateItemCommand') await send(command);
        return send(command);
      },
    } as never;
    expect(await claimsOver(twice).claim({ now: AT, to: AT + MINUTE })).toBe(AT);
    const overtaken = {
      send: async (command: object) => {
        if (command.constructor.name === 'UpdateItemCommand')
          await claims.claim({ now: AT + MINUTE, to: AT + 2 * MINUTE });
        return send(command);
      },
    } as never;
    expect(await claimsOver(overtaken).claim({ now: AT + MINUTE, to: AT + 2 * MINUTE })).toBeUndefined();
  });
});
