import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Table } from '../../../functions/store/dynamo/table.ts';
import { lambdaRecord } from '../dynamodb/lambda-record.ts';
import {
  isReal,
  namedEndpoint,
  openModel as open,
  type StartedTable,
  startTable,
  startTableAt,
  usesModel,
} from '../table.ts';

/** A table under test, of whatever kind. */
export interface OpenTable extends Table {
  /** All records of the stream so far, in order, as Lambda hands them to a function. */
  stream(): Promise<DynamoDBRecord[]>;
  stop(): Promise<void>;
}

type Named = readonly [name: string, open: () => Promise<OpenTable>];

const REAL: readonly Named[] = [
  ...(usesModel ? [] : [['the embedded DynamoDB', openEmbedded] as const]),
  ...(namedEndpoint === undefined
    ? []
    : [['the DynamoDB of TEST_DYNAMODB_ENDPOINT', () => openAt(namedEndpoint as string)] as const]),
];
const MODEL: Named = ['the table’s model', openModel];

/** The tables that must behave alike. */
export const ALL_TABLES: readonly Named[] = [...REAL, MODEL];

/** Those over which stores are tested: the model, or those that the environment asks for. */
export const TABLES: readonly Named[] = isReal ? REAL : [MODEL];

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

function withStream({ streamArn, clientOptions, stop, ...table }: StartedTable): OpenTable {
  const streams = new DynamoDBStreamsClient(clientOptions);
  const iterators = new Map<string, string | undefined>();
  const all: DynamoDBRecord[] = [];
  return {
    ...table,
    async stream() {
      let isMore: boolean;
      do {
        const records = await nextRecords(streams, streamArn, iterators);
        all.push(...records);
        isMore = records.length > 0;
      } while (isMore);
      return [...all];
    },
    stop: async () => {
      streams.destroy();
      await stop();
    },
  };
}

/** One read of each shard; `iterators` keeps how far they were read. */
export async function nextRecords(
  streams: DynamoDBStreamsClient,
  StreamArn: string,
  iterators: Map<string, string | undefined>,
): Promise<DynamoDBRecord[]> {
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const found: DynamoDBRecord[] = [];
  for (const { ShardId = '' } of StreamDescription?.Shards ?? []) {
    if (!iterators.has(ShardId)) {
      const start = { StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' } as const;
      iterators.set(ShardId, (await streams.send(new GetShardIteratorCommand(start))).ShardIterator);
    }
    const ShardIterator = iterators.get(ShardId);
    if (ShardIterator === undefined) continue;
    const read = await streams.send(new GetRecordsCommand({ ShardIterator }));
    iterators.set(ShardId, read.NextShardIterator);
    found.push(...(read.Records ?? []).map(record => lambdaRecord(record, StreamArn)));
  }
  return found;
}
