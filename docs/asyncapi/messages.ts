import { type EventType, eventSchemas, type SentEvent, sentSchemas } from '../../functions/model/event.ts';
import type { Examples } from '../take-examples.ts';
import { snsConfirmation, snsNotification, webhookHeaders } from './example-requests.ts';
import { refTo } from './schemas.ts';

/** SNS never sends a test event. */
const SNS_TYPES = Object.keys(eventSchemas) as EventType[];
const TYPES = Object.keys(sentSchemas) as SentEvent['type'][];
const TEXT_PLAIN = 'text/plain; charset=UTF-8';

/** The names of the messages of each channel in `components/messages`. */
export const messageNames = {
  webhook: TYPES.map(type => `webhook.${type}`),
  snsRaw: SNS_TYPES.map(type => `sns-raw.${type}`),
  sns: ['sns.Notification', 'sns.SubscriptionConfirmation', 'sns.UnsubscribeConfirmation'],
} as const;

/** `components/messages`. The examples of events are from a real run (`docs/examples`). */
export function componentMessages({ events, attributes }: Examples): Record<string, unknown> {
  return {
    ...Object.fromEntries(TYPES.map(type => [`webhook.${type}`, webhookMessage(events[type])])),
    ...Object.fromEntries(SNS_TYPES.map(type => [`sns-raw.${type}`, rawMessage(type)])),
    'sns.Notification': {
      ...snsMessage('Notification', 'An event in the envelope of SNS.'),
      examples: [{ name: 'task.updated', ...snsNotification(events['task.updated'], attributes) }],
    },
    'sns.SubscriptionConfirmation': {
      ...snsMessage('SubscriptionConfirmation', 'SNS asks the receiver to confirm the subscription.'),
      examples: [{ name: 'confirmation', ...snsConfirmation() }],
    },
    'sns.UnsubscribeConfirmation': snsMessage('UnsubscribeConfirmation', 'SNS sends no more messages.'),
  };
}

function eventMessage(type: SentEvent['type']) {
  return {
    name: type,
    title: type,
    summary: sentSchemas[type].meta()?.description,
    payload: refTo('schemas', type),
  };
}

function webhookMessage(event: SentEvent) {
  return {
    ...eventMessage(event.type),
    contentType: 'application/json',
    headers: refTo('schemas', 'WebhookHeaders'),
    examples: [{ name: event.type, headers: webhookHeaders(event), payload: event }],
  };
}

function rawMessage(type: EventType) {
  const headers = refTo('schemas', 'SnsRawHeaders');
  return { ...eventMessage(type), contentType: TEXT_PLAIN, headers };
}

function snsMessage(type: string, summary: string) {
  return {
    name: type,
    title: type,
    summary,
    contentType: TEXT_PLAIN,
    headers: refTo('schemas', 'SnsHeaders'),
    payload: refTo('schemas', `Sns${type}`),
  };
}
