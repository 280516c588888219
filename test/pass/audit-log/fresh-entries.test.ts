import { expect, it } from 'vitest';
import { FreshEntries } from '../../../functions/pass/audit-log/fresh-entries.ts';

const large = { text: 'x'.repeat(20 * 2 ** 20) };

it('takes room for an entry once, however often it is read', () => {
  const fresh = new FreshEntries();
  for (let reading = 0; reading < 5; reading++) fresh.add('a', large);
  expect(fresh.all).toEqual([large]);
  expect(fresh.isOverfull).toBe(false);
});

it('holds no more entries once there is no room', () => {
  const fresh = new FreshEntries();
  for (const digest of ['a', 'b', 'c', 'd', 'e']) fresh.add(digest, large);
  expect(fresh.all).toHaveLength(4);
  expect(fresh.isOverfull).toBe(true);
});

it('holds no more small entries than there is memory for', () => {
  const fresh = new FreshEntries();
  for (let n = 0; n < 400_000; n++) fresh.add(String(n), {});
  expect(fresh.isOverfull).toBe(true);
});
