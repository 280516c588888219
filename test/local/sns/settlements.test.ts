import { describe, expect, it } from 'vitest';
import { Settlements } from '../../../local/sns/settlements.ts';

describe('waiting for settlements', () => {
  it('counts what settles while the list is still being asked for', async () => {
    const settlements = new Settlements();
    const list = Promise.withResolvers<string[]>();
    const waiting = settlements.waitFor(() => list.promise, new AbortController().signal);
    settlements.settled('a');
    list.resolve(['a']);
    await expect(waiting).resolves.toBeUndefined();
  });

  it('ends when the last of the list is settled, in whatever order, and not before', async () => {
    const settlements = new Settlements();
    const order: string[] = [];
    const waiting = settlements.waitFor(async () => ['a', 'b'], new AbortController().signal);
    const noted = waiting.then(() => order.push('done'));
    for (const id of ['b', 'unrelated', 'a']) {
      await new Promise(setImmediate);
      order.push(id);
      settlements.settled(id);
    }
    await noted;
    expect(order).toEqual(['b', 'unrelated', 'a', 'done']);
  });

  it('rejects with the reason when it is aborted, before or meanwhile', async () => {
    const controller = new AbortController();
    const waiting = new Settlements().waitFor(async () => ['a'], controller.signal);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await expect(new Settlements().waitFor(async () => [], controller.signal)).rejects.toThrow('stopped');
  });
});
