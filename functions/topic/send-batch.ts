import {
  type BatchResultErrorEntry,
  PublishBatchCommand,
  type SNSClient,
  SNSServiceException,
} from '@aws-sdk/client-sns';
import type { Random, Sleep } from '../basics/clock.ts';
import { bytesOf, type Message } from './entry.ts';

/** SNS's limits of one PublishBatch. */
const MAX_ENTRIES = 10;
const MAX_BYTES = 256 * 1024;

/** Batches of at most 10 messages and 256 KB, in order. */
export function batchesOf<Item extends { readonly message: Message }>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item.message);
    const batch = batches.at(-1);
    if (!batch || batch.length === MAX_ENTRIES || bytes + size > MAX_BYTES) {
      batches.push([item]);
      bytes = size;
    } else {
      batch.push(item);
      bytes += size;
    }
  }
  return batches;
}

/** How often a batch is tried, counting the first. SNS may answer 200 and yet fail single entries. */
const TRIES = 5;
const FIRST_WAIT_MS = 100;

export interface Topic {
  readonly sns: Pick<SNSClient, 'send'>;
  readonly topicArn: string;
  readonly sleep: Sleep;
  readonly random: Random;
  /** Whether the run's time is up: then nothing is sent any more. */
  readonly isLate: () => boolean;
  /** Keeps a message that SNS will never accept, because the message itself is at fault. */
  readonly refuse: (index: number, reason: string) => Promise<void>;
}

/** The messages that were not published, by their index in the batch. */
interface Unsent {
  /** Those that SNS failed; they may succeed later. */
  readonly failed: readonly number[];
  /** The first that was not tried, for lack of time or because one before it failed. None after it was
   *  tried. */
  readonly untried?: number;
}

/** Publishes up to 10 messages; entries that fail are sent again with exponential backoff and full jitter. A batch that SNS
 *  refuses as a whole for what is in it is sent message by message, so that only those at fault are refused.
 *  @throws what the SDK throws when whole requests fail for another reason, after its own retries. */
export async function sendBatch(topic: Topic, messages: readonly Message[]): Promise<Unsent> {
  try {
    return await sendTogether(topic, messages);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    if (messages.length > 1) return sendSingly(topic, messages);
    await topic.refuse(0, String(error));
    return { failed: [] };
  }
}

/** Sends them one by one, up to the first that fails or that there is no time for: the stream repeats the
 *  rest. */
async function sendSingly(topic: Topic, messages: readonly Message[]): Promise<Unsent> {
  for (const [index, message] of messages.entries()) {
    if (index > 0 && topic.isLate()) return { failed: [], untried: index };
    const refuse = (_alone: number, reason: string) => topic.refuse(index, reason);
    const { failed } = await sendBatch({ ...topic, refuse }, [message]);
    if (failed.length > 0) return { failed: [index], untried: index + 1 };
  }
  return { failed: [] };
}

async function sendTogether(topic: Topic, messages: readonly Message[]): Promise<Unsent> {
  let rest = messages.map((message, index) => ({ message, index }));
  for (let attempt = 0; attempt < TRIES && rest.length > 0; attempt++) {
    if (attempt > 0 && topic.isLate()) break;
    if (attempt > 0) await topic.sleep(topic.random() * FIRST_WAIT_MS * 2 ** attempt);
    const entries = rest.map(({ message, index }) => ({ Id: String(index), ...message }));
    // Stryker disable next-line ArrayDeclaration: a failure that names no message is none
    const { Failed = [] } = await topic.sns.send(
      new PublishBatchCommand({ TopicArn: topic.topicArn, PublishBatchRequestEntries: entries }),
    );
    const refused = Failed.filter(isRefused);
    await Promise.all(
      refused.map(({ Id, Code, Message }) =>
        topic.refuse(Number(Id), [Code, Message].filter(Boolean).join(': ')),
      ),
    );
    const again = new Set(Failed.filter(each => !refused.includes(each)).map(({ Id }) => Number(Id)));
    rest = rest.filter(({ index }) => again.has(index));
  }
  return { failed: rest.map(({ index }) => index) };
}

/** The names of errors about a request's contents: as the SDK gives them, with `Exception`, and as SNS
 *  does. */
const ABOUT_CONTENTS =
  /^(InvalidParameter(Value)?|ParameterValueInvalid|Validation(Error)?|BatchRequestTooLong)(Exception)?$/;

/** True when SNS refuses a request for its contents, as it would each time; one malformed message makes it
 *  refuse the whole batch. A refused topic ARN doesn't count: it concerns all messages alike. */
export function isRefusal(error: unknown): error is SNSServiceException {
  return (
    error instanceof SNSServiceException &&
    error.$fault === 'client' &&
    ABOUT_CONTENTS.test(error.name) &&
    !error.message.includes('TopicArn')
  );
}

/** The same of one entry of a batch. SNS may blame the sender for throttling, too, or for a KMS key that can't be used: an entry that
 *  fails for that may succeed later. */
function isRefused({ SenderFault, Code = '' }: BatchResultErrorEntry): boolean {
  return SenderFault === true && ABOUT_CONTENTS.test(Code);
}
