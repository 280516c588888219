import { beforeEach, describe, expect, it } from 'vitest';
import type { Attempt, NewDelivery } from '../../../functions/model/delivery.ts';
import type { AttemptStretch, Deliveries } from '../../../functions/store/store.ts';
import { AT, delivery } from '../../kit/store/delivery.ts';

type Sent = readonly [id: string, publishedAt: number];

const DAY = 86_400_000;

/** So that stores which outlive a test have none of another one's. */
let round = 0;

/** What every store of deliveries must do: one suite for each of them. */
export function deliveriesContract(create: () => Deliveries, many: number): void {
  describe('deliveries', () => {
    let crm: string;
    let chat: string;
    let deliveries: Deliveries;
    beforeEach(() => {
      round += 1;
      crm = `crm ${round}`;
      chat = `chat ${round}`;
      deliveries = create();
    });
    const of = (eventId: string, more: Partial<NewDelivery> = {}) =>
      delivery(eventId, { endpoint: crm, ...more });
    const add = (...eventIds: string[]) => deliveries.add(eventIds.map(id => of(id)));
    const ids = async (all: Promise<readonly { readonly eventId: string }[]>) =>
      (await all).map(({ eventId }) => eventId);
    const first = async (now = AT) => {
      const [pending] = await deliveries.due(crm, now, 1);
      if (!pending) throw new Error('nothing is due');
      return pending;
    };
    const no = { at: AT, reason: 'no' };
    const attempt = (at: number, more: Partial<Attempt> = {}): Attempt => ({
      ...{ endpoint: crm, at, took: 12, status: 200, events: [{ id: `e${at}`, type: 'task.updated' }] },
      ...more,
    });
    const SOME: unknown = expect.any(String);

    it('invariant 11: are pending as they were added, in the order of their publication, until they are removed', async () => {
      await add('e2', 'e3');
      await deliveries.add([of('e0', { at: AT + 1 }), of('e1', { at: AT - 1 })]);
      const due = await deliveries.due(crm, AT + 1, 10);
      const waiting = (eventId: string, at: number, index: number) => ({
        ...of(eventId, { at }),
        ...{ place: due[index]?.place, due: at, attempts: 0, triedAt: undefined },
      });
      expect(due).toEqual([
        waiting('e1', AT - 1, 0),
        waiting('e2', AT, 1),
        waiting('e3', AT, 2),
        waiting('e0', AT + 1, 3),
      ]);
      await deliveries.remove(crm, [due[0]?.place as string, due[2]?.place as string]);
      expect(await ids(deliveries.due(crm, AT + 1, 10))).toEqual(['e2', 'e0']);
    });

    it('keep what is known of them when they are added', async () => {
      const known = { due: AT + 50, attempts: 4, triedAt: AT - 9, replay: true };
      await deliveries.add([of('e1', known)]);
      expect(await deliveries.due(crm, AT + 49, 1)).toEqual([]);
      const { place, ...rest } = await first(AT + 50);
      expect(rest).toEqual(of('e1', known));
      await deliveries.reschedule(crm, place, { at: AT + 50, due: AT + 60 });
      expect(await first(AT + 60)).toMatchObject({ attempts: 5, triedAt: AT - 9, replay: true });
    });

    it.each([
      ['any character', '{"id":"x","name":"\\u0000 Größe 🎉 \\ud800"}'],
      ['nothing', ''],
      ['as much as an event may', Array.from({ length: 250_000 }, (_, at) => at % 7).join('')],
    ])('keep a body of %s', async (_, body) => {
      await deliveries.add([of('a#b/ü', { body })]);
      expect(await first()).toMatchObject({ eventId: 'a#b/ü', body });
      await deliveries.deadLetter(crm, (await first()).place, no);
      expect(await deliveries.dead(crm, 1)).toMatchObject([{ eventId: 'a#b/ü', body }]);
      expect(await deliveries.requeue(crm, AT, 'a#b/ü')).toBe(1);
      expect(await first()).toMatchObject({ eventId: 'a#b/ü', body });
    });

    it('of events with endless ids are told apart', async () => {
      const long = ['x', 'y'].map(last => `${'ü'.repeat(1_000)}${last}`);
      await add(...long, ...long);
      expect((await ids(deliveries.due(crm, AT, 9))).toSorted()).toEqual(long);
      await deliveries.deadLetter(crm, (await first()).place, no);
      await deliveries.remove(crm, [(await first()).place]);
      expect(await deliveries.counts(crm)).toEqual({ pending: 0, oldest: undefined, dead: 1 });
    });

    it('are forgotten by their events, whatever else waits', async () => {
      const deliveries = create();
      const replayed = delivery('e4', { replay: true });
      await deliveries.add([delivery('e1'), delivery('e2'), replayed, delivery('e1', { endpoint: 'chat' })]);
      await deliveries.forget([delivery('e1'), delivery('e3'), replayed]);
      expect(await ids(deliveries.due('crm', AT, 9))).toEqual(['e2']);
      expect(await ids(deliveries.due('chat', AT, 9))).toEqual(['e1']);
    });

    it('that wait since before a time are given up together, the others wait on', async () => {
      const published = (eventId: string, at: number, endpoint = crm) => of(eventId, { at, endpoint });
      await deliveries.add([published('e1', AT - 2), published('e2', AT), published('e1', AT - 2, chat)]);
      expect(await deliveries.deadLetterBefore(crm, AT, { at: AT + 9, reason: 'old' })).toEqual(['e1']);
      expect(await deliveries.deadLetterBefore(crm, AT, { at: AT + 9, reason: 'old' })).toEqual([]);
      expect(await ids(deliveries.due(crm, AT, 9))).toEqual(['e2']);
      expect(await ids(deliveries.due(chat, AT, 9))).toEqual(['e1']);
      expect(await deliveries.dead(chat, 9)).toEqual([]);
      expect(await deliveries.dead(crm, 9)).toEqual([
        { ...published('e1', AT - 2), diedAt: AT + 9, reason: 'old', attempts: 0, place: SOME },
      ]);
    });

    describe('of a replay', () => {
      const replayed = (eventId: string, at: number) => of(eventId, { at, due: AT, replay: true });

      it('are due after all live ones, however old they are', async () => {
        await deliveries.add([replayed('e1', AT - 9), of('e2', { at: AT - 8 })]);
        await deliveries.add([replayed('e3', AT - 7), of('e4', { at: AT - 6 })]);
        expect(await ids(deliveries.due(crm, AT, 9))).toEqual(['e2', 'e4', 'e1', 'e3']);
        expect(await ids(deliveries.due(crm, AT, 3))).toEqual(['e2', 'e4', 'e1']);
        expect(await deliveries.counts(crm)).toMatchObject({ pending: 4, oldest: AT - 9 });
        expect(await deliveries.find(crm, { eventId: 'e1', at: AT - 9 })).toMatchObject({ replay: true });
      });

      it('are not given up for their age: they wait since they were added', async () => {
        await deliveries.add([replayed('e1', AT - 9), of('e2', { at: AT - 8 })]);
        await deliveries.add([replayed('e3', AT - 1), of('e4', { at: AT - 1 })]);
        expect(await deliveries.deadLetterBefore(crm, AT - 1, no)).toEqual(['e2']);
        expect(await ids(deliveries.due(crm, AT, 9))).toEqual(['e4', 'e1', 'e3']);
        expect(await ids(deliveries.dead(crm, 9))).toEqual(['e2']);
      });

      it('are dead letters of their event, and replayed again when they are requeued', async () => {
        await deliveries.add([replayed('e1', AT - 9), of('e2', { at: AT - 8 })]);
        for (const { place } of await deliveries.due(crm, AT, 9)) await deliveries.deadLetter(crm, place, no);
        expect(await deliveries.findDead(crm, { eventId: 'e1', at: AT - 9 })).toMatchObject({ replay: true });
        expect(await deliveries.requeue(crm, AT)).toBe(2);
        expect(await ids(deliveries.due(crm, AT, 9))).toEqual(['e2', 'e1']);
      });
    });

    it('keep endpoints apart', async () => {
      await deliveries.add([of('e1'), of('e1', { endpoint: chat, at: AT + 1 })]);
      const { place } = await first();
      await deliveries.remove(chat, [place]);
      await deliveries.deadLetter(chat, place, no);
      await deliveries.reschedule(chat, place, { at: AT, due: AT + 5 });
      expect(await ids(deliveries.due(crm, AT + 1, 9))).toEqual(['e1']);
      expect(await ids(deliveries.due(chat, AT + 1, 9))).toEqual(['e1']);
      expect(await deliveries.dead(chat, 9)).toEqual([]);
    });

    it('take an event that waits already for the same one', async () => {
      await add('e1', 'e2');
      await deliveries.reschedule(crm, (await first()).place, { at: AT, due: AT + 1 });
      await add('e1', 'e3', 'e3');
      const due = await deliveries.due(crm, AT + 9, 9);
      expect(due.map(({ eventId, attempts }) => [eventId, attempts])).toEqual([
        ['e1', 1],
        ['e2', 0],
        ['e3', 0],
      ]);
    });

    it('are due no sooner than they are put off to, and tell their attempts', async () => {
      await add('e1', 'e2');
      const { place } = await first();
      await deliveries.reschedule(crm, place, { at: AT + 1, due: AT + 100 });
      expect(await ids(deliveries.due(crm, AT + 99, 9))).toEqual(['e2']);
      expect(await deliveries.nextDue(crm, AT)).toBe(AT + 100);
      expect(await deliveries.nextDue(crm, AT - 1)).toBe(AT);
      expect(await deliveries.nextDue(crm, AT + 100)).toBeUndefined();
      await deliveries.reschedule(crm, place, { at: AT + 101, due: AT + 200 });
      const due = await deliveries.due(crm, AT + 200, 9);
      expect(due.map(({ eventId, attempts, triedAt }) => [eventId, attempts, triedAt])).toEqual([
        ['e1', 2, AT + 1],
        ['e2', 0, undefined],
      ]);
    });

    it('tell when the next of them becomes due, whichever was published first', async () => {
      const dues = [30, 10, 20].map((wait, at) => of(`e${at}`, { at: AT + at, due: AT + wait }));
      await deliveries.add(dues);
      expect(await deliveries.nextDue(crm, AT)).toBe(AT + 10);
      expect(await deliveries.nextDue(crm, AT + 10)).toBe(AT + 20);
    });

    it('show no more than was asked for, and none that somebody has in hand', async () => {
      await add('e1', 'e2', 'e3');
      const [one, two] = await deliveries.due(crm, AT, 2);
      expect([one?.eventId, two?.eventId]).toEqual(['e1', 'e2']);
      expect(await ids(deliveries.due(crm, AT, 2, [one?.place as string]))).toEqual(['e2', 'e3']);
      expect(await deliveries.due(crm, AT, 0)).toEqual([]);
    });

    it('are found behind many that are not due', async () => {
      const all = Array.from({ length: 60 }, (_, index) =>
        of(`e${index}`, { at: AT + index, due: index < 57 ? AT + DAY : AT }),
      );
      await deliveries.add(all);
      expect(await ids(deliveries.due(crm, AT, 2))).toEqual(['e57', 'e58']);
      expect(await deliveries.counts(crm)).toEqual({ pending: 60, oldest: AT, dead: 0 });
    });

    it('are all due when they are brought forward', async () => {
      await add('e1', 'e2');
      await deliveries.reschedule(crm, (await first()).place, { at: AT, due: AT + DAY });
      expect(await deliveries.bringForward(crm, AT + 1)).toBe(1);
      expect(await ids(deliveries.due(crm, AT + 1, 9))).toEqual(['e1', 'e2']);
      expect(await deliveries.bringForward('nobody', AT)).toBe(0);
    });

    it('that are gone are neither put off nor given up', async () => {
      await add('e1');
      const { place } = await first();
      await deliveries.remove(crm, [place]);
      await deliveries.reschedule(crm, place, { at: AT, due: AT });
      await deliveries.deadLetter(crm, place, no);
      expect(await deliveries.counts(crm)).toEqual({ pending: 0, oldest: undefined, dead: 0 });
    });

    it('invariant 11: that are given up are dead letters, and nothing else', async () => {
      await deliveries.add([of('e1', { replay: true }), of('e2', { replay: true })]);
      const { place } = await first();
      await deliveries.reschedule(crm, place, { at: AT, due: AT });
      await deliveries.deadLetter(crm, place, { at: AT + 7, reason: 'answered 500' });
      expect(await ids(deliveries.due(crm, AT + DAY, 9))).toEqual(['e2']);
      expect(await deliveries.dead(crm, 9)).toEqual([
        { ...of('e1', { replay: true }), diedAt: AT + 7, reason: 'answered 500', attempts: 2, place: SOME },
      ]);
      expect(await deliveries.counts(crm)).toEqual({ pending: 1, oldest: AT, oldestReplayed: AT, dead: 1 });
    });

    it('invariant 11: that never waited can be given up, and that wait are then dead alone', async () => {
      await add('e2');
      const death = { at: AT + 7, reason: 'stopped' };
      await deliveries.addDead(of('e1', { attempts: 3, triedAt: AT }), death);
      await deliveries.addDead(of('e2'), death);
      expect(await deliveries.counts(crm)).toEqual({ pending: 0, oldest: undefined, dead: 2 });
      expect(await deliveries.dead(crm, 9)).toEqual([
        { ...of('e1'), attempts: 3, diedAt: AT + 7, reason: 'stopped', place: SOME },
        { ...of('e2'), attempts: 0, diedAt: AT + 7, reason: 'stopped', place: SOME },
      ]);
      expect(await deliveries.requeue(crm, AT)).toBe(2);
      expect(await first()).toMatchObject({ eventId: 'e1', attempts: 0, triedAt: undefined });
    });

    it('that die again are one dead letter, the last', async () => {
      for (const reason of ['once', 'again']) {
        await add('e1');
        await deliveries.deadLetter(crm, (await first()).place, { at: AT, reason });
      }
      expect(await deliveries.dead(crm, 9)).toMatchObject([{ eventId: 'e1', reason: 'again' }]);
    });

    it('invariant 11: come back from the dead in the order of their publication, and begin anew', async () => {
      await deliveries.add([of('e1', { at: AT - 1 }), of('e2'), of('e3', { at: AT + 1, replay: true })]);
      for (const { place } of (await deliveries.due(crm, AT + 1, 9)).toReversed()) {
        await deliveries.reschedule(crm, place, { at: AT, due: AT });
        await deliveries.deadLetter(crm, place, no);
      }
      expect(await ids(deliveries.dead(crm, 2))).toEqual(['e1', 'e2']);
      await add('e2');
      expect(await deliveries.requeue(crm, AT + 50)).toBe(2);
      expect(await deliveries.dead(crm, 9)).toEqual([]);
      const anew = { due: AT + 50, attempts: 0, triedAt: undefined };
      expect(await deliveries.due(crm, AT + 50, 9)).toEqual([
        { ...of('e1', { at: AT - 1 }), ...anew, place: expect.any(String) },
        { ...of('e2'), ...anew, due: AT, place: expect.any(String) },
        { ...of('e3', { at: AT + 1, replay: true }), ...anew, place: expect.any(String) },
      ]);
    });

    it('that come back because their event was asked for go out as a replay does', async () => {
      await add('e1', 'e2');
      for (const { place } of await deliveries.due(crm, AT, 9)) await deliveries.deadLetter(crm, place, no);
      expect(await deliveries.requeue(crm, AT, 'e2')).toBe(1);
      expect(await deliveries.requeue(crm, AT, 'e2')).toBe(0);
      expect(await ids(deliveries.dead(crm, 9))).toEqual(['e1']);
      expect(await first()).toMatchObject({ eventId: 'e2', replay: true });
      await deliveries.remove(crm, [(await first()).place]);
      await deliveries.requeue(crm, AT);
      expect(await first()).not.toHaveProperty('replay');
    });

    it('are found by their event while they wait, each endpoint’s own', async () => {
      const [one, strange] = [of('e1', { due: AT + 9_000 }), of('a#b/ü')];
      await deliveries.add([one, strange]);
      expect(await deliveries.find(crm, one)).toMatchObject({ eventId: 'e1', due: AT + 9_000 });
      expect(await deliveries.find(crm, strange)).toEqual(await first());
      expect(await deliveries.find(chat, one)).toBeUndefined();
      await deliveries.remove(crm, [(await first()).place]);
      expect(await deliveries.find(crm, strange)).toBeUndefined();
    });

    it('that were given up are found by their event, each endpoint’s own', async () => {
      const [one, strange] = [of('e1'), of('a#b/ü')];
      await deliveries.addDead(one, no);
      await deliveries.addDead(strange, no);
      expect(await deliveries.findDead(crm, one)).toMatchObject({ eventId: 'e1', reason: 'no' });
      expect(await deliveries.findDead(crm, strange)).toMatchObject({ eventId: 'a#b/ü' });
      expect(await deliveries.findDead(chat, one)).toBeUndefined();
      expect(await deliveries.findDead(crm, of('e2'))).toBeUndefined();
    });

    it('that were given up are told page by page, each once, in the order of their publication', async () => {
      const all = [AT + 2, AT, AT, AT + 1, AT].map((at, index) => of(`e${index}`, { at }));
      for (const each of all) await deliveries.addDead(each, no);
      const found: string[] = [];
      for (let after: string | undefined; ; ) {
        const page = await deliveries.dead(crm, 2, after);
        found.push(...page.map(({ eventId }) => eventId));
        after = page.at(-1)?.place;
        if (page.length < 2) break;
      }
      expect(found).toEqual(['e1', 'e2', 'e4', 'e3', 'e0']);
    });

    it('are told page by page, each once, due or not, live or replayed, also where a page was removed', async () => {
      const all = [AT + 2, AT, AT, AT + 1, AT].map((at, index) =>
        of(`e${index}`, { at, due: AT + 9 * index, replay: index === 1 }),
      );
      await deliveries.add([...all, of('e9', { endpoint: chat })]);
      const found: string[] = [];
      let page = await deliveries.pending(crm, 2);
      for (; page.length > 0; page = await deliveries.pending(crm, 2, page.at(-1))) {
        expect(page.length).toBeLessThanOrEqual(2);
        found.push(...page.map(({ eventId }) => eventId));
        await deliveries.remove(crm, [page[0]?.place as string]);
      }
      expect(found.toSorted()).toEqual(['e0', 'e1', 'e2', 'e3', 'e4']);
      expect((await deliveries.counts(crm)).pending).toBe(2);
      expect(await ids(deliveries.pending(chat, 9))).toEqual(['e9']);
    });

    it('that were given up are removed by their places, each endpoint’s own', async () => {
      for (const endpoint of [crm, chat])
        for (const id of ['e1', 'e2', 'e3']) await deliveries.addDead(of(id, { endpoint }), no);
      const [one, , three] = await deliveries.dead(crm, 9);
      await deliveries.removeDead(crm, [one?.place as string, three?.place as string]);
      expect(await ids(deliveries.dead(crm, 9))).toEqual(['e2']);
      expect(await ids(deliveries.dead(chat, 9))).toEqual(['e1', 'e2', 'e3']);
    });

    it('come back from the dead at most so many at once, the oldest first', async () => {
      for (const [index, at] of [AT + 2, AT + 1, AT].entries())
        await deliveries.addDead(of(`e${index}`, { at }), no);
      expect(await deliveries.requeue(crm, AT + 9, undefined, 2)).toBe(2);
      expect(await ids(deliveries.dead(crm, 9))).toEqual(['e0']);
      expect(await ids(deliveries.due(crm, AT + 9, 9))).toEqual(['e2', 'e1']);
    });

    it('are counted no further than is asked for', async () => {
      await add('e1', 'e2', 'e3');
      for (const id of ['d1', 'd2']) await deliveries.addDead(of(id), no);
      expect(await deliveries.counts(crm, 2)).toEqual({ pending: 2, oldest: AT, dead: 2 });
      expect(await deliveries.counts(crm, 3)).toEqual({ pending: 3, oldest: AT, dead: 2 });
    });

    it('tell an attempt that told of no event, however early it was', async () => {
      const attempts = [attempt(1, { events: [] }), attempt(1, { took: 13 })] as const;
      const told = (stretch: AttemptStretch) => deliveries.attempts(crm, 9, stretch);
      await deliveries.note(attempts);
      expect(await told({ oldestFirst: true })).toEqual(attempts);
      expect(await told({ oldestFirst: true, after: attempts[0] })).toEqual([attempts[1]]);
      expect(await told({ after: attempts[1] })).toEqual([attempts[0]]);
    });

    it('tell the attempts before a time, however early that is', async () => {
      const attempts = [1, 1_000].map(at => attempt(at, { events: [] }));
      await deliveries.note(attempts);
      expect(await deliveries.attempts(crm, 9, { until: 2 })).toEqual(attempts.slice(0, 1));
    });

    it('tell the attempts of a stretch, from either end, behind any of them', async () => {
      const named = (id: string) => attempt(AT, { events: [{ id, type: 'task.updated' }] });
      const later = [attempt(AT + 1), attempt(AT + 2), attempt(AT + 3)] as const;
      const all = [named('a'), named('b'), ...later] as const;
      await deliveries.note(all);
      const told = async (stretch: AttemptStretch, limit = 9) =>
        (await deliveries.attempts(crm, limit, stretch)).map(each =>
          all.findIndex(one => one.events[0]?.id === each.events[0]?.id),
        );
      expect(await told({ since: AT + 1 })).toEqual([4, 3, 2]);
      expect(await told({ until: AT + 2 })).toEqual([2, 1, 0]);
      expect(await told({ since: AT + 1, until: AT + 3, oldestFirst: true })).toEqual([2, 3]);
      expect(await told({ until: AT + 1, oldestFirst: true })).toEqual([0, 1]);
      expect(await told({ since: AT, until: AT })).toEqual([]);
      expect(await told({ after: all[1] })).toEqual([0]);
      expect(await told({ after: all[1], oldestFirst: true }, 2)).toEqual([2, 3]);
      expect(await told({ after: all[3], since: AT + 1 }, 1)).toEqual([2]);
      expect(await told({}, 0)).toEqual([]);
    });

    it('invariant 11: find the attempts of any event among thousands, whenever they were made', async () => {
      const attemptOf = (at: number, ...sent: readonly Sent[]) =>
        attempt(at, { events: sent.map(([id, published]) => ({ id, type: 'task.updated', at: published })) });
      // A burst of events of one moment, sent within minutes; each tenth is retried an hour and a day later.
      const burst = Array.from({ length: many }, (_, index) => [`p.${index}.1.0`, AT + index] as const);
      const sentAfter = (index: number) => 50 + index * 30;
      const retries = [3_600_000, DAY].flatMap(after =>
        burst.flatMap((each, index) => (index % 10 ? [] : attemptOf(AT + after + index, each))),
      );
      const [first, middle, last] = [burst[0], burst[many / 2], burst[many - 1]] as [Sent, Sent, Sent];
      const inOne = attemptOf(AT + 2 * DAY, first, middle, last);
      const elsewhere = { ...attemptOf(AT + 2 * DAY, middle), endpoint: chat };
      const firsts = burst.map((each, index) => attemptOf(AT + sentAfter(index), each));
      await deliveries.note([...firsts, ...retries, inOne, elsewhere]);
      const times = async ([eventId, at]: Sent, limit = 9) =>
        (await deliveries.attemptsOf(crm, { eventId, at }, limit)).map(each => each.at - AT);
      expect(await times(first)).toEqual([50, 3_600_000, DAY, 2 * DAY]);
      const half = many / 2;
      expect(await times(middle)).toEqual([sentAfter(half), 3_600_000 + half, DAY + half, 2 * DAY]);
      expect(await times(last)).toEqual([sentAfter(many - 1), 2 * DAY]);
      expect(await times(first, 2)).toEqual([DAY, 2 * DAY]);
      const plain = ({ events, ...rest }: Attempt) => ({
        ...rest,
        events: events.map(({ id, type }) => ({ id, type })),
      });
      const event = { eventId: last[0], at: last[1] };
      expect((await deliveries.attemptsOf(crm, event, 1))[0]).toEqual(plain(inOne));
      const other = await deliveries.attemptsOf(chat, { eventId: middle[0], at: middle[1] }, 9);
      expect(other).toEqual([plain(elsewhere)]);
      expect(await times(['p.1.1', AT])).toEqual([]);
    });

    it('find an attempt that began early by the clocks, of an event with an endless id, noted twice', async () => {
      const id = 'ü'.repeat(1_000);
      const events = ['x', 'y'].map(last => ({ id: id + last, type: 'task.updated', at: AT }));
      for (const at of [AT - 9_999_999, AT - 1, AT + 9_999, AT + 10_000, AT + 10_001]) {
        const attempt: Attempt = { endpoint: crm, at, took: 1, failure: 'it hung', events };
        await deliveries.note([attempt]);
        await deliveries.note([attempt]);
      }
      const found = await deliveries.attemptsOf(crm, { eventId: `${id}y`, at: AT }, 9);
      expect(found.map(({ at }) => at - AT)).toEqual([-9_999_999, -1, 9_999, 10_000, 10_001]);
    });

    it('of an endpoint that nothing waits for are none', async () => {
      expect(await deliveries.counts(crm)).toEqual({ pending: 0, oldest: undefined, dead: 0 });
      expect(await deliveries.due(crm, AT, 9)).toEqual([]);
      expect(await deliveries.nextDue(crm, AT)).toBeUndefined();
      expect(await deliveries.requeue(crm, AT)).toBe(0);
      expect(await deliveries.attempts(crm, 9)).toEqual([]);
      await deliveries.add([]);
      await deliveries.remove(crm, []);
      await deliveries.note([]);
    });

    it('tell their last attempts, the newest first, each endpoint’s own', async () => {
      const failed = attempt(AT + 1, { failure: 'it hung', answer: '\ud800 \0' });
      const events = ['e1', 'e2'].map(id => ({ id, type: 'task.created' }));
      const told = attempt(AT + 2, { events });
      await deliveries.note([attempt(AT, { took: 99 })]);
      await deliveries.note([told, attempt(AT), failed, attempt(AT + 3, { endpoint: chat })]);
      await deliveries.note([attempt(AT + 1, { events: [{ id: 'z', type: 'task.updated' }] })]);
      expect(await deliveries.attempts(crm, 1)).toEqual([told]);
      expect(await deliveries.attempts(crm, 9)).toHaveLength(4);
      expect(await deliveries.attempts(crm, 9)).toContainEqual(failed);
      expect((await deliveries.attempts(crm, 9)).at(-1)).toEqual(attempt(AT));
      expect(await deliveries.attempts(chat, 9)).toEqual([attempt(AT + 3, { endpoint: chat })]);
    });
  });
}
