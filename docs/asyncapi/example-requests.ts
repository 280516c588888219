import { Webhook } from 'standardwebhooks';
import { webhookRequest } from '../../functions/delivery/webhook/webhook.ts';
import type { ChangeEvent, SentEvent } from '../../functions/model/event.ts';
import type { Message } from '../../functions/topic/send-batch.ts';

/** The secret that signs the examples, so that a receiver can be tested with them. */
export const EXAMPLE_SECRET = 'whsec_Y2hhbmdld2lyZS1leGFtcGxlLXNlY3JldA==';

/** The headers of a signed webhook, sent 2 seconds after the change was read. The body is the event as compact JSON. */
export function webhookHeaders(event: SentEvent): Readonly<Record<string, string>> {
  const body = JSON.stringify(event);
  return webhookRequest({ id: event.id, body }, [EXAMPLE_SECRET], Date.parse(event.time) + 2_000).headers;
}

/** Whether the signature in these headers is of the example secret, whatever its time. */
export function isSigned(headers: Readonly<Record<string, string>>, body: string): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  const signature = new Webhook(EXAMPLE_SECRET).sign(headers['webhook-id'] ?? '', at, body);
  return signature === headers['webhook-signature'];
}

const TOPIC_ARN = 'arn:aws:sns:eu-west-1:123456789012:changes';
const SNS = 'https://sns.eu-west-1.amazonaws.com/';

const common = {
  TopicArn: TOPIC_ARN,
  Timestamp: '2026-03-02T09:04:03.000Z',
  SignatureVersion: '2',
  Signature:
    'EXAMPLEpH+DcEwjAPg8O9mY8dReBSwksfg2S7WKQcikcNKWLQjwu6A4VbeS0QHVCkhRS7fUQvi2egU3N858fiTDN6bkkOxYDVrY0Ad8L',
  SigningCertURL: `${SNS}SimpleNotificationService-01d088a6f77103d0fe307c0069e40ed6.pem`,
};

/** An event in the envelope of SNS. The signature is not valid. */
export function snsNotification(event: ChangeEvent, attributes: Message['MessageAttributes']) {
  const MessageAttributes = Object.entries(attributes).map(([name, { DataType, StringValue }]) => [
    name,
    { Type: DataType, Value: StringValue },
  ]);
  const payload = {
    Type: 'Notification',
    MessageId: '165545c9-2a5c-472c-8df2-7ff2be2b3b1b',
    Message: JSON.stringify(event),
    ...common,
    UnsubscribeURL: `${SNS}?Action=Unsubscribe&SubscriptionArn=${TOPIC_ARN}:2bcfbf39-05c3-41de-beaa-fcfcc21c8f55`,
    MessageAttributes: Object.fromEntries(MessageAttributes),
  };
  return { headers: snsHeaders(payload), payload };
}

export function snsConfirmation() {
  const Token = '2336412f37fb687f5d51e6e2425ba1f2';
  const payload = {
    Type: 'SubscriptionConfirmation',
    MessageId: '3d891288-136d-417f-bc05-901c108273ee',
    Token,
    Message: `You have chosen to subscribe to the topic ${TOPIC_ARN}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
    SubscribeURL: `${SNS}?Action=ConfirmSubscription&TopicArn=${TOPIC_ARN}&Token=${Token}`,
    ...common,
  };
  return { headers: snsHeaders(payload), payload };
}

function snsHeaders({ Type, MessageId }: { Type: string; MessageId: string }) {
  return {
    'x-amz-sns-message-type': Type,
    'x-amz-sns-message-id': MessageId,
    'x-amz-sns-topic-arn': TOPIC_ARN,
  };
}
