import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import type { StackHouse } from './stack-house.ts';

/** How many messages a queue of given-up messages holds, and the first of them. They stay in it. */
export async function lookAtSetAside(
  { queue }: RequestOf<'set-aside'>,
  { setAside }: Pick<StackHouse, 'setAside'>,
): Promise<AnswerOf<'set-aside'>> {
  const messages = await setAside[queue].count();
  const first = await setAside[queue].peek();
  // SQS's count is delayed.
  return { queue, messages: Math.max(messages, first.length), first };
}

/** Deletes the messages of such a queue. */
export async function clearSetAside(
  { queue, dryRun = false }: RequestOf<'clear-set-aside'>,
  { setAside }: Pick<StackHouse, 'setAside'>,
): Promise<AnswerOf<'clear-set-aside'>> {
  const messages = await setAside[queue].count();
  if (!dryRun) await setAside[queue].clear();
  return { queue, messages, dryRun };
}

/** Sends messages that no run could settle back to their queues. */
export async function retrySetAside(
  { dryRun = false }: RequestOf<'retry-set-aside'>,
  { setAside, retryUnsettled }: Pick<StackHouse, 'setAside' | 'retryUnsettled'>,
): Promise<AnswerOf<'retry-set-aside'>> {
  if (dryRun) {
    const messages = await setAside.unsettled.count();
    return { messages, left: messages, dryRun };
  }
  const messages = await retryUnsettled();
  return { messages, left: await setAside.unsettled.count(), dryRun };
}
