import { describe, expect, it } from 'vitest';
import type { Deliveries, NewDelivery } from '../../functions/delivery/deliveries.ts';

export const AT = Date.UTC(2026, 10, 21, 12);
const DAY = 86_400_000;

export const delivery = (eventId: string, more: Partial<NewDelivery> = {}): NewDelivery => ({
  endpoint: 'crm',
  eventId,
  at: AT,
  body: `{"id":"${eventId}"}`,
  attributes: { eventType: { Type: 'String', Value: 'task.updated' } },
  ...more,
});

/** What every store of deliveries must do: one suite for each of them. Each `create` begins with an empty one. */
export function deliveriesContract(name: string, create: () => Deliveries): void {
  describe(`deliveries in ${name}`, () => {
    const ids = async (all: Promise<readonly { readonly eventId: string }[]>) =>
      (await all).map(({ eventId }) => eventId);
    const filled = async (...eventIds: string[]) => {
      const deliveries = create();
      await deliveries.add(eventIds.map(id => delivery(id)));
      return deliveries;
    };
    const first = async (deliveries: Deliveries, now = AT) => {
      const [pending] = await deliveries.due('crm', now, 1);
      if (!pending) throw new Error('nothing is due');
      return pending;
    };

    it('invariant 11: are pending as they were added, in the order of their publication, until they are removed', async () => {
      const deliveries = await filled('e1', 'e2', 'e3');
      const due = await deliveries.due('crm', AT, 10);
      expect(due).toEqual([
        { ...delivery('e1'), seq: due[0]?.seq, due: AT, attempts: 0, triedAt: undefined },
        { ...delivery('e2'), seq: due[1]?.seq, due: AT, attempts: 0, triedAt: undefined },
        { ...delivery('e3'), seq: due[2]?.seq, due: AT, attempts: 0, triedAt: undefined },
      ]);
      await deliveries.remove('crm', [due[0]?.seq as number, due[2]?.seq as number]);
      expect(await ids(deliveries.due('crm', AT, 10))).toEqual(['e2']);
    });

    it('keep each character of an event', async () => {
      const deliveries = create();
      const body = '{"id":"x","name":"\\u0000 Größe 🎉 \\ud800"}';
      await deliveries.add([delivery('a#b/ü', { body })]);
      expect(await deliveries.due('crm', AT, 1)).toMatchObject([{ eventId: 'a#b/ü', body }]);
    });

    it('that were published before a time are given up together, the others wait on', async () => {
      const deliveries = create();
      const published = (eventId: string, at: number, endpoint = 'crm') =>
        delivery(eventId, { at, endpoint });
      await deliveries.add([published('e1', AT - 2), published('e2', AT), published('e1', AT - 2, 'chat')]);
      expect(await deliveries.buryBefore('crm', AT, { at: AT + 9, reason: 'old' })).toBe(1);
      expect(await deliveries.buryBefore('crm', AT, { at: AT + 9, reason: 'old' })).toBe(0);
      expect(await ids(deliveries.due('crm', AT, 9))).toEqual(['e2']);
      expect(await ids(deliveries.due('chat', AT, 9))).toEqual(['e1']);
      expect(await deliveries.dead('chat', 9)).toEqual([]);
      expect(await deliveries.dead('crm', 9)).toEqual([
        { ...published('e1', AT - 2), diedAt: AT + 9, reason: 'old', attempts: 0 },
      ]);
    });

    it('keep endpoints apart', async () => {
      const deliveries = create();
      await deliveries.add([delivery('e1'), delivery('e1', { endpoint: 'chat' })]);
      const { seq } = await first(deliveries);
      await deliveries.remove('chat', [seq]);
      await deliveries.bury('chat', seq, { at: AT, reason: 'no' });
      await deliveries.putOff('chat', seq, { at: AT, due: AT + 5 });
      expect(await ids(deliveries.due('crm', AT, 9))).toEqual(['e1']);
      expect(await ids(deliveries.due('chat', AT, 9))).toEqual(['e1']);
      expect(await deliveries.endpoints()).toEqual(['chat', 'crm']);
    });

    it('take an event that waits already for the same one', async () => {
      const deliveries = await filled('e1', 'e2');
      await deliveries.add([delivery('e1', { at: AT + 1 }), delivery('e3')]);
      expect(await ids(deliveries.due('crm', AT + 9, 9))).toEqual(['e1', 'e2', 'e3']);
    });

    it('are due no sooner than they are put off to, and tell their attempts', async () => {
      const deliveries = await filled('e1', 'e2');
      const { seq } = await first(deliveries);
      await deliveries.putOff('crm', seq, { at: AT + 1, due: AT + 100 });
      expect(await ids(deliveries.due('crm', AT + 99, 9))).toEqual(['e2']);
      expect(await deliveries.nextDue('crm', AT)).toBe(AT + 100);
      expect(await deliveries.nextDue('crm', AT + 100)).toBeUndefined();
      await deliveries.putOff('crm', seq, { at: AT + 101, due: AT + 200 });
      const due = await deliveries.due('crm', AT + 200, 9);
      expect(due.map(({ eventId, attempts, triedAt }) => [eventId, attempts, triedAt])).toEqual([
        ['e2', 0, undefined],
        ['e1', 2, AT + 1],
      ]);
    });

    it('show no more than was asked for, and none that somebody has in hand', async () => {
      const deliveries = await filled('e1', 'e2', 'e3');
      const [one, two] = await deliveries.due('crm', AT, 2);
      expect([one?.eventId, two?.eventId]).toEqual(['e1', 'e2']);
      expect(await ids(deliveries.due('crm', AT, 2, [one?.seq as number]))).toEqual(['e2', 'e3']);
    });

    it('are all due when they are brought forward', async () => {
      const deliveries = await filled('e1', 'e2');
      const { seq } = await first(deliveries);
      await deliveries.putOff('crm', seq, { at: AT, due: AT + DAY });
      expect(await deliveries.bringForward('crm', AT + 1)).toBe(1);
      expect(await ids(deliveries.due('crm', AT + 1, 9))).toEqual(['e2', 'e1']);
      expect(await deliveries.bringForward('nobody', AT)).toBe(0);
    });

    it('invariant 11: that are given up are dead letters, and nothing else', async () => {
      const deliveries = await filled('e1', 'e2');
      const { seq } = await first(deliveries);
      await deliveries.putOff('crm', seq, { at: AT, due: AT });
      await deliveries.bury('crm', seq, { at: AT + 7, reason: 'answered 500' });
      expect(await ids(deliveries.due('crm', AT + DAY, 9))).toEqual(['e2']);
      expect(await deliveries.dead('crm', 9)).toEqual([
        { ...delivery('e1'), diedAt: AT + 7, reason: 'answered 500', attempts: 2 },
      ]);
      expect(await deliveries.standing('crm')).toEqual({ pending: 1, oldest: AT, dead: 1 });
      expect(await deliveries.endpoints()).toEqual(['crm']);
    });

    it('invariant 11: come back from the dead in the order of their publication, and begin anew', async () => {
      const deliveries = await filled('e1', 'e2', 'e3');
      for (const { seq } of (await deliveries.due('crm', AT, 9)).toReversed())
        await deliveries.bury('crm', seq, { at: AT, reason: 'no' });
      await deliveries.add([delivery('e2', { at: AT + 1 })]);
      expect(await deliveries.revive('crm', AT + 50)).toBe(2);
      expect(await deliveries.dead('crm', 9)).toEqual([]);
      const due = await deliveries.due('crm', AT + 50, 9);
      expect(due.map(({ eventId, attempts, at }) => [eventId, attempts, at])).toEqual([
        ['e2', 0, AT + 1],
        ['e1', 0, AT],
        ['e3', 0, AT],
      ]);
    });

    it('forget dead letters when they are old, and no younger ones', async () => {
      const deliveries = await filled('e1', 'e2', 'e3');
      const due = await deliveries.due('crm', AT, 9);
      await deliveries.bury('crm', due[0]?.seq as number, { at: AT, reason: 'no' });
      await deliveries.bury('crm', due[1]?.seq as number, { at: AT + DAY, reason: 'no' });
      expect(await deliveries.expire(AT + DAY)).toBe(1);
      expect(await ids(deliveries.dead('crm', 9))).toEqual(['e2']);
      expect(await deliveries.standing('crm')).toMatchObject({ pending: 1, dead: 1 });
    });

    it('of an endpoint that nothing waits for are none', async () => {
      const deliveries = create();
      expect(await deliveries.standing('crm')).toEqual({ pending: 0, oldest: undefined, dead: 0 });
      expect(await deliveries.due('crm', AT, 9)).toEqual([]);
      expect(await deliveries.nextDue('crm', AT)).toBeUndefined();
      expect(await deliveries.revive('crm', AT)).toBe(0);
      expect(await deliveries.endpoints()).toEqual([]);
      await deliveries.add([]);
      await deliveries.remove('crm', []);
    });
  });
}
