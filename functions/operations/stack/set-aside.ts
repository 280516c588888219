import {
  GetQueueAttributesCommand,
  type Message,
  PurgeQueueCommand,
  PurgeQueueInProgress,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { SetAsideQueue } from '../context.ts';
import type { SetAsideName } from '../protocol/set-aside.ts';
import { Refused } from '../refused.ts';
import { setAsideMessageOf } from './set-aside-message.ts';

type Client = Pick<SQSClient, 'send'>;

/** SQS's bound of one receive. */
const AT_ONCE = 10;

/** A queue of SQS that nobody serves, because what is in it was given up. */
export function setAsideQueue(client: Client, name: SetAsideName, QueueUrl: string): SetAsideQueue {
  return {
    count: () => countOf(client, QueueUrl),
    async peek() {
      const messages = await receive(client, QueueUrl, 0);
      return messages.map(message => setAsideMessageOf(name, message));
    },
    async clear() {
      try {
        await client.send(new PurgeQueueCommand({ QueueUrl }));
      } catch (error) {
        if (!(error instanceof PurgeQueueInProgress)) throw error;
        throw new Refused(
          'This queue is being emptied already; SQS does so once a minute at most. Look again then.',
        );
      }
    },
  };
}

export async function countOf(client: Client, QueueUrl: string): Promise<number> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [...names] }),
  );
  return names.reduce((sum, name) => sum + Number(Attributes[name] ?? 0), 0);
}

/** Some of the messages. Nobody else sees them for `hiddenFor` seconds. */
export async function receive(client: Client, QueueUrl: string, hiddenFor: number): Promise<Message[]> {
  const { Messages = [] } = await client.send(
    new ReceiveMessageCommand({
      QueueUrl,
      MaxNumberOfMessages: AT_ONCE,
      VisibilityTimeout: hiddenFor,
      // Without a wait SQS asks some of its servers, and may find nothing where there is something.
      WaitTimeSeconds: 1,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages;
}
