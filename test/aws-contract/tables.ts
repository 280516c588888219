import { PutItemCommand, TagResourceCommand } from '@aws-sdk/client-dynamodb';
import { ensureTable } from '../kit/dynamodb/ensure-table.ts';
import { type Clients, newName, type Options, tagList } from './account.ts';

/** A table as the stack has it. */
export async function createTable({ dynamodb }: Clients, options: Options) {
  const tableName = newName(options);
  const { streamArn } = await ensureTable(dynamodb, tableName);
  const [ResourceArn] = streamArn.split('/stream/');
  await dynamodb.send(new TagResourceCommand({ ResourceArn, Tags: tagList(options) }));
  return { tableName, streamArn };
}

export async function putItem({ dynamodb }: Clients, TableName: string, pk: string, sk: string, item = '') {
  const Item = { pk: { S: pk }, sk: { S: sk }, item: { S: item } };
  await dynamodb.send(new PutItemCommand({ TableName, Item }));
}
