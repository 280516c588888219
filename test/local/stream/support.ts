import { setTimeout as wait } from 'node:timers/promises';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { onTestFinished } from 'vitest';
import type { Sleep } from '../../../functions/clock.ts';
import { ensureTable } from '../../../local/dynamodb/table.ts';
import { memoryPosition } from '../../../local/stream/position.ts';
import { type StreamPump, type StreamPumpOptions, startStreamPump } from '../../../local/stream/pump.ts';
import { type Started, started, temporaryDirectory } from '../support.ts';

export const sleep: Sleep = (ms, signal) => wait(ms, undefined, { signal });

export interface Table extends Started {
  readonly table: { name: string; streamArn: string };
}

export async function startedTable(): Promise<Table> {
  const dynamodb = await started({ dataDirectory: temporaryDirectory() });
  const { streamArn } = await ensureTable(dynamodb.client, 'changewire');
  return { ...dynamodb, table: { name: 'changewire', streamArn } };
}

/** A pump with sensible parts where `options` has none; it ends with the test. */
export function startedPump(table: Table, options: Partial<StreamPumpOptions>): StreamPump {
  const pump = startStreamPump({
    client: table.client,
    streams: table.streams,
    table: table.table,
    publish: async () => ({ batchItemFailures: [] }),
    delivered: async () => undefined,
    position: memoryPosition(),
    sleep,
    interval: 20,
    ...options,
  });
  onTestFinished(pump.stop);
  return pump;
}

/** The identifiers in the keys of change records, as {@link commit} wrote them. */
export function idsOf(event: DynamoDBStreamEvent): string[] {
  return event.Records.map(record => record.dynamodb?.Keys?.sk?.S?.split('#')[2] ?? '');
}

/** A handler that takes everything and keeps the ids in order. */
export function collecting() {
  const ids: string[] = [];
  const publish: StreamPumpOptions['publish'] = async event => {
    ids.push(...idsOf(event));
    return { batchItemFailures: [] };
  };
  return { ids, publish };
}
