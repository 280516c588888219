import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { Attempt } from '../delivery/deliveries.ts';
import { ATTEMPTS_KEPT_MS } from '../delivery/retention.ts';
import { inParallel } from '../in-parallel.ts';
import { ATTEMPT, attemptKey, endpointPartition, placeOf } from './keys.ts';
import { firstOf, queryItems } from './query-items.ts';
import type { Table } from './table.ts';

const WIDTH = 10;

/** Without patience: it is for people alone, and must not hold up what is delivered where the table is throttled. */
export async function note({ client, tableName }: Table, attempts: readonly Attempt[]): Promise<void> {
  await inParallel(attempts, WIDTH, attempt => {
    const { endpoint, at, events } = attempt;
    const item = {
      ...attemptKey(endpoint, placeOf(at, events[0]?.id ?? '')),
      attempt: { S: JSON.stringify(attempt) },
      expiresAt: { N: String(Math.floor((at + ATTEMPTS_KEPT_MS) / 1_000)) },
    };
    return client.send(new PutItemCommand({ TableName: tableName, Item: item }));
  });
}

export async function attemptsOf(table: Table, endpoint: string, limit: number): Promise<Attempt[]> {
  const options = { ScanIndexForward: false, first: limit };
  const items = queryItems(table, endpointPartition(endpoint), ATTEMPT, options);
  return (await firstOf(items, limit)).map(({ attempt }) => JSON.parse(attempt?.S as string));
}
