import { DeleteMessageCommand, type Message, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { SOURCE } from '../../queue/set-aside.ts';
import { receive } from './set-aside.ts';

export interface UnsettledQueues {
  readonly unsettled: string;
  /** Where its messages come from. What SNS could not put into the first of them is there, too. */
  readonly sources: readonly [events: string, ...others: string[]];
}

/** So long nobody else takes a message that is being sent back. */
const HIDDEN_S = 60;
/** Of one request. */
const MOST = 1_000;

/** Sends what no run could settle back to the queue that it came from. A message is there before it is gone here: a crash in between has
 *  it twice, under the same event's id. @returns how many messages that were */
export async function retryUnsettled(
  client: Pick<SQSClient, 'send'>,
  { unsettled, sources }: UnsettledQueues,
): Promise<number> {
  let moved = 0;
  while (moved < MOST) {
    const messages = await receive(client, unsettled, HIDDEN_S);
    if (messages.length === 0) return moved;
    for (const message of messages) {
      await client.send(
        new SendMessageCommand({ ...contentOf(message), QueueUrl: sourceOf(message, sources) }),
      );
      const { ReceiptHandle } = message;
      await client.send(new DeleteMessageCommand({ QueueUrl: unsettled, ReceiptHandle }));
      moved += 1;
    }
  }
  return moved;
}

function contentOf({ Body, MessageAttributes, Attributes }: Message) {
  const { MessageGroupId } = Attributes ?? {};
  return {
    MessageBody: Body,
    ...(MessageAttributes && { MessageAttributes }),
    ...(MessageGroupId !== undefined && { MessageGroupId }),
  };
}

/** A queue's ARN and its URL end with its name. */
function sourceOf({ Attributes, MessageAttributes }: Message, sources: UnsettledQueues['sources']): string {
  const name =
    Attributes?.DeadLetterQueueSourceArn?.split(':').at(-1) ?? MessageAttributes?.[SOURCE]?.StringValue;
  return sources.find(url => name !== undefined && url.endsWith(`/${name}`)) ?? sources[0];
}
