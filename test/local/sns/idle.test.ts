import { describe, expect, it, vi } from 'vitest';
import { eventually, receiver, startHouse } from './house.ts';

describe('idle', () => {
  it('resolves at once when nothing was published, or nobody is subscribed', async () => {
    const { sns, publish } = await startHouse();
    await publish(['nobody hears this']);
    await sns.idle();
    const endpoint = await receiver();
    await (await sns.subscribe({ url: endpoint.url })).confirmed;
    await sns.idle();
  });

  it('waits for the delivery to every confirmed subscription', async () => {
    const { sleepers, sleep } = heldSleep();
    const { sns, publish } = await startHouse({ sleep });
    const slow = await receiver({ reply: (_, n) => (n === 1 ? 500 : 200) });
    const quick = await receiver();
    await (await sns.subscribe({ url: slow.url })).confirmed;
    await (await sns.subscribe({ url: quick.url })).confirmed;
    await publish(['one']);
    const idle = vi.fn();
    const waiting = sns.idle().then(idle);
    await eventually(() => expect([quick.notifications().length, sleepers.length]).toEqual([1, 1]));
    expect(idle).not.toHaveBeenCalled();
    sleepers.shift()?.();
    await waiting;
    expect(slow.notifications()).toHaveLength(2);
  });

  it('waits for what was published before the call, not for what comes after it', async () => {
    const { sleepers, sleep } = heldSleep();
    const { sns, publish } = await startHouse({ sleep });
    const tried: string[] = [];
    const endpoint = await receiver({
      reply: ({ body }) => (tried.includes(body) ? 200 : tried.push(body) && 500),
    });
    await (await sns.subscribe({ url: endpoint.url, raw: true })).confirmed;
    await publish(['before']);
    const idle = sns.idle();
    await eventually(() => expect(sleepers).toHaveLength(1));
    await publish(['after']);
    await eventually(() => expect(sleepers).toHaveLength(2));
    sleepers[0]?.();
    await idle;
    expect(endpoint.notifications().map(({ body }) => body)).toEqual(['before', 'after', 'before']);
  });

  it('ignores a subscription that is not confirmed', async () => {
    const { sns, publish } = await startHouse();
    const endpoint = await receiver({ confirm: false });
    await sns.subscribe({ url: endpoint.url });
    await publish(['one']);
    await expect(sns.idle()).resolves.toBeUndefined();
  });

  it('rejects when the SNS stops first, so that nothing undelivered passes for delivered', async () => {
    const { sns, publish } = await startHouse();
    const endpoint = await receiver({ reply: () => 'hang' });
    await (await sns.subscribe({ url: endpoint.url })).confirmed;
    await publish(['one']);
    const idle = sns.idle();
    const outcome = expect(idle).rejects.toThrow('The local SNS was stopped');
    await eventually(() => expect(endpoint.notifications()).toHaveLength(1));
    await sns.stop();
    await outcome;
  });
});

describe('stop', () => {
  it('takes less than 2 s under subscribers that hang, in the handshake or in a delivery', async () => {
    const { sns, publish, notices } = await startHouse({ retryDelays: [20_000] });
    const hanging = await receiver({ reply: () => 'hang' });
    const failing = await receiver({ reply: () => 500 });
    const silent = await receiver({ confirm: false });
    const pending = await sns.subscribe({ url: silent.url });
    await (await sns.subscribe({ url: hanging.url })).confirmed;
    await (await sns.subscribe({ url: failing.url })).confirmed;
    await publish(['one']);
    await eventually(() => expect([hanging, failing].map(r => r.notifications().length)).toEqual([1, 1]));
    const before = performance.now();
    const said = notices.length;
    await sns.stop();
    expect(performance.now() - before).toBeLessThan(2000);
    await expect(pending.confirmed).rejects.toThrow('stopped before it was confirmed');
    await expect(fetch(sns.endpoint)).rejects.toThrow();
    expect(notices.slice(said).map(({ kind }) => kind)).toEqual([]);
  });
});

/** A sleep that lasts until the test says so. */
function heldSleep() {
  const sleepers: (() => void)[] = [];
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      sleepers.push(resolve);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });
  return { sleepers, sleep };
}
