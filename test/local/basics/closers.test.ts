import { expect, test } from 'vitest';
import { Closers } from '../../../local/basics/closers.ts';

test('what was started last is stopped first, all of it, even when stopping one fails', async () => {
  const closers = new Closers();
  const stopped: number[] = [];
  closers.add(() => void stopped.push(1));
  closers.add(async () => {
    stopped.push(2);
    throw new Error('stuck');
  });
  closers.add(async () => void stopped.push(3));
  await expect(closers.close()).rejects.toThrow('stuck');
  await closers.close();
  expect(stopped).toEqual([3, 2, 1]);
});
