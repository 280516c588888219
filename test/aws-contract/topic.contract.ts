import { CreateTopicCommand, PublishBatchCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { TopicMessage } from '../simulation/models/topic.ts';
import { type OpenTopic, topicContract } from '../simulation/models/topic-contract.ts';
import { clientsOf, newName, optionsOfTests, tagList, until } from './account.ts';
import { createQueue, take } from './queues.ts';

const options = optionsOfTests();
const clients = clientsOf(options);
const { sns, sqs } = clients;

const open: OpenTopic = async () => {
  const topic = new CreateTopicCommand({ Name: newName(options), Tags: tagList(options) });
  const { TopicArn: arn = '' } = await sns.send(topic);
  const queue = await createQueue(clients, options);
  const Statement = {
    ...{ Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:SendMessage' },
    ...{ Resource: queue.arn, Condition: { ArnEquals: { 'aws:SourceArn': arn } } },
  };
  const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl: queue.url, Attributes: { Policy } }));
  await sns.send(new SubscribeCommand({ TopicArn: arn, Protocol: 'sqs', Endpoint: queue.arn }));

  const waiting: TopicMessage[] = [];
  const markers = new Set<string | undefined>();
  /** Messages that SNS accepted and that did not come yet. */
  const accepted = new Set<string | undefined>();
  const look = async () => {
    for (const message of (await take(clients, queue.url)).map(messageOf)) {
      accepted.delete(message.messageId);
      if (!markers.has(message.messageId)) waiting.push(message);
    }
  };
  const mark = async () => {
    const PublishBatchRequestEntries = [{ Id: 'marker', Message: 'marker' }];
    const answer = await sns.send(new PublishBatchCommand({ TopicArn: arn, PublishBatchRequestEntries }));
    const id = answer.Successful?.[0]?.MessageId;
    markers.add(id);
    return id;
  };
  // SNS does not repeat what the queue's policy, not yet in force, refuses.
  await until('a new subscription gets messages', async () => {
    accepted.add(await mark());
    const before = accepted.size;
    await look();
    return accepted.size < before || undefined;
  });
  accepted.clear();
  return {
    arn,
    async publishBatch(input) {
      const answer = await sns.send(new PublishBatchCommand(input));
      for (const { MessageId } of answer.Successful ?? []) accepted.add(MessageId);
      return answer;
    },
    async taken() {
      accepted.add(await mark());
      await until('all that SNS accepted arrives', async () => {
        await look();
        return accepted.size === 0 || undefined;
      });
      return waiting.splice(0);
    },
  };
};

function messageOf(body: string): TopicMessage {
  const {
    MessageId,
    Message,
    MessageAttributes = {},
  } = JSON.parse(body) as {
    MessageId: string;
    Message: string;
    MessageAttributes?: Record<string, { Value: string }>;
  };
  const values = Object.entries(MessageAttributes).map(([name, { Value }]) => [name, Value]);
  return { messageId: MessageId, body: Message, attributes: Object.fromEntries(values) };
}

topicContract('SNS', open);
