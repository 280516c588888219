import type { OperationsContext } from '../../../functions/operations/context.ts';
import { Refused } from '../../../functions/operations/refused.ts';
import { failingWith } from '../life.ts';
import type { Reaching } from './meeting.ts';

const neverFails = failingWith(() => new Error('no call fails here'));

/** A call of a party that is none of the storage. */
export function callOf<Result>({ life }: Reaching, name: string, work: () => Result): Promise<Result> {
  return life.call('table.read', work, neverFails, name);
}

/** The ports of operations, as an operator's process has them. @param texts the secrets of all endpoints */
export function operationsOf(
  reaching: Reaching,
  { id, texts, more = {} }: { id: string; texts: Map<string, string>; more?: object },
): OperationsContext {
  const { ports, clock } = reaching;
  let ids = 0;
  return {
    ...{ configured: [], endpoints: ports.rows, toApply: 'deploy', clock },
    // What an answer shows, chats and dead letters concern no other party.
    deliveries: {
      ...ports.deliveries,
      counts: async () => ({ pending: 0, oldest: undefined, dead: 0 }),
      attempts: async () => [],
      dropThreads: async () => {},
      requeue: async () => 0,
    },
    secrets: {
      nameOf: (name: string) => name,
      putting: () => '',
      read: (name: string) => callOf(reaching, 'read secret', () => texts.get(name) ?? ''),
      write: (name: string, text: string) =>
        callOf(reaching, 'write secret', () => void texts.set(name, text)),
      remove: (name: string) => callOf(reaching, 'remove secret', () => void texts.delete(name)),
    },
    actions: { list: async () => ({ actions: [], position: undefined }) },
    newId: () => `${id}-${++ids}`,
    randomBytes: (size: number) => Buffer.alloc(size, id),
    ...more,
  } as unknown as OperationsContext;
}

/** @returns the answer of an operation; undefined when it was refused */
export async function answerOf<Answer>(
  work: Promise<{ readonly answer: Answer }>,
): Promise<Answer | undefined> {
  try {
    return (await work).answer;
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}
