import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { Publish } from '../../functions/create-publish.ts';
import { createSnapshots } from '../../functions/snapshots/dynamo-snapshots.ts';
import { createEndpointStates, type EndpointStates } from '../../functions/snapshots/endpoint-states.ts';
import { endpointKey } from '../../functions/snapshots/keys.ts';
import type { Snapshots } from '../../functions/snapshots/snapshots.ts';
import { startDynamoDb } from '../dynamodb/dynamodb.ts';
import { ensureTable } from '../dynamodb/table.ts';
import { filePosition, type Position } from '../stream/position.ts';
import { type StreamPump, startStreamPump } from '../stream/pump.ts';
import type { Closers } from './closers.ts';
import type { DataDirectory } from './data-directory.ts';
import type { Output } from './output.ts';
import { sleep } from './sleep.ts';

/** The endpoints' states, where a start serves again what was stopped. */
export interface RestartableStates extends EndpointStates {
  restart(name: string): Promise<void>;
}

export interface Table {
  readonly snapshots: Snapshots;
  readonly states: RestartableStates;
  /** Starts to carry change records to `publish`. */
  pump(publish: Publish, delivered: () => Promise<void>): StreamPump;
}

const TABLE = 'changewire';
/** Trimming is worth its while only now and then. */
const TRIM_EVERY = 200;

/** Starts the database, and takes or makes the table in it. */
export async function startTable(
  { closers, directory, output }: { closers: Closers; directory: DataDirectory; output: Output },
  endpoint: string | undefined,
): Promise<Table> {
  const dynamodb = await startDynamoDb({ dataDirectory: directory.path, endpoint, onNotice: output.warn });
  closers.add(dynamodb.stop);
  const client = new DynamoDBClient(dynamodb.clientOptions);
  const streams = new DynamoDBStreamsClient(dynamodb.clientOptions);
  closers.add(() => {
    client.destroy();
    streams.destroy();
  });
  const { streamArn } = await ensureTable(client, TABLE);
  const table = { client, tableName: TABLE, patience: { clock: Date.now, random: Math.random, sleep } };
  const trim = trimmer(sequenceNumber => void dynamodb.trim(TABLE, sequenceNumber));
  return {
    snapshots: createSnapshots(table),
    states: {
      ...createEndpointStates(table),
      restart: async name => {
        const UpdateExpression = 'REMOVE stoppedAt, stopReason';
        await client.send(
          new UpdateItemCommand({ TableName: TABLE, Key: endpointKey(name), UpdateExpression }),
        );
      },
    },
    pump: (publish, delivered) => {
      const pump = startStreamPump({
        client,
        streams,
        table: { name: TABLE, streamArn },
        publish,
        delivered,
        position: filePosition(directory.file('position.json')),
        sleep,
        onSaved: trim,
        onNotice: output.warn,
      });
      closers.add(pump.stop);
      return pump;
    },
  };
}

/** What is delivered and saved is not asked for again. The embedded stream has one shard, which never ends. */
function trimmer(trim: (sequenceNumber: string) => void): (position: Position) => void {
  let trimmed = 0;
  return ({ shards }) => {
    const [shard, ...others] = Object.values(shards);
    if (shard === undefined || others.length > 0) return;
    const sequenceNumber = Number(shard.sequenceNumber);
    if (sequenceNumber < trimmed + TRIM_EVERY) return;
    trim(shard.sequenceNumber);
    trimmed = sequenceNumber;
  };
}
