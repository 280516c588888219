import { describe, expect, it } from 'vitest';
import { lazy } from '../../functions/basics/lazy.ts';

describe('a handler that is made at its first call', () => {
  it('is made once, however many call, and called with what they give', async () => {
    let made = 0;
    const handler = lazy(async () => {
      made += 1;
      return async (left: number, right: number) => left + right;
    });
    expect(made).toBe(0);
    expect(await Promise.all([handler(1, 2), handler(3, 4)])).toEqual([3, 7]);
    expect(made).toBe(1);
  });

  it('that can not be made says why, and is made at the next call', async () => {
    const faults = [new Error('The table has layout 2')];
    const handler = lazy(async () => {
      const fault = faults.pop();
      if (fault) throw fault;
      return async () => 'done';
    });
    await expect(handler()).rejects.toThrow('The table has layout 2');
    expect(await handler()).toBe('done');
  });
});
