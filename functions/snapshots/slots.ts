import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { MAX_SLOT_AHEAD_MS, type Slots } from '../delivery/slots.ts';
import { SLOT_IS_FREE, SLOT_IS_TAKEN } from './conditions.ts';
import { slotKey } from './keys.ts';
import { holds, ifHolds, type Table } from './table.ts';

export function createSlots(table: Table): Slots {
  return { reserveSlot: (name, interval, now) => reserveSlot(table, name, interval, now) };
}

/** Books `now` when the slot that was booked last is over, and otherwise the one behind it. After the first
 *  write has failed, the second fails only if the item was deleted in between, because other runs only book
 *  later slots: then it begins again. */
async function reserveSlot(table: Table, name: string, interval: number, now: number): Promise<number> {
  const values = { ':now': { N: String(now) }, ':far': { N: String(now + MAX_SLOT_AHEAD_MS) } };
  const where = { TableName: table.tableName, Key: slotKey(name) };
  const atOnce = {
    ...where,
    UpdateExpression: 'SET nextSlot = :after',
    ConditionExpression: SLOT_IS_FREE,
    ExpressionAttributeValues: { ...values, ':after': { N: String(now + interval) } },
  };
  if (await holds(table, () => table.client.send(new UpdateItemCommand(atOnce)))) return 0;
  const later = {
    ...where,
    UpdateExpression: 'SET nextSlot = nextSlot + :interval',
    ConditionExpression: SLOT_IS_TAKEN,
    ExpressionAttributeValues: { ...values, ':interval': { N: String(interval) } },
    ReturnValues: 'UPDATED_OLD',
  } as const;
  const booked = await ifHolds(table, () => table.client.send(new UpdateItemCommand(later)));
  if (!booked) return reserveSlot(table, name, interval, now);
  return Number(booked.Attributes?.nextSlot?.N as string) - now;
}
