import { type _Record, DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Table } from '../../../functions/store/dynamo/table.ts';
import { lambdaRecord } from '../dynamodb/lambda-record.ts';
import { startModelServer } from '../dynamodb/model-server.ts';
import { type Position, ShardReader } from '../dynamodb/shards.ts';
import {
  namedEndpoint,
  openModel as open,
  type StartedTable,
  startTable,
  startTableAt,
  startTableOn,
  TABLE_NAME,
  usesModel,
} from '../table.ts';

/** A table under test, of whatever kind. */
export interface OpenTable extends Table {
  /** All records of the stream so far, in order, as Lambda hands them to a function. */
  stream(): Promise<DynamoDBRecord[]>;
  stop(): Promise<void>;
}

/** The tables that must behave alike. */
export const TABLES: readonly (readonly [name: string, open: () => Promise<OpenTable>])[] = [
  ...(usesModel ? [] : [['the embedded DynamoDB', openEmbedded] as const]),
  ...(namedEndpoint === undefined
    ? []
    : [['the DynamoDB of TEST_DYNAMODB_ENDPOINT', () => openAt(namedEndpoint as string)] as const]),
  ['the table’s model', openModel],
];

async function openAt(endpoint: string): Promise<OpenTable> {
  return withStream(await startTableAt(endpoint));
}

export async function openModel(): Promise<OpenTable> {
  const { model, ...table } = open();
  return {
    ...table,
    stream: async () => [...model.stream],
    stop: async () => undefined,
  };
}

export async function openEmbedded(): Promise<OpenTable> {
  return withStream(await startTable());
}

/** The model behind HTTP, for a machine without an embedded DynamoDB: at least the clients are the real
 *  ones. */
export async function openServed(): Promise<OpenTable> {
  return withStream(await startTableOn(() => startModelServer(TABLE_NAME)));
}

function withStream({ streamArn, clientOptions, stop, ...table }: StartedTable): OpenTable {
  const streams = new DynamoDBStreamsClient(clientOptions);
  return {
    ...table,
    stream: () => readStream(new ShardReader(streams, streamArn), streamArn),
    stop: async () => {
      streams.destroy();
      await stop();
    },
  };
}

async function readStream(reader: ShardReader, streamArn: string): Promise<DynamoDBRecord[]> {
  const positions: Position['shards'] = {};
  const all: DynamoDBRecord[] = [];
  for (let isMore = true; isMore; ) {
    isMore = false;
    for await (const { shardId, records, ended } of reader.round(positions)) {
      const sequenceNumber = records.at(-1)?.dynamodb?.SequenceNumber;
      if (sequenceNumber === undefined) continue;
      isMore = true;
      positions[shardId] = { sequenceNumber, ended };
      all.push(...records.map(record => recordOf(record, streamArn)));
    }
  }
  return all;
}

/** Adds to `lambdaRecord`, which handles insertions only. */
function recordOf(record: _Record, streamArn: string): DynamoDBRecord {
  const { dynamodb = {}, ...more } = lambdaRecord(record, streamArn);
  const { eventName = 'INSERT' } = record;
  const { NewImage, ...change } = dynamodb;
  return { ...more, eventName, dynamodb: eventName === 'REMOVE' ? change : dynamodb };
}
