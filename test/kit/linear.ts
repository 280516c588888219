import { expect } from 'vitest';

const MIN_LENGTH = 4_096;
const MAX_LENGTH = 2 ** 20;
/**
 * Work that takes less than this is too short to measure: a collection of garbage or a slow machine outweighs it. Work in
 * quadratic time takes minutes for 1 MB, and more than this for 64 KB.
 */
const MIN_MS = 200;
/**
 * A text 16 times as long takes 16 times as long in linear time, 256 times in quadratic time. The limit is four times away
 * from both, because a busy machine may double what is measured.
 */
const STEP = 16;
const MAX_RATIO = 64;
const ATTEMPTS = 6;

/**
 * Expects that the work for a text of up to `maxLength` characters takes linear time. It measures texts from 4 KB on, each
 * 16 times as long as the one before, until one takes long enough to tell. `what` names the work.
 */
export function expectLinear(
  work: (length: number) => unknown,
  what = '',
  maxLength: number = MAX_LENGTH,
): void {
  let limit = 9 * MIN_MS;
  for (let length = MIN_LENGTH; length <= maxLength; length *= STEP) {
    let ms = Number.POSITIVE_INFINITY;
    for (let attempt = 1; attempt <= ATTEMPTS && ms > limit; attempt++)
      ms = Math.min(ms, timeOf(work, length));
    if (ms > limit) expect.fail(`${what} ${length} characters took ${ms} ms, more than ${limit} ms`);
    if (length > MIN_LENGTH && ms > MIN_MS && limit > MIN_MS) return;
    limit = Math.max(MIN_MS, ms * MAX_RATIO);
  }
}

/** CPU time of this thread, so that other threads and processes of the machine don't count. */
function timeOf(work: (length: number) => unknown, length: number): number {
  const start = process.threadCpuUsage();
  work(length);
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1_000;
}
