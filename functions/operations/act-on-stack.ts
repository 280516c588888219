import { type Done, didToStack, only } from './done.ts';
import { logsOf } from './logs.ts';
import type { OperationsHouse } from './operations-house.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';
import { republish as republishSlice } from './republish.ts';
import { clearSetAside, lookAtSetAside, retrySetAside } from './set-aside.ts';
import type { StackHouse } from './stack-house.ts';

export async function logs(asked: RequestOf<'logs'>, house: OperationsHouse): Promise<AnswerOf<'logs'>> {
  return logsOf(asked, {
    clock: house.clock,
    ...stackOf(house, 'what a run logs it prints, and service managers keep that'),
  });
}

export async function setAside(
  asked: RequestOf<'set-aside'>,
  house: OperationsHouse,
): Promise<AnswerOf<'set-aside'>> {
  return lookAtSetAside(asked, stackOf(house, QUEUES));
}

export async function clear(
  asked: RequestOf<'clear-set-aside'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'clear-set-aside'>>> {
  const answer = await clearSetAside(asked, stackOf(house, QUEUES));
  return answer.dryRun
    ? only(answer)
    : didToStack(answer, `${asked.queue}: about ${answer.messages} messages`);
}

export async function retry(
  asked: RequestOf<'retry-set-aside'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'retry-set-aside'>>> {
  const answer = await retrySetAside(asked, stackOf(house, QUEUES));
  return answer.dryRun ? only(answer) : didToStack(answer, `${answer.messages} messages`);
}

export async function republish(
  asked: RequestOf<'republish'>,
  house: OperationsHouse,
): Promise<Done<AnswerOf<'republish'>>> {
  const stack = stackOf(house, 'one endpoint gets a time once more by a replay');
  const { answer, process } = await republishSlice(asked, { processes: house.processes, ...stack });
  if (asked.dryRun || !process || answer.records === 0) return only(answer);
  const details = `${answer.events} events, since ${asked.since}, until ${answer.readTo ?? asked.until}`;
  return { answer, action: { subject: { process }, details } };
}

const QUEUES = 'a run has no queues that set something aside; dead letters belong to their endpoints';

/** @throws Refused where there is no stack; `instead` says what there is */
function stackOf({ stack }: OperationsHouse, instead: string): StackHouse {
  if (stack) return stack;
  throw new Refused(`Only a stack on AWS has that: ${instead}.`);
}
