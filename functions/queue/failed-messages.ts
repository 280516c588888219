import { type Message, type Queue, sendOne } from './queue.ts';

/** Keeps a message of the queue `from` that no run could ever process, with the reason, for an operator. Its run is done with it then. */
export type MoveToFailed = (message: Message, from: string, reason: string) => Promise<void>;

/** The attributes that a message gets when it is set aside. */
export const REASON = 'reason';
export const SOURCE = 'source';

/** Sets messages aside in this queue, which is also the dead-letter queue of those that they come from. The message is
 *  there before its run reports it as processed: a crash in between has it twice. */
export function failedMessagesIn(queue: Pick<Queue, 'name' | 'send'>): MoveToFailed {
  return ({ body, group, attributes }, from, reason) =>
    sendOne(queue, { body, group, attributes: { ...attributes, [REASON]: reason, [SOURCE]: from } });
}
