import { DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSlots } from '../../../functions/store/dynamo/endpoints.ts';
import { slotKey } from '../../../functions/store/keys.ts';
import { type OpenTable, TABLES } from '../../kit/store/tables.ts';

const AT = Date.UTC(2026, 10, 21, 12);

describe.each(TABLES)('in %s', (_, open) => {
  let table: OpenTable;
  beforeAll(async () => {
    table = await open();
  });
  afterAll(() => table?.stop());

  it('none is booked where its item is deleted between the two writes of a booking, and the next one is', async () => {
    const remove = () =>
      table.client.send(new DeleteItemCommand({ TableName: table.tableName, Key: slotKey('torn') }));
    await createSlots(table).reserveSlot('torn', 1000, AT, 0);
    let sent = 0;
    const send: typeof table.client.send = async (...given: unknown[]) => {
      if (++sent === 2) await remove();
      return (table.client.send as (...all: unknown[]) => Promise<never>)(...given);
    };
    const torn = createSlots({ ...table, client: { send } as unknown as typeof table.client });
    expect(await torn.reserveSlot('torn', 1000, AT, 9000)).toBeUndefined();
    expect(await torn.reserveSlot('torn', 1000, AT, 9000)).toBe(0);
  });
});
