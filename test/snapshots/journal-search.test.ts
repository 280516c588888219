import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Search } from '../../functions/operations/journal.ts';
import type { ProcessKey } from '../../functions/snapshots/snapshots.ts';
import { eventsOf } from '../operations/events.ts';
import { AT, commit, PROCESSES, STORES, type Stores } from '../operations/house.ts';

const [onboarding, sales] = PROCESSES as [ProcessKey, ProcessKey];
const ORDERS = ['newest-first', 'oldest-first'] as const;

interface Committed {
  readonly process: ProcessKey;
  readonly at: number;
  readonly ids: readonly string[];
}

/** Commits of these gaps in ms, each of a project of its own unless its keys are to be alike. */
async function fill(stores: Stores, all: readonly { process: ProcessKey; gap: number; isAlike: boolean }[]) {
  let at = AT;
  const committed: Committed[] = [];
  for (const [number, { process, gap, isAlike }] of all.entries()) {
    at += gap;
    const projectId = isAlike ? `alike${at}` : `p${number}`;
    const isThere = committed.some(
      one => one.process === process && one.at === at && isAlike && one.ids[0]?.includes('alike'),
    );
    if (isThere) continue;
    const events = eventsOf(at, 2, { process, projectId });
    await commit(stores, events, { process, at, projectId });
    committed.push({ process, at, ids: events.map(({ id }) => id) });
  }
  return committed;
}

/** At most so many records at a time: each search goes on where the last one was left. */
async function searchAll(stores: Stores, search: Search, size: number) {
  const found: { at: number; ids: string[] }[] = [];
  let from: string | undefined;
  for (;;) {
    let count = 0;
    for await (const record of stores.journal.search({ ...search, ...(from !== undefined && { from }) })) {
      if (record.position === from) continue;
      from = record.position;
      found.push({ at: record.at, ids: record.events().map(({ id }) => id) });
      count += 1;
      if (count === size) break;
    }
    if (count < size) return found;
  }
}

describe.each(STORES)('a search in the journal of %s', (_, open) => {
  it('finds each change record of a stretch once, by the time of its commit, wherever it is left and gone on with', async () => {
    const commits = fc.array(
      fc.record({
        process: fc.constantFrom(onboarding, sales),
        gap: fc.nat({ max: 2 }),
        isAlike: fc.boolean(),
      }),
      { maxLength: 14 },
    );
    const offsets = fc.integer({ min: -1, max: 20 });
    await fc.assert(
      fc.asyncProperty(
        commits,
        ...[offsets, offsets, fc.integer({ min: 1, max: 4 })],
        fc.constantFrom(...ORDERS),
        fc.constantFrom(undefined, [], [onboarding], [sales, onboarding]),
        async (all, from, to, size, order, processes) => {
          const stores = open();
          const committed = await fill(stores, all as Parameters<typeof fill>[1]);
          const search = {
            order,
            since: AT + (from as number),
            until: AT + (to as number),
            ...(processes && { processes }),
          };
          const wanted = committed.filter(
            ({ at, process }) =>
              at >= search.since &&
              at < search.until &&
              ((processes as ProcessKey[] | undefined)?.includes(process) ?? true),
          );
          const found = await searchAll(stores, search, size as number);
          const times = found.map(({ at }) => at);
          expect(times).toEqual(
            times.toSorted((one, other) => (order === 'oldest-first' ? one - other : other - one)),
          );
          expect(found.map(({ ids }) => ids.join()).toSorted()).toEqual(
            wanted.map(({ ids }) => ids.join()).toSorted(),
          );
          stores.close();
        },
      ),
      { numRuns: 150 },
    );
  });

  it('goes over pages, and backwards exactly the other way round', async () => {
    const stores = open();
    const all = Array.from({ length: 130 }, (_, index) => ({
      ...{ process: index % 3 === 0 ? sales : onboarding, gap: index % 2 },
      isAlike: false,
    }));
    const committed = await fill(stores, all);
    const stretch = { since: 0, until: Number.MAX_SAFE_INTEGER };
    const forwards = await searchAll(stores, { order: 'oldest-first', ...stretch }, 1_000);
    const backwards = await searchAll(stores, { order: 'newest-first', ...stretch }, 1_000);
    expect(forwards).toHaveLength(committed.length);
    expect(backwards).toEqual(forwards.toReversed());
    expect(await searchAll(stores, { order: 'newest-first', ...stretch }, 1)).toEqual(backwards);
    stores.close();
  });

  it('tells whose project a change record is, and reads no other process', async () => {
    const stores = open();
    const strange = 'a.b#c/ü';
    await commit(stores, eventsOf(AT, 1, { projectId: strange }), { projectId: strange });
    const stretch = { order: 'newest-first', since: 0, until: AT + 1 } as const;
    const [record] = await Array.fromAsync(stores.journal.search(stretch));
    expect(['a', strange, 'a%2Eb', ''].map(id => record?.isOf(id))).toEqual([false, true, false, false]);
    const unknown = [{ workspace: 'eu', processId: 'none' }];
    expect(await Array.fromAsync(stores.journal.search({ ...stretch, processes: unknown }))).toEqual([]);
    stores.close();
  });

  it('goes on with the very record at which it was left', async () => {
    const stores = open();
    await fill(
      stores,
      Array.from({ length: 5 }, () => ({ process: onboarding, gap: 0, isAlike: false })),
    );
    for (const order of ORDERS) {
      const search = { order, since: 0, until: Number.MAX_SAFE_INTEGER };
      const positions = async (from?: string) =>
        (await Array.fromAsync(stores.journal.search({ ...search, from }))).map(({ position }) => position);
      const all = await positions();
      for (const [index, from] of all.entries()) expect(await positions(from)).toEqual(all.slice(index));
    }
    stores.close();
  });

  it('begins nowhere else than at a position of its own', async () => {
    const stores = open();
    for (const from of ['', 'x', '[]', '["PENDING#1","a"]', '[1,2]', '1', '1.x', '9'.repeat(40)]) {
      const search = stores.journal.search({ order: 'newest-first', since: 0, until: 9, from });
      await expect(Array.fromAsync(search), from).rejects.toThrow();
    }
    stores.close();
  });
});
