import {
  type AttributeValue,
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  ScanCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_TABLES, type OpenTable, openEmbedded, openModel } from '../../kit/store/tables.ts';
import { usesModel } from '../../kit/table.ts';
import { type Item, TableModel } from './table.ts';
import { tableContract } from './table-contract.ts';

for (const [name, open] of ALL_TABLES) tableContract(name, open);

const TableName = 'changewire';
const KEY = { pk: { S: 'p' }, sk: { S: 'a' } };
const ONE = { ':one': { N: '1' } };

/** Where the embedded DynamoDB differs from DynamoDB, and the model does not. A test here fails once the
 *  embedded one is corrected: then the case belongs into the contract. */
describe.each([
  ...(usesModel ? [] : [['the embedded DynamoDB differs', it.fails, openEmbedded] as const]),
  ['the model is as DynamoDB', it, openModel] as const,
])('%s:', (_, test, open) => {
  let table: OpenTable;
  beforeAll(async () => {
    table = await open();
  });
  afterAll(() => table?.stop());

  const query = (more: Partial<QueryCommandInput>, values: Record<string, AttributeValue> = {}) =>
    table.client.send(
      new QueryCommand({
        TableName,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: 'p' }, ...values },
        ConsistentRead: true,
        ...more,
      }),
    );
  const transact = (...TransactItems: TransactWriteItem[]) =>
    table.client.send(new TransactWriteItemsCommand({ TransactItems }));
  const put = (Item: Record<string, AttributeValue>) =>
    table.client.send(new PutItemCommand({ TableName, Item }));
  const update = (more: Partial<UpdateItemCommandInput>) =>
    table.client.send(new UpdateItemCommand({ TableName, Key: KEY, ...more }));
  const invalid = { name: 'ValidationException' };

  test('a write that changes nothing leaves no record in the stream', async () => {
    const Item = { ...KEY, pk: { S: 'idle' } };
    for (let count = 0; count < 2; count++) await put(Item);
    const seen = (await table.stream()).filter(({ dynamodb }) => dynamodb?.Keys?.pk?.S === 'idle');
    expect(seen).toHaveLength(1);
  });

  test('an update that makes an item had no old one to return', async () => {
    const Key = { ...KEY, pk: { S: 'made' } };
    const { Attributes } = await update({ Key, UpdateExpression: 'REMOVE x', ReturnValues: 'ALL_OLD' });
    expect(Attributes).toBeUndefined();
  });

  test('a query that goes on in another partition is refused', async () => {
    const ExclusiveStartKey = { ...KEY, pk: { S: 'other' } };
    await expect(query({ ExclusiveStartKey })).rejects.toMatchObject(invalid);
  });

  test('a query that goes on outside of its own range is refused', async () => {
    const more = { KeyConditionExpression: 'pk = :pk AND begins_with(sk, :b)', ExclusiveStartKey: KEY };
    await expect(query(more, { ':b': { S: 'b' } })).rejects.toMatchObject(invalid);
  });

  test('a value that no expression of a transaction uses is a mistake of the request', async () => {
    const Update = { TableName, Key: KEY, UpdateExpression: 'REMOVE x', ExpressionAttributeValues: ONE };
    await expect(transact({ Update })).rejects.toMatchObject(invalid);
  });
});

