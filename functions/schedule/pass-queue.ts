import { SendMessageBatchCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { inParallel } from '../basics/in-parallel.ts';
import type { PassMessage } from './pass-message.ts';

/** A message, and the whole seconds (0 to 900) after which it is shown. */
export interface DelayedPass {
  readonly message: PassMessage;
  readonly delaySeconds: number;
}

/** Where passes wait for a run of `poll.ts`. */
export interface PassQueue {
  /** Puts them all into the queue. One that can't be sent does not keep the others out.
   *  @returns those that are not in it */
  send(messages: readonly DelayedPass[]): Promise<PassMessage[]>;
}

/** SQS's bound of one request. */
const AT_ONCE = 10;
/** Requests at once: 4,000 processes take 400 of them. */
const WIDTH = 20;

/** The queue `passes`. It is fair: the message group is the workspace, so that one whose service is slow
 *  delays no other. `onUnsent` is called once for each `send` that left messages out, with their number and
 *  the reason of the first. */
export function sqsPassQueue(
  client: Pick<SQSClient, 'send'>,
  QueueUrl: string,
  onUnsent: (unsent: number, reason: unknown) => void,
): PassQueue {
  return {
    async send(messages) {
      const unsent: PassMessage[] = [];
      let reason: unknown;
      const batches = Array.from({ length: Math.ceil(messages.length / AT_ONCE) }, (_, index) =>
        messages.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
      );
      await inParallel(batches, WIDTH, async batch => {
        try {
          const { Failed = [] } = await client.send(
            new SendMessageBatchCommand({ QueueUrl, Entries: batch.map(entryOf) }),
          );
          for (const { Id, Message, Code } of Failed) {
            reason ??= Message ?? Code;
            unsent.push((batch[Number(Id)] as DelayedPass).message);
          }
        } catch (error) {
          reason ??= error;
          unsent.push(...batch.map(({ message }) => message));
        }
      });
      if (unsent.length > 0) onUnsent(unsent.length, reason);
      return unsent;
    },
  };
}

function entryOf({ message, delaySeconds }: DelayedPass, index: number) {
  return {
    Id: String(index),
    MessageBody: JSON.stringify(message),
    MessageGroupId: message.workspace,
    DelaySeconds: delaySeconds,
  };
}
