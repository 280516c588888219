import type { z } from 'zod';
import { address, choice, duration, list, object, text, whole, yesNo } from './values.ts';
import { name } from './workspace.ts';

const EVENT_TYPE = /^((project|task)\.(created|updated|deleted)|(field|audit|source)\.[a-z][a-z_-]*)$/;
const value = () => text(/^.{1,256}$/s, 'text of 1 to 256 characters');

/** Which events a subscriber gets, by message attribute; every key given must match, with any of its values. */
const filter = object({
  eventType: list(text(EVENT_TYPE, 'an event type such as "task.updated"'), 1, 'event types').optional(),
  workspace: list(value(), 1, 'workspace names').optional(),
  processId: list(value(), 1, 'process ids').optional(),
  projectId: list(value(), 1, 'project ids').optional(),
  changedFields: list(value(), 1, 'field names').optional(),
});

/** SNS's delivery policy for HTTP(S). Its own limit: all tries together within one hour. */
const delivery = object({
  minDelay: duration('1s', '1h').prefault('1s'),
  maxDelay: duration('1s', '1h').prefault('60s'),
  retries: whole(0, 100).default(50),
  noDelayRetries: whole(0, 100).default(3),
  minDelayRetries: whole(0, 100).default(2),
  maxDelayRetries: whole(0, 100).default(35),
  backoff: choice(['linear', 'arithmetic', 'geometric', 'exponential']).default('exponential'),
  maxPerSecond: whole(1, 1_000).optional(),
  contentType: choice(['application/json', 'text/plain; charset=UTF-8']).optional(),
});

/** One HTTP(S) endpoint that SNS itself delivers to. */
export const subscriptionConfig = object({
  name: name(),
  url: address('http', 'https'),
  raw: yesNo().default(false),
  filter: filter.optional(),
  delivery: delivery.prefault({}),
});

export type FilterConfig = z.infer<typeof filter>;
export type DeliveryConfig = z.infer<typeof delivery>;
export type SubscriptionConfig = z.infer<typeof subscriptionConfig>;
