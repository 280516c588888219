import {
  InvalidMessageContents,
  MessageNotInflight,
  ReceiptHandleIsInvalid,
  SQSServiceException,
} from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import type { Clock, Random } from '../../../functions/basics/clock.ts';

export interface QueueOptions {
  /** Prefix of the ids of messages. */
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly clock: Clock;
  /** Decides which visible message comes next, and other things that SQS leaves open. */
  readonly random: Random;
  /** Seconds. */
  readonly visibilityTimeout: number;
  /** Seconds for which a message is kept, wherever it stands; by default for ever. */
  readonly retention?: number;
  readonly deadLetters?: { readonly queue: QueueModel; readonly maxReceiveCount: number };
}

/** A queue as the simulation needs it: the model of SQS, or a queue in SQLite. */
export interface SimulatedQueue {
  readonly url: string;
  /** How many messages it holds, visible or not. */
  readonly size: number;
  send(
    body: string,
    attributes?: Readonly<Record<string, string>>,
    how?: { readonly group?: string | undefined; readonly delay?: number | undefined },
  ): unknown;
  receive(max: number): SQSRecord[] | Promise<SQSRecord[]>;
  delete(receiptHandle: string): void;
  changeVisibility(receiptHandle: string, seconds: number): void;
  /** Ms since 1970 from which a message is visible, which may be past; undefined when there is none. */
  nextVisibleAt(): number | undefined;
}

/** SQS's limits. */
const MAX_RECEIVE = 10;
/** A group is noisy with so many messages in flight that are more than this share of all of them. */
const NOISY_MESSAGES = 30;
const NOISY_SHARE = 0.1;
const MAX_VISIBILITY_SECONDS = 43_200;
const MAX_DELAY_SECONDS = 900;
const MAX_BYTES = 1024 * 1024;
const REFUSED_CHARACTERS = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

interface Stored {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly group: string | undefined;
  readonly sentAt: number;
  /** For a dead letter: the queue that gave it up. */
  readonly source: string | undefined;
  visibleAt: number;
  receives: number;
  firstReceivedAt: number | undefined;
  receivedAt: number;
  receiptHandle: string;
}

/**
 * A standard queue of SQS in memory: at least once, in no order. It keeps messages for a configured time,
 * and any number of them may be in flight. Errors are those that the SDK throws.
 *
 * Of SQS's fair queues it models that messages of quiet groups are received before those of noisy ones. A
 * group is noisy with at least 30 messages in flight, if these are more than 10 % of all in flight. In
 * the model this holds at once and always; SQS promises no moment from which on, and sometimes lets
 * messages of a noisy group through. Not modelled: that a group is also noisy when it takes more than 10
 * % of the consumers' time, and that a group stays noisy for a while. Messages without a group are quiet.
 */
export class QueueModel implements SimulatedQueue {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  readonly #options: QueueOptions;
  readonly #messages = new Map<string, Stored>();
  /** The message's id for every handle ever given out. */
  readonly #handles = new Map<string, string>();
  #sent = 0;

  constructor(options: QueueOptions) {
    this.name = options.name;
    this.arn = options.arn;
    this.url = options.url;
    this.#options = options;
  }

