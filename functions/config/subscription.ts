import type { z } from 'zod';
import { attributeFilter } from './filter.ts';
import { address, choice, duration, object, whole, yesNo } from './values.ts';
import { name } from './workspace.ts';

/** SNS's delivery policy for HTTP(S). SNS limits it: all tries together may take an hour. */
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

/** One native subscription: an HTTP(S) receiver that SNS itself delivers to. */
export const subscriptionConfig = object({
  name: name(),
  url: address('http', 'https'),
  allowInsecure: yesNo().default(false),
  raw: yesNo().default(false),
  filter: attributeFilter.optional(),
  delivery: delivery.prefault({}),
});

export type DeliveryConfig = z.infer<typeof delivery>;
export type SubscriptionConfig = z.infer<typeof subscriptionConfig>;

/** CloudFormation's limit of one stack. */
export const MAX_RESOURCES = 500;
/** A subscription, its dead-letter queue, and that queue's policy. */
export const RESOURCES_OF_SUBSCRIPTION = 3;
/** Native subscriptions of one configuration: they share a stack. */
export const MAX_SUBSCRIPTIONS = Math.floor(MAX_RESOURCES / RESOURCES_OF_SUBSCRIPTION);
