import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface TableCounts {
  /** All requests, including repeated ones. */
  readonly requests: number;
  /** Requests that name items of projects. */
  readonly snapshotRequests: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

export const NOTHING_COUNTED: TableCounts = { requests: 0, snapshotRequests: 0, readUnits: 0, writeUnits: 0 };

interface Capacity {
  readonly CapacityUnits?: number;
}

/** Has the client count its requests to the table, and the units that these take. The returned function
 *  returns the counts, and starts again from 0. */
export function countTable(client: DynamoDBClient): () => TableCounts {
  let counts = NOTHING_COUNTED;
  const add = (more: Partial<TableCounts>) => {
    const { requests = 0, snapshotRequests = 0, readUnits = 0, writeUnits = 0 } = more;
    counts = {
      requests: counts.requests + requests,
      snapshotRequests: counts.snapshotRequests + snapshotRequests,
      readUnits: counts.readUnits + readUnits,
      writeUnits: counts.writeUnits + writeUnits,
    };
  };
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async args => {
        const isWrite =
          /^(Put|Update|Delete|Transact|BatchWrite)/.test(commandName) &&
          commandName !== 'TransactGetItemsCommand';
        add({ requests: 1, snapshotRequests: namesProjects(args.input) ? 1 : 0 });
        try {
          const done = await next({
            ...args,
            input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } as typeof args.input,
          });
          const { ConsumedCapacity } = done.output as { ConsumedCapacity?: Capacity | readonly Capacity[] };
          const all = [ConsumedCapacity ?? []].flat() as Capacity[];
          const units = all.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
          add(isWrite ? { writeUnits: units } : { readUnits: units });
          return done;
        } catch (error) {
          // A write whose condition fails is billed, too, but the embedded DynamoDB doesn't report how much.
          if (isWrite) add({ writeUnits: 1 });
          throw error;
        }
      },
    { step: 'initialize', name: 'count' },
  );
  return () => {
    const taken = counts;
    counts = NOTHING_COUNTED;
    return taken;
  };
}

/** Whether the input has a key of a project's items, or a part of one, anywhere in it. */
function namesProjects(input: unknown): boolean {
  if (typeof input === 'string') return input.startsWith('PROJECT#');
  if (typeof input !== 'object' || input === null || ArrayBuffer.isView(input)) return false;
  return Object.values(input).some(namesProjects);
}
