import { assert } from '../basics/assert.ts';
import { inParallel } from '../basics/in-parallel.ts';
import type { Log } from '../basics/telemetry.ts';

/** A message to send. */
export interface NewMessage {
  readonly body: string;
  /** A queue serves its groups in turn: a large or slow group delays no other. */
  readonly group?: string | undefined;
  readonly attributes?: Readonly<Record<string, string>> | undefined;
  /** Seconds until it can be received, 0 to 900. */
  readonly delay?: number | undefined;
}

/** A message that was received. */
export interface Message {
  readonly id: string;
  readonly receipt: string;
  readonly body: string;
  readonly group?: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  /** When it was sent, in ms since 1970. */
  readonly sentAt: number;
  /** The number of receives so far. */
  readonly receives: number;
}

/** Messages that could not be sent. */
export interface Unsent {
  /** Their indexes in the given list, in order. */
  readonly indexes: readonly number[];
  /** The reason for one of them. Absent if all were sent, or time was up. */
  readonly reason?: string | undefined;
}

/** A queue that delivers each message at least once. A received message is hidden for the queue's
 *  visibility time-out, and is received again after it, unless it was deleted. */
export interface Queue {
  readonly name: string;
  /** Sends messages in order, while `hasTime` returns true. Every message that is not reported as unsent
   *  survives any crash. Never rejects. */
  send(messages: readonly NewMessage[], hasTime?: () => boolean): Promise<Unsent>;
  receive(max: number): Promise<Message[]>;
  /** Shows a received message again in `seconds` (0 to 43,200). */
  extend(message: Pick<Message, 'receipt'>, seconds: number): Promise<void>;
  delete(messages: readonly Pick<Message, 'receipt'>[]): Promise<void>;
}

/** The messages of one queue for a run of a handler. */
export interface Batch {
  readonly messages: readonly Message[];
  readonly queue: Pick<Queue, 'name' | 'extend'>;
}

/** What a run needs of Lambda's context; a run on one machine has the same. */
export interface LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis(): number;
}

/** A handler that serves queues. @returns the ids of the messages that must stay in the queue */
export type Serve = (batch: Batch, context: LambdaContext) => Promise<readonly string[]>;

/** Sends one message. @throws when it can't be sent */
export async function sendOne(queue: Pick<Queue, 'name' | 'send'>, message: NewMessage): Promise<void> {
  const { indexes, reason } = await queue.send([message]);
  if (indexes.length > 0) throw new Error(`Could not send a message to the queue ${queue.name}: ${reason}`);
}

/** The messages at the indexes of `Unsent`.
 *  @throws AssertionError unless each is one of the given, and is named once */
export function unsentOf<Given>(given: readonly Given[], indexes: readonly number[]): Given[] {
  const areGiven = new Set(indexes).size === indexes.length && indexes.every(index => index in given);
  assert(areGiven, 'queue.unsent-are-given');
  return indexes.map(index => given[index] as Given);
}

/** After this many receives, a message that can't be processed is shown again at the pace of its queue,
 *  after minutes: otherwise it would move to the failed messages within the hour of an outage. */
const MAX_SOON = 10;
const FIRST_PAUSE_S = 5;
const MAX_PAUSE_S = 30;
const CONCURRENCY = 10;

/** Seconds until a message is shown again that could not be processed because a service did not answer;
 *  undefined: its queue decides. */
export function soonAgain({ receives }: Pick<Message, 'receives'>): number | undefined {
  if (receives > MAX_SOON) return undefined;
  return Math.min(FIRST_PAUSE_S * 2 ** (receives - 1), MAX_PAUSE_S);
}

/** Leaves messages in their queue, which shows them again soon. Never rejects: if that fails, the queue
 *  decides.
 *  @param seconds `soonAgain` by default
 *  @returns their ids */
export async function showAgain(
  { messages, queue }: Batch,
  log: Pick<Log, 'warn'>,
  seconds: (message: Message) => number | undefined = soonAgain,
): Promise<readonly string[]> {
  await inParallel(messages, CONCURRENCY, async message => {
    const pause = seconds(message);
    try {
      if (pause !== undefined) await queue.extend(message, pause);
    } catch (error) {
      log.warn('Could not set when a message is received again; its queue decides.', {
        code: 'queue.delay-not-set',
        messageId: message.id,
        error: String(error),
      });
    }
  });
  return messages.map(({ id }) => id);
}