  /** `group`: its message group; `delay`: seconds until it is visible.
   *  @returns the message's id.
   *  @throws InvalidMessageContents, or an SQSServiceException named MissingParameter or InvalidParameterValue. */
  send(
    body: string,
    attributes: Readonly<Record<string, string>> = {},
    { group, delay = 0 }: { readonly group?: string | undefined; readonly delay?: number | undefined } = {},
  ): string {
    check(body, attributes);
    if (!(delay >= 0 && delay <= MAX_DELAY_SECONDS))
      throw invalidValue('DelaySeconds', delay, 'Must be between 0 and 900.');
    const messageId = `${this.name}-${++this.#sent}`;
    const now = this.#options.clock();
    this.#messages.set(messageId, {
      messageId,
      body,
      attributes: { ...attributes },
      group,
      sentAt: now,
      source: undefined,
      visibleAt: now + delay * 1000,
      receives: 0,
      firstReceivedAt: undefined,
      receivedAt: 0,
      receiptHandle: '',
    });
    return messageId;
  }

  /** Up to `max` (1 to 10) visible messages, each of which is then invisible for the visibility time-out.
   *  One that was received as often as allowed becomes a dead letter instead.
   *  @throws an SQSServiceException named InvalidParameterValue. */
  receive(max: number): SQSRecord[] {
    if (!(max >= 1 && max <= MAX_RECEIVE))
      throw invalidValue('MaxNumberOfMessages', max, 'Must be between 1 and 10.');
    const { clock, random, deadLetters } = this.#options;
    const now = clock();
    this.#forget(now);
    const noisy = this.#noisyGroups(now);
    const visible = [...this.#messages.values()].filter(({ visibleAt }) => visibleAt <= now);
    const quiet = visible.filter(({ group }) => !noisy.has(group));
    const late = visible.filter(({ group }) => noisy.has(group));
    const received: SQSRecord[] = [];
    while (received.length < max && quiet.length + late.length > 0) {
      const next = quiet.length > 0 ? quiet : late;
      const [message] = next.splice(Math.floor(random() * next.length), 1) as [Stored];
      if (deadLetters && message.receives >= deadLetters.maxReceiveCount) {
        this.#messages.delete(message.messageId);
        deadLetters.queue.#deadLetter(message, this.arn);
      } else received.push(this.#take(message, now));
    }
    return received;
  }

  /** Deletes a message. With a handle from before its last receive it may stay, as SQS says. A message
   *  that is gone is no error.
   *  @throws ReceiptHandleIsInvalid for a handle that was never given out. */
  delete(receiptHandle: string): void {
    const message = this.#messageOf(receiptHandle);
    if (!message) return;
    if (message.receiptHandle !== receiptHandle && this.#options.random() < 0.5) return;
    this.#messages.delete(message.messageId);
  }

  /** Shows a message again in `seconds` (0 to 43,200, and no more than that since its receive). A handle that is older than
   *  the last receive works too.
   *  @throws MessageNotInflight for a message that is visible, ReceiptHandleIsInvalid for a handle that was never given out,
   *  an SQSServiceException named InvalidParameterValue for a message that is gone or a time that is too long. */
  changeVisibility(receiptHandle: string, seconds: number): void {
    if (!(seconds >= 0 && seconds <= MAX_VISIBILITY_SECONDS))
      throw invalidValue('VisibilityTimeout', seconds, 'Must be between 0 and 43200.');
    const message = this.#messageOf(receiptHandle);
    if (!message) {
      const reason = 'Message does not exist or is not available for visibility timeout change.';
      throw invalidValue('ReceiptHandle', receiptHandle, reason);
    }
    const now = this.#options.clock();
    if (message.visibleAt <= now)
      throw new MessageNotInflight({ message: `The message of ${receiptHandle} is visible.`, $metadata });
    const visibleAt = now + seconds * 1000;
    if (visibleAt - message.receivedAt > MAX_VISIBILITY_SECONDS * 1000) {
      const reason = 'Total VisibilityTimeout for the message is beyond the limit [43200 seconds].';
      throw invalidValue('VisibilityTimeout', seconds, reason);
    }
    message.visibleAt = visibleAt;
  }

  /** How many messages it holds, visible or not. */
  get size(): number {
    return this.#messages.size;
  }

  /** Every message, the oldest first; times in ms since 1970. */
  messages(): readonly { readonly messageId: string; readonly visibleAt: number }[] {
    return [...this.#messages.values()];
  }

  /** Ms since 1970 from which a message is visible, which may be past; undefined when there is none. */
  nextVisibleAt(): number | undefined {
    const times = [...this.#messages.values()].map(({ visibleAt }) => visibleAt);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** Deletes messages that are too old, even in flight. SQS does that at some time; here it is done
   *  before each access. */
  #forget(now: number): void {
    const { retention } = this.#options;
    if (retention === undefined) return;
    for (const { messageId, sentAt } of this.#messages.values())
      if (now - sentAt > retention * 1000) this.#messages.delete(messageId);
  }

  /** The noisy groups. A message is in flight when it was received and is not visible, even if its
   *  time-out was changed. */
  #noisyGroups(now: number): ReadonlySet<string | undefined> {
    const inFlight = [...this.#messages.values()].filter(
      ({ visibleAt, receives }) => visibleAt > now && receives > 0,
    );
    const noisy = new Set<string | undefined>();
    if (inFlight.length < NOISY_MESSAGES) return noisy;
    for (const [group, { length }] of Map.groupBy(inFlight, ({ group }) => group))
      if (group !== undefined && length >= NOISY_MESSAGES && length > inFlight.length * NOISY_SHARE)
        noisy.add(group);
    return noisy;
  }

  #take(message: Stored, now: number): SQSRecord {
    message.receives += 1;
    message.receivedAt = now;
    message.firstReceivedAt ??= now;
    message.visibleAt = now + this.#options.visibilityTimeout * 1000;
    message.receiptHandle = `${this.name}/${message.messageId}/${message.receives}`;
    this.#handles.set(message.receiptHandle, message.messageId);
    return recordOf(message, this.arn);
  }

  #messageOf(receiptHandle: string): Stored | undefined {
    const messageId = this.#handles.get(receiptHandle);
    if (messageId === undefined)
      throw new ReceiptHandleIsInvalid({
        message: `The receipt handle ${receiptHandle} is not valid.`,
        $metadata,
      });
    return this.#messages.get(messageId);
  }

  /** Keeps a message that another queue gave up, with its id, age and receives. */
  #deadLetter(message: Stored, source: string): void {
    const visibleAt = this.#options.clock();
    this.#messages.set(message.messageId, { ...message, source, visibleAt, firstReceivedAt: undefined });
  }
}

function check(body: string, attributes: Readonly<Record<string, string>>): void {
  if (body === '') throw refusal('MissingParameter', 'The request must contain the parameter MessageBody.');
  const entries = Object.entries(attributes);
  for (const [name, value] of entries)
    if (value === '') throw invalidValue('MessageAttributes', name, 'It must have a non-empty value.');
  if ([body, ...Object.values(attributes)].some(text => REFUSED_CHARACTERS.test(text)))
    throw new InvalidMessageContents({ message: 'The text has characters that SQS refuses.', $metadata });
  const parts = [body, ...entries.flatMap(([name, value]) => [name, 'String', value])];
  if (parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0) > MAX_BYTES)
    throw invalidValue('MessageBody', 'given', `Message must be shorter than ${MAX_BYTES} bytes.`);
}

