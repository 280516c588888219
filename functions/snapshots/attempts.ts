import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { inParallel } from '../basics/in-parallel.ts';
import type { Attempt, AttemptStretch } from '../delivery/deliveries.ts';
import { ATTEMPTS_KEPT_MS } from '../delivery/retention.ts';
import { ATTEMPT, attemptKey, endpointPartition, placeOf } from './keys.ts';
import { queryItems } from './query-items.ts';
import type { Table } from './table.ts';

const WIDTH = 10;

/** Not tried again where the table is throttled: people alone read this, and it must not delay deliveries. */
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

export async function attemptsOf(
  table: Table,
  endpoint: string,
  limit: number,
  { since = 0, until = Number.MAX_SAFE_INTEGER, behind, oldestFirst = false }: AttemptStretch = {},
): Promise<Attempt[]> {
  const edge = oldestFirst ? since : until;
  const begin = behind ? placeOf(behind.at, behind.events[0]?.id ?? '') : timeOf(edge);
  const items = queryItems(table, endpointPartition(endpoint), ATTEMPT, {
    ...(!oldestFirst && { ScanIndexForward: false }),
    first: limit,
    behind: ATTEMPT + begin,
  });
  const found: Attempt[] = [];
  if (limit < 1) return found;
  for await (const item of items) {
    const attempt = JSON.parse(item.attempt?.S as string) as Attempt;
    if (attempt.at < since || attempt.at >= until) break;
    if (found.push(attempt) >= limit) break;
  }
  return found;
}

/** Sorts before all places of this time, and behind all of earlier ones. */
function timeOf(at: number): string {
  return String(at).padStart(13, '0');
}
