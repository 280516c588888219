import { createServer } from 'node:http';
import {
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import {
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type CountingAws, startCountingAws } from '../../bench/cost/aws.ts';
import { listen } from '../../bench/cost/proxy.ts';
import { Recorder } from '../../bench/cost/recorder.ts';
import type { Listening } from '../kit/listen.ts';

const recorder = new Recorder();
let dynamodb: Listening;
let aws: CountingAws;
/** What the DynamoDB behind it answers next, and what it was asked. */
const table = { status: 200, answer: {} as object, asked: '' };

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    table.asked = '';
    for await (const chunk of request.setEncoding('utf8')) table.asked += chunk;
    response.statusCode = table.status;
    response.setHeader('x-amzn-errortype', 'ConditionalCheckFailedException');
    response.end(JSON.stringify(table.answer));
  });
  dynamodb = await listen(server);
  const parameter = (name: string) => `of ${name}`;
  aws = await startCountingAws(dynamodb.url, recorder, { credentials: '{}', parameter });
});
afterAll(() => Promise.all([aws.stop(), dynamodb.stop()]));
beforeEach(() => {
  recorder.clear();
  aws.takeSent();
});

const options = () => ({
  endpoint: aws.url,
  region: 'us-east-1',
  maxAttempts: 1,
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
});
const Key = { pk: { S: 'a' } };
const Put = { TableName: 't', Item: Key };
const queue = () => ({ QueueUrl: `${aws.url}/1/Passes` });

it('the counting address counts units of the table as it tells them, those of a transaction together', async () => {
  const client = new DynamoDBClient(options());
  table.answer = { ConsumedCapacity: { CapacityUnits: 0.5 } };
  await client.send(new GetItemCommand({ TableName: 't', Key }));
  expect(JSON.parse(table.asked)).toMatchObject({ TableName: 't', ReturnConsumedCapacity: 'TOTAL' });
  table.answer = { ConsumedCapacity: [{ CapacityUnits: 4 }, { CapacityUnits: 2 }] };
  await client.send(new TransactWriteItemsCommand({ TransactItems: [{ Put }, { Put }] }));
  const requests = { 'dynamodb.GetItem': 1, 'dynamodb.TransactWriteItems': 1 };
  expect(recorder.get()).toMatchObject({ readUnits: 0.5, writeUnits: 6, requests });
});

it('the counting address counts one unit of a write whose condition fails, which the caller hears of', async () => {
  Object.assign(table, { status: 400, answer: { __type: 'ConditionalCheckFailedException' } });
  await expect(new DynamoDBClient(options()).send(new PutItemCommand(Put))).rejects.toThrow();
  table.status = 200;
  expect(recorder.get()).toMatchObject({ writeUnits: 1, readUnits: 0 });
});

it('the counting address counts requests to queues by 64 KB, and those for a group', async () => {
  const client = new SQSClient(options());
  const Entries = ['1', '2'].map(Id => ({ Id, MessageBody: 'x'.repeat(40_000), MessageGroupId: 'w1' }));
  const batch = await client.send(new SendMessageBatchCommand({ ...queue(), Entries }));
  expect(batch.Successful).toHaveLength(2);
  await client.send(new SendMessageCommand({ ...queue(), MessageBody: 'alone' }));
  await client.send(new GetQueueAttributesCommand(queue()));
  expect(recorder.get()).toMatchObject({ sqs: 4, sqsGrouped: 2 });
  const grouped = ['Passes', 'w1'];
  const sent = aws.takeSent().map(({ queue, group }) => [queue, group]);
  expect(sent).toEqual([grouped, grouped, ['Passes', undefined]]);
});

it('the counting address counts what is published, message by message', async () => {
  const attributes = { eventType: { DataType: 'String', StringValue: 'task.updated' } };
  const PublishBatchRequestEntries = ['small', 'x'.repeat(100_000)].map((Message, index) => ({
    Id: String(index),
    Message,
    MessageAttributes: attributes,
  }));
  const command = new PublishBatchCommand({
    TopicArn: 'arn:aws:sns:us-east-1:1:T',
    PublishBatchRequestEntries,
  });
  const { Successful = [] } = await new SNSClient(options()).send(command);
  expect(Successful.map(({ Id }) => Id)).toEqual(['0', '1']);
  expect(recorder.get()).toMatchObject({ published: 3, requests: { 'sns.PublishBatch': 1 } });
  expect(aws.takeSent()[0]).toMatchObject({ body: 'small', attributes });
});

it('the counting address refuses what it does not know, so that nothing is used that is not counted', async () => {
  const receive = new SQSClient(options()).send(new ReceiveMessageCommand(queue()));
  await expect(receive).rejects.toThrow('ReceiveMessage is not counted.');
  const put = new PutParameterCommand({ Name: '/hook1', Value: 'x' });
  await expect(new SSMClient(options()).send(put)).rejects.toThrow('ssm.PutParameter is not counted.');
});