describe('what the model does not know', () => {
  const model = new TableModel(TableName);
  const Key = KEY;
  const values = { ExpressionAttributeValues: ONE };
  const update = (UpdateExpression: string, more: object = values) =>
    new UpdateItemCommand({ TableName, Key, UpdateExpression, ...more });
  const condition = (ConditionExpression: string, more: object = values) =>
    new DeleteItemCommand({ TableName, Key, ConditionExpression, ...more });

  it.each<[string, object, RegExp]>([
    ['a command', new DescribeTableCommand({ TableName }), /DescribeTableCommand/],
    ['a stale scan', new ScanCommand({ TableName }), /without ConsistentRead/],
    [
      'a parameter',
      new PutItemCommand({ TableName, Item: Key, ReturnConsumedCapacity: 'TOTAL' }),
      /ReturnConsumedCapacity/,
    ],
    ['a section', update('ADD n :one'), /ADD n :one/],
    ['a path', update('SET n.m = :one'), /n\.m/],
    ['a list', condition('n IN (:one)'), /IN \(:one\)/],
    [
      'an order of text',
      condition('n > :one', { ExpressionAttributeValues: { ':one': { S: '1' } } }),
      /order/,
    ],
    ['the values after an update', update('SET n = :one', { ...values, ReturnValues: 'ALL_NEW' }), /ALL_NEW/],
    [
      'a number in another form',
      new PutItemCommand({ TableName, Item: { ...Key, x: { N: '1.0' } } }),
      /1\.0/,
    ],
    [
      'a key condition',
      new QueryCommand({ TableName, ConsistentRead: true, KeyConditionExpression: 'pk > :one', ...values }),
      /pk > :one/,
    ],
    ['a set', new PutItemCommand({ TableName, Item: { ...Key, x: { SS: ['a'] } } }), /values of type SS/],
    [
      'half a character',
      new PutItemCommand({ TableName, Item: { ...Key, x: { S: '\ud800' } } }),
      /surrogate pair: "\\ud800"/,
    ],
  ])('%s is an error of its own, that no code takes for an answer', (_, command, message) => {
    const run = () => model.run(command);
    expect(run).toThrow(/^The table's model does not know/);
    expect(run).toThrow(message);
    expect(run).not.toThrow(DynamoDBServiceException);
    expect([...model.items()]).toEqual([]);
  });
});

describe('the model', () => {
  it('gives every item as it is, each partition in order, to look at only', () => {
    const model = new TableModel(TableName);
    for (const [pk, sk] of [
      ['p', 'b'],
      ['q', 'a'],
      ['p', 'a'],
    ] as const)
      model.run(new PutItemCommand({ TableName, Item: { pk: { S: pk }, sk: { S: sk } } }));
    const places = () => [...model.items()].map(({ pk, sk }) => `${pk?.S} ${sk?.S}`);
    expect(places()).toEqual(['p a', 'p b', 'q a']);
    for (const item of model.items()) Object.assign(item.sk ?? {}, { S: 'changed' });
    expect(places()).toEqual(['p a', 'p b', 'q a']);
  });

  it('shows a write late to reads that may be late, as what was there before, and at once to all others', () => {
    let [now, lag] = [0, 0];
    const model = new TableModel(TableName, { now: () => now, lag: () => lag, maxLag: 1_000 });
    const put = (n: string) => model.run(new PutItemCommand({ TableName, Item: { ...KEY, n: { N: n } } }));
    const query = {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': KEY.pk },
    };
    const seen = (ConsistentRead: boolean) => {
      const item = model.run(new GetItemCommand({ TableName, Key: KEY, ConsistentRead })) as { Item?: Item };
      const found = model.run(new QueryCommand({ TableName, ConsistentRead, ...query })) as { Items: Item[] };
      return [item.Item?.n?.N, ...found.Items.map(({ n }) => n?.N)];
    };
    put('1');
    now = 400;
    put('2');
    model.run(new DeleteItemCommand({ TableName, Key: KEY }));
    put('3');
    lag = 300;
    expect([seen(false), seen(true)]).toEqual([
      ['1', '1'],
      ['3', '3'],
    ]);
    lag = 500;
    expect(seen(false)).toEqual([undefined]);
    now = 800;
    lag = 300;
    expect(seen(false)).toEqual(['3', '3']);
    now = 1_500;
    put('4');
    lag = 999;
    expect(seen(false)).toEqual(['3', '3']);
    model.restore([], { stream: false });
    expect(seen(false)).toEqual([undefined]);
  });
});
