import { setTimeout as wait } from 'node:timers/promises';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { sqsQueue } from '../../functions/queue/sqs.ts';
import { openQueue } from '../kit/queue/sqlite.ts';
import { queueContract } from './contract.ts';

queueContract('the queue in SQLite', async () => ({
  open: async () => ({ ...openQueue({ visibility: 2 }), givesGroups: true }),
  stop: async () => undefined,
}));

queueContract('the queue over an embedded SQS', async () => {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const credentials = { accessKeyId: 'l', secretAccessKey: 'l' };
  const sqs = new SQSClient({ endpoint, region: 'us-east-1', credentials, useQueueUrlAsEndpoint: false });
  let queues = 0;
  return {
    open: async () => {
      const QueueName = `queue-${++queues}`;
      const Attributes = { VisibilityTimeout: '2' };
      const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
      return { queue: sqsQueue(sqs, QueueUrl), givesGroups: false, pass: ms => wait(ms) };
    },
    stop: async () => {
      sqs.destroy();
      await app.close();
    },
  };
});
