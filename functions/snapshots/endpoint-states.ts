import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { FIRST_STOP, SLOT_IS_FREE, SLOT_IS_TAKEN } from './conditions.ts';
import { getItem } from './get-item.ts';
import { endpointKey } from './keys.ts';
import { holds, ifHolds, type Table } from './table.ts';

/** Why and since when (ms since 1970) nothing is sent to an endpoint. */
export interface Stopped {
  readonly reason: string;
  readonly at: number;
}

/** What the runs that serve one endpoint must agree on (DESIGN §6: `ENDPOINT#<name>`, `STATE`). */
export interface EndpointStates {
  /** Undefined when the endpoint is served. */
  isStopped(name: string): Promise<Stopped | undefined>;
  /** Stops it until an operator deletes its item. False when it was stopped already; the first reason stays. */
  stop(name: string, reason: string, at: number): Promise<boolean>;
  /** Books the endpoint's next moment to send, `interval` ms after the one booked before. Returns how many ms after `now`
   *  (ms since 1970) it is. */
  reserveSlot(name: string, interval: number, now: number): Promise<number>;
}

export function createEndpointStates(table: Table): EndpointStates {
  return {
    isStopped: name => isStopped(table, name),
    stop: (name, reason, at) => stop(table, name, reason, at),
    reserveSlot: (name, interval, now) => reserveSlot(table, name, interval, now),
  };
}

async function isStopped(table: Table, name: string): Promise<Stopped | undefined> {
  const item = await getItem(table, endpointKey(name));
  if (!item?.stoppedAt) return undefined;
  return { reason: item.stopReason?.S as string, at: Number(item.stoppedAt.N) };
}

function stop(table: Table, name: string, reason: string, at: number): Promise<boolean> {
  return holds(table, () =>
    table.client.send(
      new UpdateItemCommand({
        TableName: table.tableName,
        Key: endpointKey(name),
        UpdateExpression: 'SET stoppedAt = :at, stopReason = :reason',
        ConditionExpression: FIRST_STOP,
        ExpressionAttributeValues: { ':at': { N: String(at) }, ':reason': { S: reason } },
      }),
    ),
  );
}

/** Either the last booking is over, and the next moment is now; or it is the one after the last. Between the two writes
 *  another run can only book a later one, unless the item was deleted. */
async function reserveSlot(table: Table, name: string, interval: number, now: number): Promise<number> {
  const values = { ':now': { N: String(now) } };
  const where = { TableName: table.tableName, Key: endpointKey(name) };
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
