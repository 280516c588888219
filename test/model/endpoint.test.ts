import { expect, it } from 'vitest';
import { rateOf } from '../../functions/model/endpoint.ts';

it('a webhook whose rate nobody has set gets ten a second at first, and up to a hundred as long as it takes them', () => {
  const rates = [0, 14_999, 15_000, 30_000, 45_000, 60_000, 86_400_000];
  const of = (settings: { perSecond?: number }) =>
    rates.map(ms => rateOf({ name: 'crm', kind: 'webhook', ...settings }, ms));
  expect(of({})).toEqual([10, 10, 20, 40, 80, 100, 100]);
  expect(of({ perSecond: 3 })).toEqual(rates.map(() => 3));
  expect(rates.map(ms => rateOf({ name: 'chat', kind: 'slack' }, ms))).toEqual(rates.map(() => 1));
});
