import { beforeEach, describe, expect, it } from 'vitest';
import type { PendingDelivery } from '../../../functions/model/delivery.ts';
import { createDeliveries } from '../../../functions/store/dynamo/store.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';
import { openModel } from '../../kit/table.ts';

describe('deliveries in the table', () => {
  const DAY_S = 86_400;
  const NAME = 'a.b#c';
  const of = (eventId: string, more = {}) => delivery(eventId, { endpoint: NAME, ...more });
  let opened: ReturnType<typeof openModel>;
  let sent: { input: Record<string, unknown> }[];
  /** Runs before a command gets to the table, and may throw in its stead. */
  let before: (command: object) => void | Promise<void>;
  beforeEach(() => {
    sent = [];
    before = () => undefined;
    opened = openModel(command => {
      sent.push(command as (typeof sent)[0]);
      return before(command);
    });
  });
  const deliveries = () => createDeliveries(opened);
  const items = () => [...opened.model.items()].map(item => [item.sk?.S, Number(item.expiresAt?.N)]);
  const [seconds] = [AT / 1_000];

  it('have the keys and the times to live that the architecture tells', async () => {
    const store = deliveries();
    await store.add([of('x.1'), of('x.2', { due: AT + 5_000 })]);
    await store.addDead(of('x.3'), { at: AT + 9_000, reason: 'no' });
    const event = { id: 'x.1', type: 'task.updated' };
    await store.note([{ endpoint: NAME, at: AT, events: [event], took: 1 }]);
    expect(items()).toEqual([
      [`ATTEMPT#${AT}#x%2E1`, seconds + 7 * DAY_S],
      [`DEAD#${AT}#x%2E3`, seconds + 9 + 30 * DAY_S],
      [`PENDING#${AT}#x%2E1`, seconds + 30 * DAY_S],
      [`PENDING#${AT}#x%2E2`, seconds + 5 + 30 * DAY_S],
    ]);
    const partitions = new Set([...opened.model.items()].map(({ pk }) => pk?.S));
    expect(partitions).toEqual(new Set(['ENDPOINT#a%2Eb%23c']));
    expect((await store.due(NAME, AT, 1))[0]?.place).toBe(`${AT}#x%2E1`);
  });

  it('have a row by the event of an attempt that was late, and of no other', async () => {
    const store = deliveries();
    const note = (at: number) =>
      store.note([{ endpoint: NAME, at, events: [{ id: 'x.1', type: 'task.updated', at: AT }], took: 1 }]);
    await note(AT);
    await note(AT + 10_000);
    expect(items().map(([sk]) => sk)).toEqual([`ATTEMPT#${AT}#x%2E1`, `ATTEMPT#${AT + 10_000}#x%2E1`]);
    await note(AT + 10_001);
    expect(items().at(-1)).toEqual([`LATE#x%2E1#${AT + 10_001}`, seconds + 10 + 7 * DAY_S]);
    expect(items()).toHaveLength(4);
  });

  it('live longer when they are put off, brought forward, or come back', async () => {
    const store = deliveries();
    await store.add([of('e1')]);
    const place = `${AT}#e1`;
    for (const due of [AT + 60_000, AT + 120_000]) {
      await store.reschedule(NAME, place, { at: AT, due });
      expect(items()).toEqual([[`PENDING#${place}`, due / 1_000 + 30 * DAY_S]]);
    }
    await store.bringForward(NAME, AT + 9_000);
    expect(items()).toEqual([[`PENDING#${place}`, seconds + 9 + 30 * DAY_S]]);
    await store.deadLetter(NAME, place, { at: AT, reason: 'no' });
    await store.requeue(NAME, AT + 20_000);
    expect(items()).toEqual([[`PENDING#${place}`, seconds + 20 + 30 * DAY_S]]);
  });

  it('are written ten at once, and no more', async () => {
    let [now, most] = [0, 0];
    before = async () => {
      most = Math.max(most, ++now);
      await new Promise(resolve => setImmediate(resolve));
      now -= 1;
    };
    await deliveries().add(Array.from({ length: 35 }, (_, index) => of(`e${index}`)));
    expect([most, sent.length]).toEqual([10, 35]);
  });

  it('are asked for by few items first, and by more as none of them is due', async () => {
    const store = deliveries();
    await store.add(Array.from({ length: 60 }, (_, index) => of(`e${index}`, { due: AT + 1 })));
    sent = [];
    expect(await store.due(NAME, AT, 3, ['one'])).toEqual([]);
    expect(sent.map(({ input }) => input.Limit)).toEqual([4, 8, 16, 32, 64]);
    sent = [];
    expect(await store.due(NAME, AT + 1, 3)).toHaveLength(3);
    expect(sent.map(({ input }) => input.Limit)).toEqual([3]);
    sent = [];
    await store.due(NAME, AT, 5_000);
    expect(sent.map(({ input }) => input.Limit)).toEqual([1_000]);
  });

  it('that were given up are asked for at once, no more than shall come back', async () => {
    const store = deliveries();
    for (const id of ['e1', 'e2', 'e3']) await store.addDead(of(id), { at: AT, reason: 'no' });
    const queries = () =>
      sent.flatMap(({ input }) => ('KeyConditionExpression' in input ? [input.Limit] : []));
    sent = [];
    expect(await store.requeue(NAME, AT, undefined, 2)).toBe(2);
    expect(queries()).toEqual([2]);
    sent = [];
    expect(await store.requeue(NAME, AT)).toBe(1);
    expect(queries()).toEqual([undefined]);
  });

  it('are counted by their keys alone, of which no more are read than shall be counted', async () => {
    const store = deliveries();
    await store.add([of('e1'), of('e2'), of('e3')]);
    const read = () => sent.map(({ input }) => [input.ProjectionExpression, input.Limit]);
    sent = [];
    await store.counts(NAME, 2);
    expect(read()).toEqual(Array(2).fill(['sk', 2]));
    sent = [];
    await store.counts(NAME);
    expect(read()).toEqual(Array(2).fill(['sk', undefined]));
  });

  it('that are delivered while they are given up, or come back, are neither dead nor pending', async () => {
    const store = deliveries();
    await store.add([of('e1')]);
    const place = `${AT}#e1`;
    before = async command => {
      if (command.constructor.name !== 'TransactWriteItemsCommand') return;
      before = () => undefined;
      await store.remove(NAME, [place]);
    };
    await store.deadLetter(NAME, place, { at: AT, reason: 'no' });
    expect(items()).toEqual([]);
    await store.addDead(of('e1'), { at: AT, reason: 'no' });
    before = async command => {
      if (command.constructor.name !== 'TransactWriteItemsCommand') return;
      before = () => undefined;
      await deliveries().requeue(NAME, AT);
      await store.remove(NAME, [place]);
    };
    expect(await store.requeue(NAME, AT)).toBe(0);
    expect(items()).toEqual([]);
  });

  describe('for a consumer', () => {
    /** Acts before each write of a lease, by its number. */
    const onWrite = (act: (number: number, command: object) => unknown) => {
      let writes = 0;
      before = async command => {
        if (/^(Update|Delete)/.test(command.constructor.name)) await act(++writes, command);
      };
    };
    const failAt = (failing: number) =>
      onWrite(number => number === failing && Promise.reject(new Error('table down')));
    beforeEach(() => deliveries().add(['p.1.1.0', 'p.2.1.0', 'p.3.1.0', 'p.4.1.0'].map(id => of(id))));
    const take = async (now = AT) => {
      const request = { token: 'a', now, until: now + 9, limit: 9, bytes: 999 };
      return (await deliveries().lease(NAME, request)).map(({ place }) => place);
    };
    const end = (places: string[], due?: number, ended?: PendingDelivery[]) =>
      deliveries().endLease(NAME, { token: 'a', now: AT, places, due }, ended);

    it('are leased, returned and removed though answers are lost, so that the SDK repeats the writes', async () => {
      onWrite((_, command) => opened.model.run(command));
      const [first = '', ...others] = await take();
      expect(await end([first], AT + 1)).toHaveLength(1);
      expect(await end(others)).toHaveLength(3);
    });

    it('are not ended if another write comes first', async () => {
      const [place = ''] = await take();
      onWrite(number => number === 1 && deliveries().reschedule(NAME, place, { at: AT, due: AT + 20 }));
      expect(await end([place])).toEqual([]);
    });

    it('that were leased or removed before a write failed are known', async () => {
      failAt(1);
      await expect(take()).rejects.toThrow('table down');
      failAt(3);
      expect(await take()).toHaveLength(2);
      const places = await take(AT + 9);
      failAt(3);
      const ended: PendingDelivery[] = [];
      await expect(end(places, undefined, ended)).rejects.toThrow('table down');
      expect(ended).toHaveLength(3);
    });
  });

  it('an attempt that a throttled table refuses is lost at once', async () => {
    const throttled = Object.assign(new Error(), { name: 'ThrottlingException' });
    before = () => {
      throw throttled;
    };
    const attempt = { endpoint: NAME, at: AT, events: [{ id: 'e', type: 'task.updated' }], took: 1 };
    await expect(deliveries().note([attempt])).rejects.toBe(throttled);
    expect(sent).toHaveLength(1);
  });
});
