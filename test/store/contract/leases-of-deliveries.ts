import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Deliveries } from '../../../functions/store/store.ts';

let endpoints = 0;

/** What a store must do for the consumers of a pull endpoint. */
export function deliveryLeasesContract(opened: () => Deliveries, numRuns: number): void {
  const fresh = () => `pull-${++endpoints}-${Math.random()}`;
  /** An event of a project, the `index`th that was published. */
  const delivery = (endpoint: string, project: number, index: number, body = 'x') => {
    const at = 1e12 + index;
    return { endpoint, eventId: `p.${project}.${at}.0`, at, body, attributes: {}, due: 0 };
  };
  /** A store with an event of each of these projects in turn, and the bodies of these sizes. */
  const stored = async (projects: readonly number[], sizes: readonly number[] = []) => {
    const [store, endpoint] = [opened(), fresh()];
    const bodyOf = (index: number) => 'x'.repeat(sizes[index] ?? 1);
    const all = projects.map((project, index) => delivery(endpoint, project, index, bodyOf(index)));
    await store.add(all);
    return { store, endpoint, all };
  };
  const request = { token: 'a', now: 10, until: 70, limit: 10, bytes: 1_000_000 };
  const ids = (all: readonly { eventId: string }[]) => all.map(({ eventId }) => eventId);

  describe('leases of deliveries', () => {
    it('are in order, and leave out a project of which an earlier event is leased', async () => {
      const { store, endpoint, all } = await stored([1, 2, 1, 3]);
      expect(ids(await store.lease(endpoint, { ...request, limit: 1 }))).toEqual(ids(all.slice(0, 1)));
      const others = await store.lease(endpoint, { ...request, token: 'b' });
      expect(ids(others)).toEqual([all[1]?.eventId, all[3]?.eventId]);
      expect(await store.lease(endpoint, { ...request, token: 'c' })).toEqual([]);
      const again = await store.lease(endpoint, { ...request, token: 'd', now: 70, until: 99 });
      expect(ids(again)).toEqual(ids(all));
    });

    it('are of events after thousands of a project that another consumer has', async () => {
      const { store, endpoint, all } = await stored([...Array(2_000).fill(1), 2, 3]);
      await store.lease(endpoint, { ...request, limit: 1 });
      expect(ids(await store.lease(endpoint, { ...request, token: 'b' }))).toEqual(ids(all.slice(-2)));
    });

    it('are of one consumer each, also when several take at the same time', async () => {
      const { store, endpoint, all } = await stored([0, 1, 2, 3, 0, 1, 2, 3]);
      const take = (token: string) => store.lease(endpoint, { ...request, token });
      const taken = await Promise.all(['a', 'b', 'c'].map(take));
      expect(ids(taken.flat()).toSorted()).toEqual(ids(all).toSorted());
    });

    it('end with their token alone: the events are removed, or due again later', async () => {
      const { store, endpoint, all } = await stored([1, 2, 3]);
      const places = (await store.lease(endpoint, request)).map(({ place }) => place);
      expect(await store.endLease(endpoint, { token: 'b', now: 20, places })).toEqual([]);
      const [first = '', second = '', third = ''] = places;
      const ended = await store.endLease(endpoint, { token: 'a', now: 20, places: [first, first, 'none'] });
      expect(ids(ended)).toEqual([all[0]?.eventId]);
      await store.endLease(endpoint, { token: 'a', now: 20, places: [second], due: 40 });
      const again = await store.lease(endpoint, { ...request, token: 'c', now: 40, until: 99 });
      expect(again).toMatchObject([{ eventId: all[1]?.eventId, attempts: 1 }]);
      expect(await store.endLease(endpoint, { token: 'a', now: 69, places: [second] })).toEqual([]);
      // No other consumer has taken the event, but the lease has expired.
      expect(await store.endLease(endpoint, { token: 'a', now: 70, places: [third] })).toEqual([]);
      expect(await store.endLease(endpoint, { token: 'a', now: 69, places: [third] })).toHaveLength(1);
      expect((await store.counts(endpoint)).pending).toBe(1);
    });

    it('count as waiting from the first one: only a due event is given up, however often it was taken', async () => {
      const [store, endpoint] = [opened(), fresh()];
      await store.add([{ ...delivery(endpoint, 1, 0), at: 0 }]);
      const [first] = await store.lease(endpoint, request);
      const giveUp = (before: number, at: number) =>
        store.deadLetterBefore(endpoint, before, { at, reason: 'old' });
      expect(await giveUp(11, 69)).toEqual([]);
      await store.lease(endpoint, { ...request, token: 'b', now: 70, until: 80 });
      const returned = { token: 'b', now: 75, places: [first?.place ?? ''], due: 76 };
      await store.endLease(endpoint, returned);
      expect(await giveUp(10, 80)).toEqual([]);
      expect(await giveUp(11, 80)).toHaveLength(1);
    });

    it('hold as many bytes as asked for, but one event at least', async () => {
      const { store, endpoint } = await stored([1, 2, 3], [100, 100, 100]);
      expect(await store.lease(endpoint, { ...request, bytes: 10 })).toHaveLength(1);
      expect(await store.lease(endpoint, { ...request, token: 'b', bytes: 200 })).toHaveLength(2);
    });

    it('end before an event that does not fit: no later one is taken before it', async () => {
      const { store, endpoint, all } = await stored([1, 1, 1], [10, 200, 10]);
      const taken = await store.lease(endpoint, { ...request, bytes: 100 });
      expect(ids(taken)).toEqual([all[0]?.eventId]);
    });

    it('invariant 11: of two consumers each event is processed at least once, and each project in order, whatever they do', async () => {
      const step = fc.record({
        consumer: fc.nat({ max: 1 }),
        act: fc.constantFrom('take', 'ack', 'nack', 'die', 'wait', 'both'),
        limit: fc.integer({ min: 1, max: 4 }),
        ms: fc.constantFrom(0, 10, 100),
      });
      const projects = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 12 });
      await fc.assert(
        fc.asyncProperty(projects, fc.array(step, { maxLength: 25 }), async (all, steps) => {
          const { store, endpoint, all: added } = await stored(all);
          const consumers = new Consumers(store, endpoint);
          for (const step of steps) await consumers.make(step);
          await consumers.finish();
          const { processed } = consumers;
          expect(processed.toSorted()).toEqual(ids(added).toSorted());
          for (const project of new Set(all)) {
            const own = processed.filter(id => id.startsWith(`p.${project}.`));
            expect(own).toEqual(own.toSorted());
          }
        }),
        { numRuns },
      );
    });
  });
}

