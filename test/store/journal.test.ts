import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { auditEvents } from '../../functions/changes/process-events.ts';
import { eraseEvent } from '../../functions/model/erase.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { AT, commit, PROCESSES, STORES, type Stores } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { noise } from '../kit/store/subject.ts';

const [onboarding, sales] = PROCESSES as [ProcessKey, ProcessKey];
const ALWAYS = { since: 0, until: Number.MAX_SAFE_INTEGER };

describe.each(STORES)('the journal of %s', (_, open) => {
  let stores: Stores;
  beforeEach(() => {
    stores = open();
  });
  afterEach(() => stores.close());

  /** Slice after slice. */
  const readAll = async (stretch: { since: number; until: number }, limit: number) => {
    const found: { event: ChangeEvent; at: number }[] = [];
    let position: string | undefined;
    do {
      const slice = await stores.journal.read({ ...stretch, position }, limit);
      found.push(...slice.entries);
      position = slice.position;
    } while (position !== undefined);
    return found;
  };

  it('tells each event of a stretch once, each process’s in the order of commits, whatever the slices', async () => {
    const commits = fc.array(
      fc.record({
        process: fc.constantFrom(onboarding, sales),
        gap: fc.nat({ max: 3 }),
        count: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 8 },
    );
    const offsets = fc.nat({ max: 20 });
    await fc.assert(
      fc.asyncProperty(
        commits,
        offsets,
        offsets,
        fc.integer({ min: 1, max: 4 }),
        async (all, from, to, limit) => {
          stores.close();
          stores = open();
          let at = AT;
          const told: { event: ChangeEvent; at: number }[] = [];
          for (const [number, { process, gap, count }] of all.entries()) {
            at += gap;
            const projectId = `p${number}`;
            const events = eventsOf(at, count, { process, projectId });
            await commit(stores, events, { process, at, projectId });
            told.push(...events.map(event => ({ event, at })));
          }
          const stretch = { since: AT + from, until: AT + to };
          const wanted = told.filter(one => one.at >= stretch.since && one.at < stretch.until);
          const found = await readAll(stretch, limit);
          for (const { processId } of PROCESSES) {
            const ofProcess = (one: { event: ChangeEvent }) => one.event.data.process.id === processId;
            expect(found.filter(ofProcess)).toEqual(wanted.filter(ofProcess));
          }
          expect(found).toHaveLength(wanted.length);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('goes on behind its position with what came meanwhile', async () => {
    await commit(stores, eventsOf(AT), { at: AT });
    await commit(stores, eventsOf(AT + 1), { at: AT + 1 });
    const first = await stores.journal.read(ALWAYS, 1);
    expect(first.entries.map(({ at }) => at)).toEqual([AT]);
    await commit(stores, eventsOf(AT + 2), { at: AT + 2 });
    const rest = await stores.journal.read({ ...ALWAYS, position: first.position }, 9);
    expect(rest.entries.map(({ at }) => at)).toEqual([AT + 1, AT + 2]);
  });

  it('has nothing of an empty stretch, or of one that ends before it begins', async () => {
    await commit(stores, eventsOf(AT), { at: AT });
    for (const [since, until] of [
      [AT + 1, AT + 9],
      [AT, AT],
      [AT + 9, AT - 9],
      [0, AT],
    ] as const)
      expect(await readAll({ since, until }, 9)).toEqual([]);
    expect(await readAll({ since: AT, until: AT + 1 }, 9)).toHaveLength(1);
  });

  it('finds an event by its id, also one whose version is ahead of its commit’s time, and of a strange name', async () => {
    const strange = 'a.b#c/ü*?[';
    const events = [...eventsOf(AT, 3), ...eventsOf(AT + 50, 2, { process: sales, projectId: strange })];
    await commit(stores, events.slice(0, 3), { at: AT });
    await commit(stores, events.slice(3), {
      at: AT + 7,
      version: AT + 50,
      process: sales,
      projectId: strange,
    });
    for (const event of events) expect((await stores.journal.find(event.id))?.event).toEqual(event);
    expect((await stores.journal.find(events[4]?.id ?? ''))?.at).toBe(AT + 7);
  });

  it('finds the event of an audit entry by its id, which says nothing of its time, among the parts of a record', async () => {
    const tell = (ids: readonly string[], process: ProcessKey, version: number, announced = 0) => {
      const entries = ids.map(id => ({
        id,
        entry: { id, text: noise(200_000) },
        projects: [],
        tasks: [],
        users: [],
      }));
      const events = auditEvents(process, entries, { version, at: AT });
      const announcement = { announced, state: {}, entries: ids, request: { events, version, at: AT } };
      return stores.snapshots.announce(process, announcement).then(() => events);
    };
    const [one, two, three] = ['1', '2', '3'].map(end => end.padStart(32, '0')) as [string, string, string];
    const first = await tell([one, two], onboarding, AT);
    const others = [...(await tell([three], onboarding, AT * 10, AT)), ...(await tell([one], sales, AT + 5))];
    for (const event of [...first, ...others])
      expect(await stores.journal.find(event.id)).toMatchObject({ event, at: AT });
    for (const id of [`onboarding..${one.replace('1', '4')}.0`, `onboarding..${one}.1`, `off..${one}.0`])
      expect(await stores.journal.find(id), id).toBeUndefined();
  });

  it('has other events in a record once they are replaced, at the same place, and none where it has no record', async () => {
    for (const at of [AT, AT + 1, AT + 2]) await commit(stores, eventsOf(at, 2), { at });
    const records = () =>
      Array.fromAsync(stores.journal.search({ ...ALWAYS, order: 'oldest-first', processes: [onboarding] }));
    const before = await records();
    const other = eventsOf(AT + 1, 2).map(eraseEvent);
    await stores.journal.replace(before[1]?.position as string, events => events.map(eraseEvent));
    const after = await records();
    expect(after.map(({ position }) => position)).toEqual(before.map(({ position }) => position));
    expect(after.map(record => record.events())).toEqual([eventsOf(AT, 2), other, eventsOf(AT + 2, 2)]);
    // An expired record.
    const gone = before[1]?.position.replace(String(AT + 1), String(AT + 5)).replace(/\.2$/, '.9') as string;
    await stores.journal.replace(gone, () => other);
    expect(await records()).toHaveLength(3);
  });

  it('keeps what two callers replace in one record at the same time', async () => {
    const events = eventsOf(AT, 2);
    await commit(stores, events, { at: AT });
    const [record] = await Array.fromAsync(
      stores.journal.search({ ...ALWAYS, order: 'oldest-first', processes: [onboarding] }),
    );
    const replaceOne = (one: number) =>
      stores.journal.replace(record?.position as string, all =>
        all.map((event, index) => (index === one ? eraseEvent(event) : event)),
      );
    await Promise.all([replaceOne(0), replaceOne(1)]);
    for (const event of events)
      expect((await stores.journal.find(event.id))?.event).toEqual(eraseEvent(event));
  });

  it('tells whether what it finds was published, where it knows', async () => {
    const ids: string[] = [];
    for (const at of [AT, AT + 1, AT + 2]) {
      const events = eventsOf(at);
      await commit(stores, events, { at });
      ids.push(events[0]?.id ?? '');
    }
    const found = async () =>
      (await Promise.all(ids.map(id => stores.journal.find(id)))).map(entry => entry?.isPublished);
    const known = stores.published !== undefined;
    expect(await found()).toEqual(Array(3).fill(known ? false : undefined));
    stores.published?.(2);
    expect(await found()).toEqual(known ? [true, true, false] : Array(3).fill(undefined));
  });

  it('has no position behind a slice that is not full', async () => {
    for (const process of PROCESSES) await commit(stores, eventsOf(AT, 1, { process }), { process });
    const slices = [await stores.journal.read(ALWAYS, 9)];
    // The table's goes from process to process.
    const { position } = slices[0] ?? {};
    if (position !== undefined) slices.push(await stores.journal.read({ ...ALWAYS, position }, 9));
    expect(slices.at(-1)?.position).toBeUndefined();
    expect(slices.map(({ entries }) => entries.length)).toEqual(slices.length === 1 ? [2] : [1, 1]);
  });

  it('finds none by an id that is not there, or is none', async () => {
    await commit(stores, eventsOf(AT), { at: AT });
    const [{ id }] = eventsOf(AT) as [ChangeEvent];
    const others = [
      `${id}1`,
      id.replace(/0$/, '1'),
      id.replace(/^on/, 'off'),
      id.replace('p%2E1', 'p%2E2'),
      id.replace(String(AT), String(AT + 1)),
    ];
    for (const other of [...others, '', 'x', '....', '*', 'a.b.c.d', "'; DROP TABLE change"])
      expect(await stores.journal.find(other), other).toBeUndefined();
  });
});
