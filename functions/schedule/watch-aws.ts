import { GetEventSourceMappingCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { GetQueueAttributesCommand, GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** A mapping that does not invoke its function. */
interface StoppedMapping {
  readonly name: string;
  /** The id for enabling it again. */
  readonly uuid?: string;
  /** As Lambda describes it. */
  readonly reason: string;
}

/** States of mappings that read, or will soon. */
const READING = new Set(['Creating', 'Enabling', 'Enabled', 'Updating']);
/** The beginning of Lambda's last result if it can't read the source, or can't invoke the function. */
const PROBLEM = /^PROBLEM/i;

/** The event source mappings (uuid by name) that are disabled, deleted, or can't read. */
export async function watchMappings(
  client: Pick<LambdaClient, 'send'>,
  mappings: Readonly<Record<string, string>>,
): Promise<StoppedMapping[]> {
  const checks = Object.entries(mappings).map(async ([name, UUID]) => {
    const reason = await reasonOf(client, UUID);
    return reason === undefined ? [] : [{ name, uuid: UUID, reason }];
  });
  return (await Promise.all(checks)).flat();
}

async function reasonOf(client: Pick<LambdaClient, 'send'>, UUID: string): Promise<string | undefined> {
  try {
    const {
      State = 'unknown',
      StateTransitionReason = '',
      // Stryker disable next-line StringLiteral: any text that does not begin with PROBLEM means no problem
      LastProcessingResult = '',
    } = await client.send(new GetEventSourceMappingCommand({ UUID }));
    if (!READING.has(State)) return `${State}. ${StateTransitionReason}`.trim();
    return PROBLEM.test(LastProcessingResult) ? LastProcessingResult : undefined;
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') return 'It does not exist.';
    throw error;
  }
}

type Sqs = Pick<SQSClient, 'send'>;

/** The number of messages in a queue, including those that were received but not deleted yet. */
export async function countMessages(client: Sqs, QueueUrl: string): Promise<number> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

/** The same by the ARN of the queue, whose URL is requested once. */
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
