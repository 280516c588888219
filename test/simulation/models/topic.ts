import type {
  BatchResultErrorEntry,
  MessageAttributeValue,
  PublishBatchCommandInput,
  PublishBatchCommandOutput,
  PublishBatchRequestEntry,
  PublishBatchResultEntry,
} from '@aws-sdk/client-sns';
import { refusals } from './topic-errors.ts';

/** A message that SNS took, as raw delivery brings it. */
export interface TopicMessage {
  readonly messageId: string;
  readonly body: string;
  /** The values of its attributes; that of a String.Array is JSON. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** SNS's limits of one PublishBatch. */
const MAX_ENTRIES = 10;
const MAX_BYTES = 256 * 1024;
const NONE: ReadonlySet<string> = new Set();

/** A standard topic of SNS: hands what it accepts to each subscriber at once. Subscribers add repetition
 *  and disorder themselves. */
export class TopicModel {
  readonly arn: string;
  readonly #subscribers: ((message: TopicMessage) => void)[] = [];
  #published = 0;

  constructor(options: { readonly arn: string }) {
    this.arn = options.arn;
  }

  subscribe(take: (message: TopicMessage) => void): void {
    this.#subscribers.push(take);
  }

  /**
   * Answers as SNS does. Entries whose ids are in `failing` are not accepted now, those in `refused`
   * never (SenderFault). One malformed entry makes SNS refuse them all.
   * @throws the SDK's exception of that name.
   */
  publishBatch(
    input: PublishBatchCommandInput,
    failing: ReadonlySet<string> = NONE,
    refused: ReadonlySet<string> = NONE,
  ): PublishBatchCommandOutput {
    if (input.TopicArn !== this.arn) throw refusals.noTopic('Topic does not exist');
    const entries = input.PublishBatchRequestEntries ?? [];
    check(entries);
    const Successful: PublishBatchResultEntry[] = [];
    const Failed: BatchResultErrorEntry[] = [];
    for (const { Id = '', Message = '', MessageAttributes = {} } of entries) {
      if (refused.has(Id))
        Failed.push({ Id, Code: 'InvalidParameter', Message: 'Invalid parameter', SenderFault: true });
      else if (failing.has(Id)) Failed.push({ Id, ...(this.#published % 2 === 0 ? THROTTLED : FAILED) });
      else Successful.push({ Id, MessageId: this.#deliver(Message, MessageAttributes) });
    }
    return { Successful, Failed, $metadata: {} };
  }

  #deliver(body: string, given: Record<string, MessageAttributeValue>): string {
    const messageId = `message-${++this.#published}`;
    const attributes = Object.fromEntries(
      Object.entries(given).map(([name, { StringValue = '' }]) => [name, StringValue]),
    );
    for (const take of this.#subscribers) take({ messageId, body, attributes });
    return messageId;
  }
}

const FAILED = { Code: 'InternalError', Message: 'Internal error', SenderFault: false };
/** SNS blames the sender, though the entry may succeed later. */
const THROTTLED = { Code: 'KMSThrottling', Message: 'The request was throttled', SenderFault: true };

function check(entries: readonly PublishBatchRequestEntry[]): void {
  if (entries.length === 0) throw refusals.empty("The batch request doesn't contain any entries.");
  if (entries.length > MAX_ENTRIES)
    throw refusals.tooMany('The batch request contains more entries than permissible.');
  const ids = entries.map(({ Id = '' }) => Id);
  if (new Set(ids).size < ids.length)
    throw refusals.notDistinct('Two or more batch entries in the request have the same Id.');
  for (const { Message, MessageAttributes = {} } of entries) {
    if (!Message) throw refusals.badMessage('Invalid parameter: Empty message');
    checkAttributes(MessageAttributes);
  }
  if (entries.reduce((sum, entry) => sum + bytesOf(entry), 0) > MAX_BYTES)
    throw refusals.tooLong('The length of all the messages put together is more than the limit.');
}

function checkAttributes(attributes: Record<string, MessageAttributeValue>): void {
  for (const [name, { DataType = '', StringValue }] of Object.entries(attributes)) {
    if (!/^String(\.Array)?$/.test(DataType))
      throw new Error(`The topic's model does not know attributes of type ${DataType}.`);
    if (!StringValue) throw refusals.badAttribute(`The message attribute '${name}' must have a value.`);
  }
}

/** The message, and each attribute's name, type and value. */
function bytesOf({ Message = '', MessageAttributes = {} }: PublishBatchRequestEntry): number {
  const parts = Object.entries(MessageAttributes).flatMap(([name, { DataType, StringValue }]) => [
    ...[name, DataType ?? '', StringValue ?? ''],
  ]);
  return [Message, ...parts].reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}
