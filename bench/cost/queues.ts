import { createHash } from 'node:crypto';
import type { Recorder } from './recorder.ts';

/** A message that a function sent to a queue, or published (then `queue` is `topic`). */
export interface Sent {
  readonly queue: string;
  readonly body: string;
  readonly group?: string | undefined;
  /** The message's attributes, as SQS has them after a raw delivery. */
  readonly attributes: Readonly<Record<string, { DataType: string; StringValue?: string }>>;
}

interface Parts {
  readonly recorder: Recorder;
  readonly sent: Sent[];
}

const CHUNK = 65_536;
const chunks = (bytes: number) => Math.max(1, Math.ceil(bytes / CHUNK));
const md5 = (body: string) => createHash('md5').update(body).digest('hex');

interface Entry {
  readonly Id?: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly MessageAttributes?: Sent['attributes'];
}

/** SQS's answer to a request of a function.
 *  @throws when the request is not counted */
export function queued(
  command: string,
  asked: { QueueUrl: string; Entries?: Entry[] } & Entry,
  { recorder, sent }: Parts,
): unknown {
  if (command === 'GetQueueAttributes' || command === 'ChangeMessageVisibility') {
    recorder.add({ sqs: 1 });
    return { Attributes: { ApproximateNumberOfMessages: '0', ApproximateNumberOfMessagesNotVisible: '0' } };
  }
  if (command !== 'SendMessage' && command !== 'SendMessageBatch')
    throw new Error(`${command} is not counted.`);
  const queue = asked.QueueUrl.split('/').at(-1) ?? '';
  const entries = asked.Entries ?? [asked];
  const billed = chunks(entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0));
  const grouped = entries.some(({ MessageGroupId }) => MessageGroupId !== undefined);
  recorder.add({ sqs: billed, sqsGrouped: grouped ? billed : 0 });
  for (const { MessageBody, MessageGroupId, MessageAttributes = {} } of entries)
    sent.push({ queue, body: MessageBody, group: MessageGroupId, attributes: MessageAttributes });
  const Successful = entries.map(({ Id, MessageBody }) => ({
    Id,
    MessageId: 'counted',
    MD5OfMessageBody: md5(MessageBody),
  }));
  return asked.Entries ? { Successful, Failed: [] } : Successful[0];
}

/** SNS's answer, in XML. */
export function published(action: string, form: URLSearchParams, { recorder, sent }: Parts): string {
  if (action === 'ListSubscriptionsByTopic')
    return `<${action}Response><${action}Result><Subscriptions/></${action}Result></${action}Response>`;
  const members: string[] = [];
  for (let index = 1; ; index++) {
    const entry = `PublishBatchRequestEntries.member.${index}`;
    const id = form.get(`${entry}.Id`);
    if (id === null) break;
    const body = form.get(`${entry}.Message`) ?? '';
    recorder.add({ published: chunks(Buffer.byteLength(body)) });
    sent.push({ queue: 'topic', body, attributes: attributesIn(form, `${entry}.MessageAttributes.entry`) });
    members.push(`<member><Id>${id}</Id><MessageId>counted-${id}</MessageId></member>`);
  }
  return `<PublishBatchResponse><PublishBatchResult><Successful>${members.join('')}</Successful><Failed/></PublishBatchResult></PublishBatchResponse>`;
}

function attributesIn(form: URLSearchParams, entry: string): Sent['attributes'] {
  const attributes: Record<string, { DataType: string; StringValue?: string }> = {};
  for (let at = 1; form.has(`${entry}.${at}.Name`); at++) {
    const value = `${entry}.${at}.Value`;
    attributes[form.get(`${entry}.${at}.Name`) ?? ''] = {
      DataType: form.get(`${value}.DataType`) ?? 'String',
      StringValue: form.get(`${value}.StringValue`) ?? '',
    };
  }
  return attributes;
}
