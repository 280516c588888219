import { inParallel } from '../basics/in-parallel.ts';
import type { Log } from '../basics/telemetry.ts';

/** A message to send. */
export interface NewMessage {
  readonly body: string;
  /** A queue serves its groups in turn: a group with many messages, or a slow one, delays no other. */
  readonly group?: string | undefined;
  readonly attributes?: Readonly<Record<string, string>> | undefined;
  /** Seconds until it can be received, 0 to 900. */
  readonly delay?: number | undefined;
}

/** A message that was received. */
export interface Message {
  readonly id: string;
  /** Identifies this receive. */
  readonly receipt: string;
  readonly body: string;
  readonly group?: string | undefined;
  readonly attributes: Readonly<Record<string, string>>;
  /** When it was sent, in ms since 1970. */
  readonly sentAt: number;
  /** How often it was received, by now. */
  readonly receives: number;
}

/** Messages that could not be sent. */
export interface Unsent {
  /** Their indexes among the messages that were given, in order. */
  readonly indexes: readonly number[];
  /** Why one of them could not be. Absent if all were sent, or time was up. */
  readonly reason?: string | undefined;
}

/** A queue that delivers each message at least once. A message that was received is hidden for the queue's visibility time-out, and can be
 *  received again after it, unless it was deleted. */
export interface Queue {
  readonly name: string;
  /** Sends messages in their order, as long as `hasTime`. What is not among the unsent lasts through any crash. Never rejects. */
  send(messages: readonly NewMessage[], hasTime?: () => boolean): Promise<Unsent>;
  /** Receives messages, at most 10. */
  receive(max: number): Promise<Message[]>;
  /** Shows a message that was received again in `seconds` (0 to 43,200) from now. */
  extend(message: Pick<Message, 'receipt'>, seconds: number): Promise<void>;
  delete(messages: readonly Pick<Message, 'receipt'>[]): Promise<void>;
}

/** What a run of a handler gets: messages of one queue. */
export interface Batch {
  readonly messages: readonly Message[];
  readonly queue: Pick<Queue, 'name' | 'extend'>;
}

/** A handler that serves queues. @returns the ids of the messages that must stay in the queue */
export type Serve<Context> = (batch: Batch, context: Context) => Promise<readonly string[]>;

/** Sends one message. @throws when it can't be sent */
export async function sendOne(queue: Pick<Queue, 'name' | 'send'>, message: NewMessage): Promise<void> {
  const { indexes, reason } = await queue.send([message]);
  if (indexes.length > 0) throw new Error(`The queue ${queue.name} did not take a message: ${reason}`);
}

/** After this many receives, a message that can't be settled is shown again when its queue does, after
 *  minutes: it would otherwise be set aside within the hour of an outage. */
const MAX_SOON = 10;
const FIRST_PAUSE_S = 5;
const MAX_PAUSE_S = 30;
/** Requests at once. */
const CONCURRENCY = 10;

/** Seconds until a message is shown again that could not be settled because a service did not answer; undefined:
 *  its queue decides. */
export function soonAgain({ receives }: Pick<Message, 'receives'>): number | undefined {
  if (receives > MAX_SOON) return undefined;
  return Math.min(FIRST_PAUSE_S * 2 ** (receives - 1), MAX_PAUSE_S);
}

/** Leaves messages in their queue, which shows them again soon. Never rejects: where that fails, the queue
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
      log.warn('When a message is tried again could not be set; the queue decides.', {
        messageId: message.id,
        error: String(error),
      });
    }
  });
  return messages.map(({ id }) => id);
}
