import { createHash, type KeyLike, type KeyObject, sign } from 'node:crypto';
import { promisify } from 'node:util';
import type { Attributes, NewDelivery } from '../../functions/model/delivery.ts';

/** In the thread pool: signing is the slowest step for a message. */
const signInPool = promisify(sign);

/** The three kinds of message that SNS posts. */
export type MessageType = 'Notification' | 'SubscriptionConfirmation' | 'UnsubscribeConfirmation';

/** The fields that SNS signs, in the order of the SNS developer guide; missing ones are left out. */
const SIGNED_FIELDS = 'Message MessageId Subject SubscribeURL Timestamp Token TopicArn Type'.split(' ');

/** Each field's name and value on lines of their own. */
function stringToSign(message: Readonly<Record<string, unknown>>): string {
  const present = SIGNED_FIELDS.filter(field => typeof message[field] === 'string');
  return present.map(field => `${field}\n${message[field]}\n`).join('');
}

/** The message with `SignatureVersion` 2: base64 of SHA256withRSA. A parsed key signs several times faster than PEM. */
export async function signed<Message extends { readonly Type: MessageType }>(
  message: Message,
  privateKey: KeyLike,
) {
  const text = Buffer.from(stringToSign(message));
  const signature = await signInPool('RSA-SHA256', text, privateKey);
  return {
    ...message,
    SignatureVersion: '2',
    Signature: signature.toString('base64'),
  };
}

/** The common parts of the messages to a subscription. */
export interface Sender {
  readonly topicArn: string;
  readonly subscriptionArn: string;
  readonly privateKey: KeyObject;
  readonly signingCertUrl: string;
  readonly subscribeUrl: string;
  readonly unsubscribeUrl: string;
  readonly token: string;
  /** Of notifications; by default as SNS. */
  readonly contentType?: string | undefined;
}

/** A POST to a receiver. */
export interface Outgoing {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The request to confirm a subscription, or the confirmation of an unsubscription: both have the URL that
 *  (re)confirms. */
export async function handshake(
  sender: Sender,
  type: 'SubscriptionConfirmation' | 'UnsubscribeConfirmation',
  sent: { messageId: string; timestamp: string },
): Promise<Outgoing> {
  const text =
    type === 'SubscriptionConfirmation'
      ? `You have chosen to subscribe to the topic ${sender.topicArn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`
      : `You have chosen to deactivate subscription ${sender.subscriptionArn}.\nTo cancel this operation and restore the subscription, visit the SubscribeURL included in this message.`;
  const message = await signed(
    {
      Type: type,
      MessageId: sent.messageId,
      Token: sender.token,
      TopicArn: sender.topicArn,
      Message: text,
      SubscribeURL: sender.subscribeUrl,
      Timestamp: sent.timestamp,
    },
    sender.privateKey,
  );
  const body = JSON.stringify({ ...message, SigningCertURL: sender.signingCertUrl }, null, 2);
  const arn = type === 'UnsubscribeConfirmation' ? subscriptionHeader(sender) : {};
  return { headers: { ...headersOf(sender, type, sent.messageId), ...arn }, body };
}

/** An event for a subscription: in the SNS envelope, or raw, without attributes and signature. `at` is the time of
 *  sending: receivers refuse a signed message that is old, also after its event waited for them. */
export async function notification(
  sender: Sender,
  { eventId, body, attributes }: NewDelivery,
  { raw, at }: { readonly raw: boolean; readonly at: number },
): Promise<Outgoing> {
  const messageId = messageIdOf(eventId);
  const { contentType } = sender;
  const headers = {
    ...{ ...headersOf(sender, 'Notification', messageId), ...subscriptionHeader(sender) },
    ...(contentType !== undefined && { 'content-type': contentType }),
  };
  if (raw) return { headers: { ...headers, 'x-amz-sns-rawdelivery': 'true' }, body };
  const message = await signed(
    {
      Type: 'Notification' as const,
      MessageId: messageId,
      TopicArn: sender.topicArn,
      Message: body,
      Timestamp: new Date(at).toISOString(),
    },
    sender.privateKey,
  );
  const envelope = {
    ...message,
    SigningCertURL: sender.signingCertUrl,
    UnsubscribeURL: sender.unsubscribeUrl,
    ...(Object.keys(attributes).length > 0 && { MessageAttributes: attributes }),
  };
  return { headers, body: JSON.stringify(envelope, null, 2) };
}

/** The same for each attempt, in each process: a UUID of version 8, derived from the event's id. */
function messageIdOf(eventId: string): string {
  const bytes = createHash('sha256').update(eventId).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

function headersOf(sender: Sender, type: MessageType, messageId: string): Record<string, string> {
  return {
    'x-amz-sns-message-type': type,
    'x-amz-sns-message-id': messageId,
    'x-amz-sns-topic-arn': sender.topicArn,
    'content-type': 'text/plain; charset=UTF-8',
    'user-agent': 'Amazon Simple Notification Service Agent',
  };
}

function subscriptionHeader(sender: Sender): Record<string, string> {
  return { 'x-amz-sns-subscription-arn': sender.subscriptionArn };
}

/** A filter policy over message attributes: each named attribute must have one of the values listed for it. */
export type Filter = Readonly<Record<string, readonly string[]>>;

/** Whether SNS would deliver a message with these attributes. For a `String.Array`, one matching element is enough. */
export function matchesFilter(filter: Filter | undefined, attributes: Attributes): boolean {
  return Object.entries(filter ?? {}).every(([name, wanted]) => {
    const attribute = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    return attribute !== undefined && textsOf(attribute).some(text => wanted.includes(text));
  });
}

function textsOf(attribute: { readonly Type: string; readonly Value: string }): string[] {
  if (attribute.Type !== 'String.Array') return attribute.Type === 'String' ? [attribute.Value] : [];
  try {
    const elements: unknown = JSON.parse(attribute.Value);
    return Array.isArray(elements) ? elements.filter(element => typeof element === 'string') : [];
  } catch {
    return [];
  }
}