/** What the SDK throws for SQS's answers of status 400. */
const $metadata = { httpStatusCode: 400 };

/** A parameter out of its range, for which the SDK has no class. */
function invalidValue(parameter: string, value: unknown, reason: string): SQSServiceException {
  const message = `Value ${value} for parameter ${parameter} is invalid. Reason: ${reason}`;
  return refusal('InvalidParameterValue', message);
}

function refusal(name: string, message: string): SQSServiceException {
  return new SQSServiceException({ name, message, $fault: 'client', $metadata });
}

/** As Lambda's event source for SQS hands it to a function. */
function recordOf(message: Stored, arn: string): SQSRecord {
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    md5OfBody: '',
    attributes: {
      ApproximateReceiveCount: String(message.receives),
      SentTimestamp: String(message.sentAt),
      SenderId: 'AIDAEXAMPLE',
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
      ...(message.group !== undefined && { MessageGroupId: message.group }),
      ...(message.source && { DeadLetterQueueSourceArn: message.source }),
    },
    messageAttributes: Object.fromEntries(
      Object.entries(message.attributes).map(([name, stringValue]) => [
        name,
        { dataType: 'String', stringValue },
      ]),
    ),
    eventSource: 'aws:sqs',
    eventSourceARN: arn,
    awsRegion: arn.split(':')[3] ?? '',
  };
}
