import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { billOf, byService, dollarsOf, totalOf, type Usage } from '../../bench/cost/bill.ts';
import { type Item, PRICES } from '../../bench/cost/prices.ts';

const TIERS = [{ upTo: 100, dollars: 2 }, { upTo: 300, dollars: 1 }, { dollars: 0.5 }];
const usage = (some: Partial<Usage>) =>
  ({ ...Object.fromEntries(Object.keys(PRICES).map(item => [item, 0])), ...some }) as Usage;

describe('a price', () => {
  it.each([
    ['nothing', 0, 0, 0],
    ['the first that is not free', 11, 10, 0.2],
    ['what is free comes off the first tier', 100, 10, 18],
    ['a part of the second', 200, 0, 30],
    ['what is free is more than the first tier', 200, 150, 5],
    ['the last tier has no end', 1_300, 0, 90],
    ['all of it, and what is free', 1_300, 10, 88],
  ])('%s: %d units, %d free: %d $', (_, units, free, dollars) => {
    expect(dollarsOf({ per: 10, tiers: TIERS }, units, free)).toBeCloseTo(dollars, 10);
  });

  it('never falls with what is used, and never rises with what is free', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.nat(2_000), fc.nat(500), (one, more, free) => {
        const price = { per: 10, tiers: TIERS };
        expect(dollarsOf(price, one + more, free)).toBeGreaterThanOrEqual(dollarsOf(price, one, free));
        expect(dollarsOf(price, one, free)).toBeLessThanOrEqual(dollarsOf(price, one));
      }),
    );
  });
});

describe('the bill', () => {
  it.each<[Item, number, number, number]>([
    ['lambdaRequests', 3_000_000, 0.4, 0.6],
    ['lambdaGbSeconds', 1_400_000, 13.3334, 18.66676],
    ['dynamodbWrites', 2_000_000, 1.25, 1.25],
    ['dynamodbStorage', 30e9, 1.25, 7.5],
    ['sqsRequests', 2_628_000, 0.6512, 1.0512],
    ['metrics', 15, 1.5, 4.5],
    ['metrics', 10_011, 2_998.1, 3_001.1],
    ['alarmMetrics', 15, 0.5, 1.5],
    ['dashboards', 1, 0, 3],
    ['logsWritten', 6e9, 0.5, 3],
    ['keyCalls', 40_000, 0.06, 0.12],
    ['dataOut', 150e9, 4.5, 13.5],
  ])('%s of %d', (item, units, dollars, withoutFree) => {
    const line = billOf(usage({ [item]: units })).find(each => each.item === item);
    expect(line?.dollars).toBeCloseTo(dollars, 6);
    expect(line?.withoutFree).toBeCloseTo(withoutFree, 6);
  });

  it('adds up by service, the dearest first', () => {
    const lines = billOf(usage({ secrets: 2, secretReads: 10_000, dynamodbWrites: 1_000_000 }));
    const [first, second, third] = byService(lines);
    expect(first).toMatchObject({ service: 'Secrets Manager', dollars: expect.closeTo(0.85, 6) });
    expect(second).toMatchObject({ service: 'DynamoDB', dollars: expect.closeTo(0.625, 6) });
    expect(third?.withoutFree).toBe(0);
    expect(totalOf(lines).dollars).toBeCloseTo(1.475, 6);
  });
});
