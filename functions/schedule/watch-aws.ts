import { GetEventSourceMappingCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** A mapping that hands nothing to its function. */
export interface StoppedMapping {
  readonly name: string;
  /** Enabling it again takes this id. */
  readonly uuid?: string;
  /** In Lambda's words. */
  readonly reason: string;
}

/** States of mappings that read, or are about to. */
const READING = new Set(['Creating', 'Enabling', 'Enabled', 'Updating']);
/** Lambda's last result begins like this when it can't read the source, or can't invoke the function. */
const PROBLEM = /^PROBLEM/i;

/** Which of these event source mappings (uuid by name) are disabled, or can't read. One that is gone is one of them. */
export async function watchMappings(
  client: Pick<LambdaClient, 'send'>,
  mappings: Readonly<Record<string, string>>,
): Promise<StoppedMapping[]> {
  const looks = Object.entries(mappings).map(async ([name, UUID]) => {
    const reason = await reasonOf(client, UUID);
    return reason === undefined ? [] : [{ name, uuid: UUID, reason }];
  });
  return (await Promise.all(looks)).flat();
}

async function reasonOf(client: Pick<LambdaClient, 'send'>, UUID: string): Promise<string | undefined> {
  try {
    const {
      State = 'unknown',
      StateTransitionReason = '',
      // Stryker disable next-line StringLiteral: what does not begin with PROBLEM tells of none
      LastProcessingResult = '',
    } = await client.send(new GetEventSourceMappingCommand({ UUID }));
    if (!READING.has(State)) return `${State}. ${StateTransitionReason}`.trim();
    return PROBLEM.test(LastProcessingResult) ? LastProcessingResult : undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return 'It is not there.';
    throw error;
  }
}

type Sqs = Pick<SQSClient, 'send'>;

/** How many messages a queue holds, including those that were received but not deleted yet. */
export async function countMessages(client: Sqs, QueueUrl: string): Promise<number> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

/** The same by the ARN of the queue, whose URL is asked for once. */
export function countByArn(client: Sqs): (queueArn: string) => Promise<number> {
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
