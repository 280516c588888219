import { CreateTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { expect, it, onTestFinished } from 'vitest';
import { createPublish } from '../../functions/handlers/create-publish.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { AT, eventsOf, record } from '../kit/topic/records.ts';

/** Starts fauxqs on 127.0.0.1 with a topic and its queue, until the end of the test: its own `startFauxqs` listens on
 *  every interface, without authentication. */
async function startEmulator() {
  const app = buildApp({ logger: false });
  const endpoint = await app.listen({ host: '127.0.0.1', port: 0 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const config = { endpoint, region: 'us-east-1', credentials };
  const sns = new SNSClient(config);
  const sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
  const { TopicArn } = await sns.send(new CreateTopicCommand({ Name: 'events' }));
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'feed' }));
  const queue = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
  const Endpoint = (await sqs.send(queue)).Attributes?.QueueArn;
  await sns.send(new SubscribeCommand({ TopicArn, Protocol: 'sqs', Endpoint }));
  onTestFinished(async () => {
    sns.destroy();
    sqs.destroy();
    await app.close();
  });
  return {
    sns,
    topicArn: TopicArn as string,
    /** The messages that were published since the last call. */
    async received() {
      const found: { message: string; attributes: object }[] = [];
      for (;;) {
        const next = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
        const { Messages = [] } = await sqs.send(next);
        if (Messages.length === 0) return found;
        for (const { ReceiptHandle, Body = '' } of Messages) {
          const { Message, MessageAttributes = {} } = JSON.parse(Body);
          found.push({ message: Message, attributes: MessageAttributes });
          await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        }
      }
    },
  };
}

it('invariant 3: the embedded SNS gets each event of a change record by the SDK’s client, with the same bytes when it comes twice', async () => {
  const emulator = await startEmulator();
  const publish = createPublish({
    ...{ sns: emulator.sns, topicArn: emulator.topicArn, sleep: async () => {}, random: () => 1 },
    ...{ reject: async () => {}, log: { info: () => {}, warn: () => {}, error: () => {} } },
  });
  const events = eventsOf(AT, 2);
  for (let times = 0; times < 2; times++) {
    const context = { getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY };
    const answer = await publish({ Records: [record('1', events)] }, context);
    expect(answer).toEqual({ batchItemFailures: [] });
  }
  const got = await emulator.received();
  const distinct = [...new Set(got.map(({ message }) => message))];
  const byId = (left: ChangeEvent, right: ChangeEvent) => (left.id < right.id ? -1 : 1);
  expect([got.length, distinct.map(text => JSON.parse(text)).sort(byId)]).toEqual([4, events]);
  expect(got[0]?.attributes).toEqual({
    eventType: { Type: 'String', Value: 'task.created' },
    workspace: { Type: 'String', Value: 'eu' },
    processId: { Type: 'String', Value: 'onboarding' },
    projectId: { Type: 'String', Value: 'p1' },
  });
});
