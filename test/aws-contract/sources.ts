import { PutItemCommand, TagResourceCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { createTable } from '../kit/table.ts';
import { type Clients, newName, type Options, tagList } from './account.ts';
import { createQueue } from './queues.ts';
import type { Item } from './respond.ts';

/** A table as the stack has it. */
export async function createTaggedTable({ dynamodb }: Clients, options: Options) {
  const tableName = newName(options);
  const { streamArn } = await createTable(dynamodb, tableName);
  const [ResourceArn] = streamArn.split('/stream/');
  await dynamodb.send(new TagResourceCommand({ ResourceArn, Tags: tagList(options) }));
  return { tableName, streamArn };
}

export async function putItem({ dynamodb }: Clients, TableName: string, pk: string, sk: string, item = '') {
  const Item = { pk: { S: pk }, sk: { S: sk }, item: { S: item } };
  await dynamodb.send(new PutItemCommand({ TableName, Item }));
}

/** A source of an event source mapping, and how an item is added to it. Its mapping starts at the beginning. */
export async function createSource(
  clients: Clients,
  options: Options,
  kind: 'queue' | 'stream',
  results: string,
) {
  const textOf = (item: Item) => JSON.stringify({ ...item, results });
  if (kind === 'queue') {
    const { url: QueueUrl, arn } = await createQueue(clients, options, { VisibilityTimeout: '6' });
    const add = async (item: Item) => {
      await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: textOf(item) }));
    };
    // A new account may run ten functions at once: what is throttled counts as received.
    return { arn, add, more: { ScalingConfig: { MaximumConcurrency: 2 } } };
  }
  const { tableName, streamArn } = await createTaggedTable(clients, options);
  const add = (item: Item) => putItem(clients, tableName, 'items', item.name, textOf(item));
  return { arn: streamArn, add, more: { StartingPosition: 'TRIM_HORIZON' as const } };
}
