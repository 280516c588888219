import {
  type BatchResultErrorEntry,
  PublishBatchCommand,
  type SNSClient,
  SNSServiceException,
} from '@aws-sdk/client-sns';
import { assert } from '../basics/assert.ts';
import type { Random, Sleep } from '../basics/clock.ts';
import { serialise } from '../changes/fit-event.ts';
import type { ChangeEvent } from '../model/event.ts';

/** An event as it is published to SNS: the message, and the attributes for filter policies (design.md §8). */
export interface Message {
  readonly Message: string;
  readonly MessageAttributes: Record<string, Attribute>;
}

interface Attribute {
  readonly DataType: string;
  readonly StringValue: string;
}

/** The limit for the names of changed fields: with an event of 240 KB, the message stays below SNS's 256
 *  KB. */
const FIELD_NAMES_BYTES = 12_000;

export function messageOf(event: ChangeEvent): Message {
  const { data, source } = event;
  // Workspace names consist of letters, digits, `_` and `-`, so nothing in them is encoded.
  const workspace = source.split('/')[2] as string;
  // Properties of field definitions are left out: filters for changed fields refer to values in records.
  const fields =
    'changes' in data && !('field' in data) ? fittingNames(data.changes.map(change => change.field)) : [];
  return {
    Message: serialise(event),
    MessageAttributes: {
      eventType: text(event.type),
      workspace: text(workspace),
      processId: text(data.process.id),
      ...('project' in data && { projectId: text(data.project.id) }),
      ...(fields.length > 0 && {
        changedFields: { DataType: 'String.Array', StringValue: serialise(fields) },
      }),
    },
  };
}

/** The bytes that SNS counts towards its 256 KB: the message, and each attribute's name, type and value. */
export function bytesOf({ Message, MessageAttributes }: Message): number {
  const attributes = Object.entries(MessageAttributes).flatMap(([name, { DataType, StringValue }]) => [
    name,
    DataType,
    StringValue,
  ]);
  return [Message, ...attributes].reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

function fittingNames(names: readonly string[]): string[] {
  let room = FIELD_NAMES_BYTES;
  return names.filter(name => {
    room -= Buffer.byteLength(JSON.stringify(name)) + 1;
    return room >= 0;
  });
}

function text(value: string): Attribute {
  const safe = value.toWellFormed().replace(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, '\uFFFD');
  return { DataType: 'String', StringValue: safe };
}

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

/** Tries of a batch, counting the first. SNS may answer 200 and still fail single entries. */
const MAX_TRIES = 5;
const FIRST_WAIT_MS = 100;

export interface Topic {
  readonly sns: Pick<SNSClient, 'send'>;
  readonly topicArn: string;
  readonly sleep: Sleep;
  readonly random: Random;
  /** Whether the run's time is up: then nothing more is sent. */
  readonly isLate: () => boolean;
  /** Stores a message that SNS will never accept because of its contents. */
  readonly refuse: (index: number, reason: string) => Promise<void>;
}

/** The unpublished messages, by their index in the batch. */
interface Unsent {
  /** Entries that SNS failed; they may succeed later. */
  readonly failed: readonly number[];
  /** The first that was not tried, because time was up or an earlier one failed. No later one was tried. */
  readonly untried?: number;
}

/** Publishes up to 10 messages; failed entries are sent again with exponential backoff and full jitter. If
 *  SNS refuses a batch as a whole for its contents, it is sent message by message, so that only the invalid
 *  ones are refused.
 *  @throws the SDK's error when whole requests fail for another reason, after its own retries */
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

/** Sends them one by one, up to the first that fails or until time is up: the stream repeats the rest. */
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
  for (let attempt = 0; attempt < MAX_TRIES && rest.length > 0; attempt++) {
    if (attempt > 0 && topic.isLate()) break;
    if (attempt > 0) await topic.sleep(topic.random() * FIRST_WAIT_MS * 2 ** attempt);
    const entries = rest.map(({ message, index }) => ({ Id: String(index), ...message }));
    // Stryker disable next-line ArrayDeclaration: a failure without an id is ignored
    const { Failed = [], Successful } = await topic.sns.send(
      new PublishBatchCommand({ TopicArn: topic.topicArn, PublishBatchRequestEntries: entries }),
    );
    checkAnswer(entries, Failed, Successful);
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

/** Checks an answer of SNS. An event that it does not account for would be lost.
 *  @throws AssertionError: then the stream sends the batch again */
function checkAnswer(
  entries: readonly { readonly Id: string }[],
  failed: readonly BatchResultErrorEntry[],
  successful: readonly unknown[] | undefined,
): void {
  const given = new Set<string | undefined>(entries.map(({ Id }) => Id));
  const areGiven = failed.every(({ Id }) => given.delete(Id));
  assert(areGiven && (successful?.length ?? given.size) === given.size, 'topic.answer-is-complete');
}

/** The names of errors about a request's contents: in the SDK's form, with `Exception`, and in that of
 *  SNS. */
const ABOUT_CONTENTS =
  /^(InvalidParameter(Value)?|ParameterValueInvalid|Validation(Error)?|BatchRequestTooLong)(Exception)?$/;

/** True when SNS refuses a request for its contents, and would do so each time; one malformed message
 *  makes it refuse the whole batch. A refused topic ARN doesn't count: it concerns all messages. */
export function isRefusal(error: unknown): error is SNSServiceException {
  return (
    error instanceof SNSServiceException &&
    error.$fault === 'client' &&
    ABOUT_CONTENTS.test(error.name) &&
    !error.message.includes('TopicArn')
  );
}

/** The same for one entry of a batch. SNS may blame the sender for throttling, too, or for an unusable KMS
 *  key: such an entry may succeed later. */
function isRefused({ SenderFault, Code = '' }: BatchResultErrorEntry): boolean {
  return SenderFault === true && ABOUT_CONTENTS.test(Code);
}
