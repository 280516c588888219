import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { listEvents } from '../../functions/operations/events.ts';
import type { JournalRecord, Search } from '../../functions/store/store.ts';
import { AT, commit, openContext, PROCESSES, STORES } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';

/** A journal that has no end, of such events each second; what was read of it. */
function endless(eventsOfRecord: (number: number) => ChangeEvent[], { ms = 0 } = {}) {
  const state = { now: AT, read: 0, decoded: 0 };
  const recordOf = (number: number): JournalRecord => ({
    position: String(number),
    at: AT + 1_000 * number,
    isOf: () => number % 2 === 0,
    events: () => {
      state.decoded += 1;
      return eventsOfRecord(number);
    },
  });
  async function* search({ from }: Search) {
    for (let number = Number(from ?? 0); ; number++) {
      state.read += 1;
      state.now += ms;
      yield recordOf(number);
    }
  }
  const none = () => Promise.reject();
  const journal = { search, read: none, find: none, replace: none };
  const roster = { list: async () => [] };
  return { state, context: { journal, clock: () => state.now, processes: async () => PROCESSES, roster } };
}

const few = (number: number) => eventsOf(AT + number, 1);

describe('a page of events', () => {
  it('ends after a thousand change records, and says how far it came; the next one goes on', async () => {
    const { state, context } = endless(few);
    const asked = { operation: 'events', task: 'none' } as const;
    const page = await listEvents(context, asked);
    expect(page).toMatchObject({ events: [], readTo: new Date(AT + 999_000).toISOString() });
    expect(state.read).toBe(1_000);
    const next = await listEvents(context, { ...asked, cursor: page.cursor });
    expect(next.readTo).toBe(new Date(AT + 1_998_000).toISOString());
  });

  it('ends after two seconds, whatever it has', async () => {
    const { state, context } = endless(few, { ms: 100 });
    const page = await listEvents(context, { operation: 'events', task: 'none' });
    expect(state.read).toBe(20);
    expect(page.cursor).toBeDefined();
  });

  it('reads no more than it needs, and decodes only what is of the project that is asked for', async () => {
    const { state, context } = endless(few);
    expect((await listEvents(context, { operation: 'events', limit: 7 })).events).toHaveLength(7);
    expect(state).toMatchObject({ read: 7, decoded: 7 });
    await listEvents(context, { operation: 'events', project: 'p', limit: 7 });
    expect(state).toMatchObject({ read: 20, decoded: 14 });
  });

  it('ends after 3 MB, with one event at least, so that an answer fits', async () => {
    const large = (number: number, size: number) =>
      eventsOf(AT + number, 3).map(event => ({ ...event, subject: 'x'.repeat(size) }));
    for (const [size, count] of [
      [240_000, 12],
      [4_000_000, 1],
    ] as const) {
      const { context } = endless(number => large(number, size));
      const asked = { operation: 'events', limit: 100 } as const;
      const ids: string[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < 5; pages++) {
        const page = await listEvents(context, { ...asked, ...(cursor !== undefined && { cursor }) });
        expect(page.events).toHaveLength(count);
        ids.push(...page.events.map(({ event }) => event.id));
        cursor = page.cursor;
      }
      const idsOf = (number: number) => large(number, 1).map(({ id }) => id);
      const inOrder = Array.from({ length: 30 }, (_, number) => idsOf(number).toReversed());
      expect(ids).toEqual(inOrder.flat().slice(0, ids.length));
    }
  });

  it('tells an event once though a commit comes in between that is dated before it', async () => {
    for (const [, open] of STORES) {
      const context = openContext(open);
      onTestFinished(() => context.close());
      await commit(context, eventsOf(AT, 2, { projectId: 'a' }), { at: AT, projectId: 'a' });
      await commit(context, eventsOf(AT + 9, 3, { projectId: 'b' }), { at: AT + 9, projectId: 'b' });
      const asked = { operation: 'events', order: 'oldest-first', limit: 3 } as const;
      const first = await listEvents(context, asked);
      await commit(context, eventsOf(AT + 5, 3, { projectId: 'c' }), { at: AT + 5, projectId: 'c' });
      const rest = await listEvents(context, { ...asked, cursor: first.cursor });
      const ids = [...first.events, ...rest.events].map(({ event }) => event.id);
      const expected = [...eventsOf(AT, 2, { projectId: 'a' }), ...eventsOf(AT + 9, 3, { projectId: 'b' })];
      expect(ids).toEqual(expected.map(({ id }) => id));
    }
  });
});
