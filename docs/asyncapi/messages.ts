import { type ChangeEvent, type EventType, eventSchemas } from '../../functions/changes/event.ts';
import type { Examples } from '../take-examples.ts';
import { snsConfirmation, snsNotification, webhookHeaders } from './example-requests.ts';
import { refTo } from './schemas.ts';

const TYPES = Object.keys(eventSchemas) as EventType[];
const TEXT_PLAIN = 'text/plain; charset=UTF-8';

/** The names of the messages of each channel, as they stand under `components/messages`. */
export const messageNames = {
  webhook: TYPES.map(type => `webhook.${type}`),
  snsRaw: TYPES.map(type => `sns-raw.${type}`),
  sns: ['sns.Notification', 'sns.SubscriptionConfirmation', 'sns.UnsubscribeConfirmation'],
} as const;

/** `components/messages`. The examples of events are those of a real run (`docs/examples`). */
export function componentMessages({ events, attributes }: Examples): Record<string, unknown> {
  return {
    ...Object.fromEntries(TYPES.map(type => [`webhook.${type}`, webhookMessage(events[type])])),
    ...Object.fromEntries(TYPES.map(type => [`sns-raw.${type}`, rawMessage(type)])),
    'sns.Notification': {
      ...snsMessage('Notification', 'An event in the envelope of SNS.'),
      examples: [{ name: 'task.updated', ...snsNotification(events['task.updated'], attributes) }],
    },
    'sns.SubscriptionConfirmation': {
      ...snsMessage('SubscriptionConfirmation', 'SNS asks whether it may send messages.'),
      examples: [{ name: 'confirmation', ...snsConfirmation() }],
    },
    'sns.UnsubscribeConfirmation': snsMessage('UnsubscribeConfirmation', 'SNS sends no more messages.'),
  };
}

function eventMessage(type: EventType) {
  return {
    name: type,
    title: type,
    summary: eventSchemas[type].meta()?.description,
    payload: refTo('schemas', type),
  };
}

function webhookMessage(event: ChangeEvent) {
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
