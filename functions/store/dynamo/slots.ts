import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { slotKey } from '../keys.ts';
import { MAX_SLOT_AHEAD_MS, type Slots } from '../slots.ts';
import { SLOT_IS_FREE, SLOT_IS_NEAR } from './conditions.ts';
import { holds, ifHolds, type Table } from './table.ts';

export function createSlots(table: Table): Slots {
  return { reserveSlot: (...given) => reserveSlot(table, ...given) };
}

/** Books `now` when the slot that was booked last is over, and otherwise the one after it. */
async function reserveSlot(
  table: Table,
  ...[name, interval, now, within]: Parameters<Slots['reserveSlot']>
): Promise<number | undefined> {
  if (within < 0) return undefined;
  const values = { ':now': { N: String(now) } };
  const far = now + MAX_SLOT_AHEAD_MS;
  const where = { TableName: table.tableName, Key: slotKey(name) };
  const atOnce = {
    ...where,
    UpdateExpression: 'SET nextSlot = :after',
    ConditionExpression: SLOT_IS_FREE,
    ExpressionAttributeValues: {
      ...values,
      ':far': { N: String(far) },
      ':after': { N: String(now + interval) },
    },
  };
  if (await holds(table, () => table.client.send(new UpdateItemCommand(atOnce)))) return 0;
  const later = {
    ...where,
    UpdateExpression: 'SET nextSlot = nextSlot + :interval',
    ConditionExpression: SLOT_IS_NEAR,
    ExpressionAttributeValues: {
      ...values,
      ':interval': { N: String(interval) },
      ':latest': { N: String(Math.min(now + within, far)) },
    },
    ReturnValues: 'UPDATED_OLD',
  } as const;
  const booked = await ifHolds(table, () => table.client.send(new UpdateItemCommand(later)));
  return booked && Number(booked.Attributes?.nextSlot?.N as string) - now;
}
