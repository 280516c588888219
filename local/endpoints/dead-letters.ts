import { randomUUID } from 'node:crypto';
import type { Clock } from '../../functions/clock.ts';
import type { Queues } from '../../functions/delivery/queues.ts';
import { type DeadLetter, deadLetterQueue } from '../sns/dead-letters.ts';

/** An event that an endpoint did not get, shaped like a subscription's. */
export interface EndpointDeadLetter extends Omit<DeadLetter, 'SubscriptionArn' | 'ErrorCode'> {
  /** The endpoint's name. */
  readonly Endpoint: string;
}

/** An endpoint's dead letters, in `<directory>/dead-letters/<name>.jsonl`. */
export interface EndpointDeadLetters {
  readonly path: string;
  /** How many this run has added. */
  readonly added: number;
  /** What the deliverer calls. Resolves when the letter is on disk. */
  readonly move: Queues['moveToDeadLetters'];
}

export function endpointDeadLetters(directory: string, name: string, clock: Clock): EndpointDeadLetters {
  const queue = deadLetterQueue<EndpointDeadLetter>(directory, name);
  let added = 0;
  return {
    path: queue.path ?? '',
    get added() {
      return added;
    },
    async move(_deadLetterUrl, Body, attributes) {
      await queue.add({
        MessageId: randomUUID(),
        Body,
        MessageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([key, StringValue]) => [key, { DataType: 'String', StringValue }]),
        ),
        Endpoint: name,
        FailedAt: new Date(clock()).toISOString(),
        Attempts: Number(attributes.receives),
        ErrorMessage: attributes.reason ?? '',
      });
      added++;
    },
  };
}