interface Step {
  readonly consumer: number;
  readonly act: 'take' | 'ack' | 'nack' | 'die' | 'wait' | 'both';
  readonly limit: number;
  readonly ms: number;
}

/** Two consumers of an endpoint, which process what they have when they acknowledge it. */
class Consumers {
  readonly processed: string[] = [];
  readonly #store: Deliveries;
  readonly #endpoint: string;
  readonly #held = new Map<number, { readonly token: string; readonly places: string[] }>();
  #now = 0;
  #tokens = 0;

  constructor(store: Deliveries, endpoint: string) {
    this.#store = store;
    this.#endpoint = endpoint;
  }

  async make({ consumer, act, limit, ms }: Step): Promise<void> {
    this.#now += ms;
    if (act === 'take') await this.#take(consumer, limit);
    if (act === 'both') await Promise.all([this.#take(0, limit), this.#take(1, limit)]);
    if (act === 'ack') await this.#end(consumer, undefined);
    if (act === 'nack') await this.#end(consumer, this.#now + ms);
    if (act === 'die') this.#held.delete(consumer);
  }

  async finish(): Promise<void> {
    for (let rounds = 0; (await this.#store.counts(this.#endpoint)).pending > 0; rounds++) {
      if (rounds > 50) throw new Error('events are left that no consumer gets');
      this.#now += 1_000;
      await this.#take(0, 3);
      await this.#end(0, undefined);
    }
  }

  async #take(consumer: number, limit: number): Promise<void> {
    const token = `t${this.#tokens++}`;
    const times = { now: this.#now, until: this.#now + 50 };
    const taken = await this.#store.lease(this.#endpoint, { ...times, token, limit, bytes: 9_999 });
    this.#held.set(consumer, { token, places: taken.map(({ place }) => place) });
  }

  async #end(consumer: number, due: number | undefined): Promise<void> {
    const held = this.#held.get(consumer);
    this.#held.delete(consumer);
    const ended = held ? await this.#store.endLease(this.#endpoint, { ...held, now: this.#now, due }) : [];
    // Their order within one acknowledgement is that in which they were taken.
    const processed = ended.map(({ eventId }) => eventId).toSorted();
    if (due === undefined) this.processed.push(...processed);
  }
}
