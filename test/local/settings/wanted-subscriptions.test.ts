import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../functions/config/read.ts';
import { retryDelays, wantedSubscriptions } from '../../../local/settings/wanted-subscriptions.ts';
import { config, subscription } from '../../kit/infra/config-examples.ts';

const read = (changes: object = {}) => readConfig(config(subscription(changes)));
const delivery = (changes: object = {}) => {
  const [first] = read({ delivery: changes }).subscriptions;
  if (!first) throw new Error('no subscription');
  return first.delivery;
};
const none = { subscribe: [], raw: false };

describe('the native subscriptions', () => {
  test('are those of the configuration, by their names, then those of --subscribe, by their origins', () => {
    const asked = { contentType: 'application/json', maxPerSecond: 4 };
    const wanted = wantedSubscriptions(
      { subscribe: ['http://localhost:9/events?key=hush', 'http://localhost:9/events?key=hush'], raw: true },
      read({ raw: false, filter: { eventType: ['task.updated'] }, delivery: asked }),
    );
    expect(wanted).toMatchObject([
      {
        label: 'one',
        name: 'one',
        url: 'https://receiver.example.com',
        raw: false,
        filter: { eventType: ['task.updated'] },
        ...asked,
      },
      { label: 'http://localhost:9', url: 'http://localhost:9/events?key=hush', raw: true },
    ]);
    expect(wanted.map(({ label }) => label).join()).not.toContain('hush');
    // SNS's own pauses.
    expect(wanted[1]?.retryDelays).toBeUndefined();
  });

  test('without a filter get every event, without a configuration are those of the command line', () => {
    expect(wantedSubscriptions(none, read())[0]).not.toHaveProperty('filter');
    expect(wantedSubscriptions(none, undefined)).toEqual([]);
  });
});

describe('the pauses between retries', () => {
  test('have SNS’s four phases', () => {
    const phases = { retries: 10, noDelayRetries: 2, minDelayRetries: 3, maxDelayRetries: 1 };
    const delays = retryDelays(delivery({ minDelay: '2s', maxDelay: '10s', ...phases, backoff: 'linear' }));
    expect(delays).toEqual([0, 0, 2000, 2000, 2000, 4000, 6000, 8000, 10_000, 10_000]);
  });

  test('grow slower at first by arithmetic, geometric and exponential backoff, each more than the one before', () => {
    const half = (backoff: string) => {
      const phases = { retries: 2, noDelayRetries: 0, minDelayRetries: 0, maxDelayRetries: 0 };
      return retryDelays(delivery({ minDelay: '1s', maxDelay: '101s', ...phases, backoff }));
    };
    expect(['linear', 'arithmetic', 'geometric', 'exponential'].map(half)).toEqual([
      [51_000, 101_000],
      [36_355, 101_000],
      [26_000, 101_000],
      [6882, 101_000],
    ]);
  });

  test('are as many as the retries, never shrink, and stay between the two delays once they are no longer none', () => {
    const count = (max: number) => fc.integer({ min: 0, max });
    const phases = fc.record({
      noDelayRetries: count(5),
      minDelayRetries: count(5),
      maxDelayRetries: count(5),
      backoff: fc.constantFrom('linear', 'arithmetic', 'geometric', 'exponential'),
    });
    fc.assert(
      fc.property(phases, count(30), ({ backoff, ...counts }, growing) => {
        const retries = counts.noDelayRetries + counts.minDelayRetries + counts.maxDelayRetries + growing;
        const delays = retryDelays(delivery({ minDelay: '1s', maxDelay: '7s', retries, backoff, ...counts }));
        expect(delays).toHaveLength(retries);
        expect(delays).toEqual(delays.toSorted((left, right) => left - right));
        for (const delay of delays.slice(counts.noDelayRetries)) {
          expect(delay).toBeGreaterThanOrEqual(1000);
          expect(delay).toBeLessThanOrEqual(7000);
        }
      }),
      { numRuns: 100 },
    );
  });
});
