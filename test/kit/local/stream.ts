import { setTimeout as wait } from 'node:timers/promises';
import { type DynamoDBClient, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { onTestFinished } from 'vitest';
import type { Sleep } from '../../../functions/basics/clock.ts';
import { memoryPosition } from '../../../local/stream/position.ts';
import { type StreamPumpOptions, startStreamPump } from '../../../local/stream/pump.ts';
import type { Feed } from '../../../local/stream/rounds.ts';
import { hasEmbedded } from '../dynamodb/binary.ts';
import { MODEL_STREAM, modelStreams } from '../dynamodb/model-streams.ts';
import { openModel, startTable } from '../table.ts';

export const sleep: Sleep = (ms, signal) => wait(ms, undefined, { signal });

export interface Table {
  readonly client: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly table: { readonly name: string; readonly streamArn: string };
}

/** The embedded DynamoDB's table with its stream, or the model's where there is none. */
export async function startedTable(): Promise<Table> {
  if (!hasEmbedded()) return startedModel().table;
  const { client, tableName, streamArn, clientOptions, stop } = await startTable();
  const streams = new DynamoDBStreamsClient(clientOptions);
  onTestFinished(async () => {
    streams.destroy();
    await stop();
  });
  return { client, streams, table: { name: tableName, streamArn } };
}

/** The model of the table; `forgetStream` empties its stream, as DynamoDB does after a day. */
export function startedModel(): { readonly table: Table; readonly forgetStream: () => void } {
  const { client, tableName, model } = openModel();
  let forgotten = 0;
  return {
    table: {
      client,
      streams: modelStreams(model, () => forgotten),
      table: { name: tableName, streamArn: MODEL_STREAM },
    },
    forgetStream: () => {
      forgotten = model.stream.length;
    },
  };
}

/** Makes one commit: a snapshot and its change record, with `time` in its key. */
export async function commit(client: DynamoDBClient, id: string, time = 1): Promise<void> {
  const TableName = 'changewire';
  const change = `CHANGE#${String(time).padStart(13, '0')}#${id}#1`;
  await client.send(
    new TransactWriteItemsCommand({
      TransactItems: [
        { Put: { TableName, Item: { pk: { S: 'W#w#P#p' }, sk: { S: `PROJECT#${id}` } } } },
        {
          Put: {
            TableName,
            Item: { pk: { S: 'W#w#P#p' }, sk: { S: change }, events: { B: Buffer.from(id) } },
            ConditionExpression: 'attribute_not_exists(pk)',
          },
        },
      ],
    }),
  );
}

/** A pump with defaults for what `options` leaves out; it ends with the test. */
export function startedPump(table: Table, options: Partial<StreamPumpOptions>): Feed {
  const pump = startStreamPump({
    client: table.client,
    streams: table.streams,
    table: table.table,
    publish: async () => ({ batchItemFailures: [] }),
    position: memoryPosition(),
    sleep,
    onNotice: () => {},
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
