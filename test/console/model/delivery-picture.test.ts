import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  deliveryPicture,
  type PicturedAttempt,
  percentile,
} from '../../../console/model/delivery-picture.ts';
import { hostileText } from '../../kit/console/events.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 24, 12, 30);
/** An event by the time of its commit. */
const event = (committed: number, project = '1') => ({ id: `launch.${project}.${committed}.0` });

interface Part {
  readonly events?: readonly { readonly id: string }[];
  readonly failure?: string;
  readonly took?: number;
}
const attempt = (at: number, { took = 100, events = [event(at)], ...rest }: Part = {}): PicturedAttempt => ({
  at: new Date(at).toISOString(),
  ...{ took, events, ...rest },
});
const failed = (at: number, part: Part = {}) => attempt(at, { failure: 'answered 503', ...part });
/** Of a week, so that each part is an hour; the last one begins half an hour before NOW. */
const weekly = (attempts: readonly PicturedAttempt[], oldestWaiting?: number) => {
  const first = attempt(NOW - 6 * 24 * HOUR);
  const picture = deliveryPicture([...attempts, first], { now: NOW, oldestWaiting });
  if (!picture) throw new Error('No picture.');
  /** The parts of the last hours, by how long ago they began. */
  const ago = (hours: number) => picture.parts.at(-1 - hours);
  /** Their waits, in minutes. */
  const waits = (...hours: number[]) => hours.map(each => Math.round((ago(each)?.wait ?? 0) / 60_000));
  return { ...picture, ago, waits };
};

describe('percentiles', () => {
  it.each([
    [[], 0.5, undefined],
    [[7], 0.95, 7],
    [[3, 1, 2], 0.5, 2],
    [[1, 2], 0.5, 1],
    [Array.from({ length: 100 }, (_, index) => index + 1), 0.95, 95],
    [[10, 9, 100], 0.95, 100],
  ])('of %j, %f: %s', (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected);
  });
});

describe("an endpoint's charts", () => {
  it('count successes and failures by hour, and the latency of successes alone', () => {
    const { ago, attempts, delivered, p95, axis } = weekly([
      attempt(NOW - HOUR, { took: 100 }),
      attempt(NOW - HOUR, { took: 300, events: [event(NOW - HOUR, '2')] }),
      failed(NOW - HOUR, { took: 15_000 }),
      attempt(NOW - 3 * HOUR),
    ]);
    expect(axis.size).toBe(HOUR);
    expect([1, 2, 3].map(hours => ago(hours))).toMatchObject([
      { delivered: 2, failed: 1, p50: 100, p95: 300 },
      { delivered: 0, failed: 0, p50: undefined, p95: undefined },
      { delivered: 1, failed: 0 },
    ]);
    expect({ attempts, delivered, p95 }).toEqual({ attempts: 5, delivered: 4, p95: 300 });
  });

  it('show as down the hours without success from the first failure to the last, not those without attempts', () => {
    const { parts } = weekly([
      attempt(NOW - 9 * HOUR),
      failed(NOW - 8 * HOUR),
      // None in between: the receiver asked for a pause.
      failed(NOW - 5 * HOUR),
      failed(NOW - 4 * HOUR),
      attempt(NOW - 4 * HOUR + 60_000),
      failed(NOW - 2 * HOUR),
    ]);
    expect(parts.slice(-10).map(({ isDown }) => isDown)).toEqual([0, 1, 1, 1, 1, 0, 0, 1, 0, 0].map(Boolean));
  });

  it('show the wait of a backlog growing until it is sent', () => {
    const down = NOW - 5 * HOUR;
    const of = (at: number) => ({ events: [event(at)] });
    const { waits } = weekly([
      ...[failed(down, of(down)), failed(down + HOUR, of(down))],
      ...[0, 1, 2].map(index => attempt(down + 3 * HOUR + index * 1_000, of(down + index * HOUR))),
    ]);
    expect(waits(6, 5, 4, 3, 2, 1)).toEqual([0, 30, 90, 150, 180, 0]);
  });

  it('show the oldest event that waits now', () => {
    const { waits } = weekly([], NOW - 2 * HOUR);
    expect(waits(3, 2, 1, 0)).toEqual([0, 30, 90, 120]);
  });

  it('show how long one event waited that failed while others were delivered', () => {
    const refused = NOW - 5 * HOUR;
    const { waits } = weekly([
      failed(refused, { events: [event(refused)] }),
      attempt(refused + HOUR),
      attempt(refused + 3 * HOUR, { events: [event(refused)] }),
    ]);
    expect(waits(2)).toEqual([180]);
  });

  it('take no replay for a backlog', () => {
    const at = (minutes: number) => NOW - HOUR + minutes * 60_000;
    const replayed = [event(NOW - 50 * HOUR), event(NOW - 40 * HOUR)];
    const sent = replayed.map((one, index) => attempt(at(10) + index, { events: [one] }));
    const { parts } = weekly([attempt(at(0)), ...sent]);
    expect(Math.max(...parts.map(({ wait }) => wait))).toBe(100);
    // Neither those of a new endpoint, which begins with one.
    const first = replayed.map(one => attempt(at(1), { events: [one] }));
    const picture = deliveryPicture(first, { now: NOW, oldestWaiting: undefined });
    expect(Math.max(...(picture?.parts ?? []).map(({ wait }) => wait))).toBe(100);
  });

  it('are none without attempts of the week', () => {
    for (const attempts of [[], [attempt(NOW - 8 * 24 * HOUR)]])
      expect(deliveryPicture(attempts, { now: NOW, oldestWaiting: NOW - 1 })).toBeUndefined();
  });

  it('have each attempt once, and no wait below zero, whatever ids and times there are', () => {
    const some = fc.record({
      at: fc.integer({ min: NOW - 7 * 24 * HOUR, max: NOW }),
      took: fc.nat(60_000),
      ids: fc.array(
        fc.oneof(
          hostileText,
          fc.integer({ min: 0, max: 2 * NOW }).map(at => event(at).id),
          fc.constantFrom('launch..1795343837811.0', 'changewire.health.crm..1795343837811.0'),
        ),
        { maxLength: 3 },
      ),
      isFailed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(some), fc.option(fc.nat(2 * NOW), { nil: undefined }), (all, oldestWaiting) => {
        const attempts = all.map(({ at, took, ids, isFailed }) =>
          (isFailed ? failed : attempt)(at, { took, events: ids.map(id => ({ id })) }),
        );
        const picture = deliveryPicture(attempts, { now: NOW, oldestWaiting });
        const { parts = [], delivered = 0 } = picture ?? {};
        const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);
        expect(sum(parts.map(part => part.delivered + part.failed))).toBe(all.length);
        expect(sum(parts.map(part => part.delivered))).toBe(delivered);
        for (const { wait, p50 = 0, p95 = 0, isDown, delivered: ok } of parts) {
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(p50).toBeLessThanOrEqual(p95);
          expect(isDown && ok > 0).toBe(false);
        }
      }),
    );
  });
});
