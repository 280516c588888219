import { type Message, type Queue, sendOne } from './queue.ts';

/** Moves a message of the queue `from` that no run can process to the failed messages, with the reason.
 *  The run is then done with it. */
export type MoveToFailed = (message: Message, from: string, reason: string) => Promise<void>;

/** The attributes that a failed message gets. */
export const REASON = 'reason';
export const SOURCE = 'source';
/** The attribute of a failed message that an operator sent again: when it was first sent. */
export const SENT_AT = 'sentAt';

/** When a message was first sent, in ms since 1970. */
export function firstSentAt({ attributes, sentAt }: Pick<Message, 'attributes' | 'sentAt'>): number {
  return Number(attributes[SENT_AT] ?? sentAt);
}

/** Moves messages to this queue, which is also the dead-letter queue of their own queues. The message is
 *  there before its run reports it as processed: a crash in between duplicates it. */
export function failedMessagesIn(queue: Pick<Queue, 'name' | 'send'>): MoveToFailed {
  return ({ body, group, attributes }, from, reason) =>
    sendOne(queue, { body, group, attributes: { ...attributes, [REASON]: reason, [SOURCE]: from } });
}
