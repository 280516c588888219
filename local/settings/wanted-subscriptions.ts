import type { DeliveryConfig } from '../../functions/config/endpoint.ts';
import type { Config } from '../../functions/config/schema.ts';
import type { Filter } from '../sns/messages.ts';
import { defaultName, type SubscribeOptions } from '../sns/sns.ts';

/** A native subscription of the configuration or the command line. */
export interface WantedSubscription extends SubscribeOptions {
  readonly name: string;
  /** The name that people see. */
  readonly label: string;
}

/** The subscriptions of the configuration, and those of `--subscribe`. */
export function wantedSubscriptions(
  { subscribe, raw }: { readonly subscribe: readonly string[]; readonly raw: boolean },
  config: Pick<Config, 'subscriptions'> | undefined,
): WantedSubscription[] {
  const configured = (config?.subscriptions ?? []).map(({ name, url, raw, filter, delivery }) => ({
    label: name,
    name,
    url,
    raw,
    retryDelays: retryDelays(delivery),
    ...{ contentType: delivery.contentType, maxPerSecond: delivery.maxPerSecond },
    ...(filter && { filter: filter as Filter }),
  }));
  const asked = [...new Set(subscribe)].map(url => ({
    label: new URL(url).origin,
    name: defaultName(new URL(url)),
    url,
    raw,
  }));
  return [...configured, ...asked];
}

/** The pause before each retry, in ms, in the order of SNS's phases: retries at once, retries `minDelay`
 *  apart, retries whose pause grows from `minDelay` to `maxDelay`, and retries `maxDelay` apart. */
export function retryDelays(delivery: DeliveryConfig): number[] {
  const { minDelay, maxDelay, retries, noDelayRetries, minDelayRetries, maxDelayRetries, backoff } = delivery;
  const growing = Math.max(0, retries - noDelayRetries - minDelayRetries - maxDelayRetries);
  const part = PARTS[backoff];
  return [
    ...Array.from({ length: noDelayRetries }, () => 0),
    ...Array.from({ length: minDelayRetries }, () => minDelay),
    ...Array.from({ length: growing }, (_, index) =>
      Math.round(minDelay + (maxDelay - minDelay) * part((index + 1) / growing)),
    ),
    ...Array.from({ length: maxDelayRetries }, () => maxDelay),
  ];
}

/** The part of the way from `minDelay` to `maxDelay` that the pause has grown, by the part of the growing retries
 *  that is over. SNS documents only the shapes of these curves. */
const PARTS: Readonly<Record<DeliveryConfig['backoff'], (over: number) => number>> = {
  linear: over => over,
  arithmetic: over => over ** 1.5,
  geometric: over => over ** 2,
  exponential: over => (2 ** (8 * over) - 1) / 255,
};
