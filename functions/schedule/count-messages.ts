import { GetQueueAttributesCommand, GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';

type Client = Pick<SQSClient, 'send'>;

/** How many messages a queue holds, including those that were received but not deleted yet. */
export async function countMessages(client: Client, QueueUrl: string): Promise<number> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

/** The same by the ARN of the queue, whose URL is asked for once. */
export function countByArn(client: Client): (queueArn: string) => Promise<number> {
  const urls = new Map<string, string>();
  return async arn => {
    const [, , , , QueueOwnerAWSAccountId, QueueName] = arn.split(':');
    const known = urls.get(arn);
    if (known !== undefined) return countMessages(client, known);
    const command = new GetQueueUrlCommand({ QueueName, QueueOwnerAWSAccountId });
    const { QueueUrl } = (await client.send(command)) as { QueueUrl: string };
    urls.set(arn, QueueUrl);
    return countMessages(client, QueueUrl);
  };
}
