import type { KeyObject } from 'node:crypto';
import type { Attributes } from './filter.ts';
import { type MessageType, signed } from './signature.ts';

/** What every message to one subscription shares. */
export interface Sender {
  readonly topicArn: string;
  readonly subscriptionArn: string;
  readonly privateKey: KeyObject;
  readonly signingCertUrl: string;
  readonly subscribeUrl: string;
  readonly unsubscribeUrl: string;
  readonly token: string;
}

/** A message as it was published. */
export interface Published {
  readonly messageId: string;
  readonly subject: string | undefined;
  readonly message: string;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly attributes: Attributes;
}

/** A POST to an endpoint. */
export interface Outgoing {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The first half of the handshake, or the last word after unsubscribing: both carry the URL that (re)confirms. */
export function handshake(
  sender: Sender,
  type: 'SubscriptionConfirmation' | 'UnsubscribeConfirmation',
  sent: { messageId: string; timestamp: string },
): Outgoing {
  const said =
    type === 'SubscriptionConfirmation'
      ? `You have chosen to subscribe to the topic ${sender.topicArn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`
      : `You have chosen to deactivate subscription ${sender.subscriptionArn}.\nTo cancel this operation and restore the subscription, visit the SubscribeURL included in this message.`;
  const message = signed(
    {
      Type: type,
      MessageId: sent.messageId,
      Token: sender.token,
      TopicArn: sender.topicArn,
      Message: said,
      SubscribeURL: sender.subscribeUrl,
      Timestamp: sent.timestamp,
    },
    sender.privateKey,
  );
  const body = JSON.stringify({ ...message, SigningCertURL: sender.signingCertUrl }, null, 2);
  const arn = type === 'UnsubscribeConfirmation' ? subscriptionHeader(sender) : {};
  return { headers: { ...headersOf(sender, type, sent.messageId), ...arn }, body };
}

/** A published message for one subscription: in SNS's envelope, or raw, which carries neither attributes nor a signature. */
export function notification(sender: Sender, published: Published, raw: boolean): Outgoing {
  const headers = {
    ...headersOf(sender, 'Notification', published.messageId),
    ...subscriptionHeader(sender),
  };
  if (raw) return { headers: { ...headers, 'x-amz-sns-rawdelivery': 'true' }, body: published.message };
  const message = signed(
    {
      Type: 'Notification' as const,
      MessageId: published.messageId,
      TopicArn: sender.topicArn,
      ...(published.subject === undefined ? {} : { Subject: published.subject }),
      Message: published.message,
      Timestamp: published.timestamp,
    },
    sender.privateKey,
  );
  const attributes = Object.keys(published.attributes).length > 0;
  const envelope = {
    ...message,
    SigningCertURL: sender.signingCertUrl,
    UnsubscribeURL: sender.unsubscribeUrl,
    ...(attributes ? { MessageAttributes: published.attributes } : {}),
  };
  return { headers, body: JSON.stringify(envelope, null, 2) };
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
