import { type AttributeValue, DeleteItemCommand } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { nextRecords } from '../kit/store/tables.ts';
import { TABLE_TIMING } from '../kit/table.ts';
import { tableContract } from '../simulation/models/table-contract.ts';
import { clientConfig, clientsOf, optionsOfTests, until } from './account.ts';
import { createTaggedTable, putItem } from './sources.ts';

const options = optionsOfTests();

/** The partition of a command that writes. */
function partitionIn(input: object): string | undefined {
  const written = input as Record<'Item' | 'Key', Record<string, AttributeValue> | undefined> & {
    TransactItems?: Record<string, object>[];
  };
  const [action] = Object.values(written.TransactItems?.at(-1) ?? {});
  return action ? partitionIn(action) : (written.Item ?? written.Key)?.pk?.S;
}

/** The records of a stream come late. Those of one partition come in their order: so a marker is written into the
 *  partition that was written last, and its records are complete when the marker comes. */
tableContract('DynamoDB', async () => {
  const clients = clientsOf(options);
  const { tableName, streamArn } = await createTaggedTable(clients, options);
  const streams = new DynamoDBStreamsClient({ ...clientConfig(options), maxAttempts: 6 });
  const client = clients.dynamodb;
  let partition = '';
  client.middlewareStack.add(next => args => {
    partition = partitionIn(args.input) ?? partition;
    return next(args);
  });
  const iterators = new Map<string, string | undefined>();
  const records: DynamoDBRecord[] = [];
  const markerOf = ({ dynamodb }: DynamoDBRecord) => /^marker \d+$/.exec(dynamodb?.Keys?.sk?.S ?? '')?.[0];
  let markers = 0;
  return {
    ...{ client, tableName, timing: TABLE_TIMING },
    async stream() {
      const marker = `marker ${++markers}`;
      await putItem(clients, tableName, partition, marker);
      const Key = { pk: { S: partition }, sk: { S: marker } };
      await client.send(new DeleteItemCommand({ TableName: tableName, Key }));
      await until(`the records of ${partition}`, async () => {
        records.push(...(await nextRecords(streams, streamArn, iterators)));
        return records.some(record => markerOf(record) === marker) || undefined;
      });
      return records.filter(record => markerOf(record) === undefined);
    },
    async stop() {
      for (const each of [...Object.values(clients), streams]) each.destroy();
    },
  };
});
