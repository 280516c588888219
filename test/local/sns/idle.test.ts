import { describe, expect, it, vi } from 'vitest';
import { eventually, receiver, startSns } from '../../kit/local/sns.ts';

describe('idle', () => {
  it('resolves at once when nothing was published, or nobody is subscribed', async () => {
    const { sns, publish } = await startSns();
    await publish(['nobody hears this']);
    await sns.idle();
    const endpoint = await receiver();
    await (await sns.subscribe({ url: endpoint.url })).confirmed;
    await sns.idle();
  });

  it('waits for the delivery to every confirmed subscription', async () => {
    const { sns, publish, deliveries } = await startSns({ retryDelays: [600_000] });
    const slow = await receiver({ reply: (_, n) => (n === 1 ? 500 : 200) });
    const quick = await receiver();
    const waiting = await sns.subscribe({ url: slow.url });
    await waiting.confirmed;
    await (await sns.subscribe({ url: quick.url })).confirmed;
    await publish(['one']);
    const idle = vi.fn();
    const ended = sns.idle().then(idle);
    await eventually(async () => {
      expect(quick.notifications()).toHaveLength(1);
      expect(await deliveries.nextDue(waiting.endpoint, Date.now())).toBeGreaterThan(Date.now());
    });
    expect(idle).not.toHaveBeenCalled();
    await deliveries.bringForward(waiting.endpoint, Date.now());
    await publish(['two']);
    await ended;
    expect(slow.notifications().length).toBeGreaterThanOrEqual(2);
  });

  it('waits for what was published before the call, not for what comes after it', async () => {
    const { sns, publish } = await startSns({ retryDelays: [600_000] });
    const endpoint = await receiver({ reply: ({ body }) => (body === 'after' ? 500 : 200) });
    await (await sns.subscribe({ url: endpoint.url, raw: true })).confirmed;
    await publish(['before']);
    const asked = Date.now();
    const idle = sns.idle();
    await eventually(() => expect(Date.now()).toBeGreaterThan(asked));
    await publish(['after']);
    await idle;
    expect(endpoint.notifications().map(({ body }) => body)).toContain('before');
  });

  it('ignores a subscription that is not confirmed', async () => {
    const { sns, publish } = await startSns();
    const endpoint = await receiver({ confirm: false });
    await sns.subscribe({ url: endpoint.url });
    await publish(['one']);
    await expect(sns.idle()).resolves.toBeUndefined();
  });

  it('rejects when the SNS stops first, so that nothing undelivered passes for delivered', async () => {
    const { sns, publish } = await startSns();
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
    const { sns, publish, notices } = await startSns({ retryDelays: [20_000] });
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
    expect(notices.slice(said)).toEqual([]);
  });
});
