import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { QueueSource, StreamSource } from '../simulation/models/event-source.ts';
import { QueueModel } from '../simulation/models/queue.ts';
import { TableModel } from '../simulation/models/table.ts';
import { eventSourceContract, type OpenSource } from './event-source-contract.ts';
import { type Item, respond } from './respond.ts';

const BATCH_SIZE = 4;

const open: OpenSource = async (kind, items) => {
  let now = 0;
  const seen = new Map<string, number>();
  const batches: string[][] = [];
  const handle = ({ Records }: SQSEvent | DynamoDBStreamEvent) => {
    const { names, answer } = respond(Records, seen);
    batches.push(names);
    return answer() as SQSBatchResponse & DynamoDBBatchResponse;
  };
  const { source, add } = kind === 'queue' ? queueSource(() => now, handle) : streamSource(handle);
  for (const item of items) add(item);
  return {
    add: async item => add(item),
    batches: async () => batches,
    tick: async () => {
      now += 1000;
      await source.run();
    },
    now: () => now,
    deadline: 60_000,
  };
};

function queueSource(clock: () => number, handle: (event: SQSEvent) => SQSBatchResponse) {
  const [arn, url] = ['arn:aws:sqs:eu-west-1:1:crm', 'https://sqs/crm'];
  const queue = new QueueModel({ name: 'crm', arn, url, clock, random: () => 0, visibilityTimeout: 10 });
  return {
    source: new QueueSource({ queue, batchSize: BATCH_SIZE, handler: async event => handle(event) }),
    add: (item: Item) => void queue.send(JSON.stringify(item)),
  };
}

function streamSource(handle: (event: DynamoDBStreamEvent) => DynamoDBBatchResponse) {
  const table = new TableModel('items');
  return {
    source: new StreamSource({
      records: table.stream,
      batchSize: BATCH_SIZE,
      handler: async event => handle(event),
    }),
    add: (item: Item) => {
      const Item = { pk: { S: 'p' }, sk: { S: item.name }, item: { S: JSON.stringify(item) } };
      table.run(new PutItemCommand({ TableName: 'items', Item }));
    },
  };
}

eventSourceContract('the model', open);
