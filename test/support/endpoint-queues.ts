import { type SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import { CreateQueueCommand, GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { EndpointSettings } from '../../functions/endpoints/endpoint.ts';

export type EndpointQueues = Pick<EndpointSettings, 'queueArn' | 'queueUrl' | 'deadLetterUrl'>;

/** As many receives as SQS allows: the deliverer gives up by age, long before. */
const MAX_RECEIVES = 1000;

/** An endpoint's queue and dead-letter queue, and the queue's raw subscription to the topic, as the stack makes them. */
export async function createEndpointQueues(
  { sns, sqs }: { readonly sns: SNSClient; readonly sqs: SQSClient },
  { name, topicArn, filterPolicy }: { name: string; topicArn: string; filterPolicy?: object | undefined },
): Promise<EndpointQueues> {
  const { QueueUrl: deadLetterUrl = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName: `${name}-dead-letters` }),
  );
  const redrive = {
    deadLetterTargetArn: await arnOf(sqs, deadLetterUrl),
    maxReceiveCount: MAX_RECEIVES,
  };
  const { QueueUrl: queueUrl = '' } = await sqs.send(
    new CreateQueueCommand({
      QueueName: name,
      Attributes: { VisibilityTimeout: '720', RedrivePolicy: JSON.stringify(redrive) },
    }),
  );
  const queueArn = await arnOf(sqs, queueUrl);
  await sns.send(
    new SubscribeCommand({
      TopicArn: topicArn,
      Protocol: 'sqs',
      Endpoint: queueArn,
      Attributes: {
        RawMessageDelivery: 'true',
        ...(filterPolicy && { FilterPolicy: JSON.stringify(filterPolicy) }),
      },
    }),
  );
  return { queueArn, queueUrl, deadLetterUrl };
}

async function arnOf(sqs: SQSClient, QueueUrl: string): Promise<string> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  return Attributes?.QueueArn ?? '';
}
