import { GetQueueAttributesCommand, GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';

type Client = Pick<SQSClient, 'send'>;

/** How many messages a queue holds, those that somebody has in hand among them. */
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
    const url =
      urls.get(arn) ??
      (await client.send(new GetQueueUrlCommand({ QueueName, QueueOwnerAWSAccountId }))).QueueUrl ??
      '';
    urls.set(arn, url);
    return countMessages(client, url);
  };
}
