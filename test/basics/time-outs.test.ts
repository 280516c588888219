import { expect, onTestFinished, test, vi } from 'vitest';
import { within } from '../../functions/basics/within.ts';

test('a time-out that was not needed leaves no timer', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const late = () => new Error('late');
  await within(1000, async () => 'done', late);
  await expect(within(1000, () => Promise.reject(new Error('broken')), late)).rejects.toThrow('broken');
  expect(vi.getTimerCount()).toBe(0);
});

test('a time beyond the longest timer is no time-out', async () => {
  const late = () => new Error('late');
  expect(
    await within(Number.MAX_SAFE_INTEGER, () => new Promise(setImmediate).then(() => 'done'), late),
  ).toBe('done');
});
