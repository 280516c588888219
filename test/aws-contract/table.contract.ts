import { type AttributeValue, DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { type _Record, DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { lambdaRecord } from '../kit/dynamodb/lambda-record.ts';
import { type Position, ShardReader } from '../kit/dynamodb/shards.ts';
import type { OpenTable } from '../kit/store/tables.ts';
import { TABLE_TIMING } from '../kit/table.ts';
import { tableContract } from '../simulation/models/table-contract.ts';
import { clientConfig, clientsOf, optionsOfTests, until } from './account.ts';
import { createTable, putItem } from './tables.ts';

const options = optionsOfTests();

/** The partition of a command that writes. */
function partitionIn(input: object): string | undefined {
  const written = input as Record<'Item' | 'Key', Record<string, AttributeValue> | undefined> & {
    TransactItems?: Record<string, object>[];
  };
  const [action] = Object.values(written.TransactItems?.at(-1) ?? {});
  return action ? partitionIn(action) : (written.Item ?? written.Key)?.pk?.S;
}

/** A record as Lambda hands it to a function: only a removal has no new image. */
function recordOf(record: _Record, streamArn: string): DynamoDBRecord {
  const { eventName = 'INSERT' } = record;
  const { dynamodb = {}, ...more } = lambdaRecord(record, streamArn);
  const { NewImage, ...change } = dynamodb;
  return { ...more, eventName, dynamodb: eventName === 'REMOVE' ? change : dynamodb };
}

/** The records of a stream come late. Those of one partition come in their order: so a marker is written into the
 *  partition that was written last, and its records are complete when the marker comes. */
tableContract('DynamoDB', async (): Promise<OpenTable> => {
  const clients = clientsOf(options);
  const { tableName, streamArn } = await createTable(clients, options);
  const streams = new DynamoDBStreamsClient({ ...clientConfig(options), maxAttempts: 6 });
  const client = clients.dynamodb;
  let partition = '';
  client.middlewareStack.add(next => args => {
    partition = partitionIn(args.input) ?? partition;
    return next(args);
  });
  const reader = new ShardReader(streams, streamArn);
  const positions: Position['shards'] = {};
  const records: DynamoDBRecord[] = [];
  const stop = async () => {
    for (const each of [...Object.values(clients), streams]) each.destroy();
  };
  let markers = 0;
  const stream = async () => {
    const sk = `marker ${++markers}`;
    await putItem(clients, tableName, partition, sk);
    const Key = { pk: { S: partition }, sk: { S: sk } };
    await client.send(new DeleteItemCommand({ TableName: tableName, Key }));
    await until(`the records of ${partition}`, async () => {
      for await (const { shardId, records: read, ended } of reader.round(positions)) {
        records.push(...read.map(record => recordOf(record, streamArn)));
        const sequenceNumber = read.at(-1)?.dynamodb?.SequenceNumber ?? positions[shardId]?.sequenceNumber;
        if (sequenceNumber !== undefined) positions[shardId] = { sequenceNumber, ended };
      }
      return records.some(({ dynamodb }) => dynamodb?.Keys?.sk?.S === sk) || undefined;
    });
    return records.filter(({ dynamodb }) => !dynamodb?.Keys?.sk?.S?.startsWith('marker '));
  };
  return { client, tableName, timing: TABLE_TIMING, stream, stop };
});
