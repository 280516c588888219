import type { QueryCommand } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { createJournalReader } from '../../functions/store/dynamo/journal.ts';
import type { Search } from '../../functions/store/store.ts';
import { AT, commit, PROCESSES, STORES, type Stores, storesOf } from '../kit/operations/context.ts';
import { eventsOf } from '../kit/operations/events.ts';
import { openModel } from '../kit/table.ts';

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
  let stores: Stores;
  beforeEach(() => {
    stores = open();
  });
  afterEach(() => stores.close());

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
  });

  it('tells whose project a change record is, and reads no other process', async () => {
    const strange = 'a.b#c/ü';
    await commit(stores, eventsOf(AT, 1, { projectId: strange }), { projectId: strange });
    const stretch = { order: 'newest-first', since: 0, until: AT + 1 } as const;
    const [record] = await Array.fromAsync(stores.journal.search(stretch));
    expect(['a', strange, 'a%2Eb', ''].map(id => record?.isOf(id))).toEqual([false, true, false, false]);
    const unknown = [{ workspace: 'eu', processId: 'none' }];
    expect(await Array.fromAsync(stores.journal.search({ ...stretch, processes: unknown }))).toEqual([]);
  });

  it('goes on with the very record at which it was left', async () => {
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
  });

  it('goes on with the very record at which it was left, though its key is as long as one may be', async () => {
    const projectId = 'x'.repeat(1024 - `CHANGE#${AT}##${AT}`.length);
    await commit(stores, eventsOf(AT, 1, { projectId }), { projectId });
    for (const order of ORDERS) {
      const search = { order, since: 0, until: Number.MAX_SAFE_INTEGER };
      const [left] = await Array.fromAsync(stores.journal.search(search));
      const again = await Array.fromAsync(stores.journal.search({ ...search, from: left?.position }));
      expect(again.map(({ position }) => position)).toEqual([left?.position]);
    }
  });

  it('merges processes by the times of their commits, in whatever order these were written', async () => {
    for (const [process, at] of [
      [sales, AT + 5],
      [onboarding, AT + 6],
      [onboarding, AT + 1],
      [sales, AT + 2],
    ] as const)
      await commit(stores, eventsOf(at, 1, { process }), { process, at, projectId: `p${at}` });
    for (const processes of [
      [onboarding, sales],
      [sales, onboarding],
    ]) {
      const search = { order: 'oldest-first', since: 0, until: AT + 9, processes } as const;
      const found = await Array.fromAsync(stores.journal.search(search));
      expect(found.map(({ at }) => at - AT)).toEqual([1, 2, 5, 6]);
    }
  });

  it('begins nowhere else than at a position of its own', async () => {
    const others = [
      '["PENDING#1","a"]',
      '["CHANGE#1"]',
      '["CHANGE#1",2]',
      '[2,"a"]',
      '["", "CHANGE#1"]',
      '{}',
    ];
    for (const from of ['', 'x', '[]', ...others, '[1,2]', '1', '1.x', 'x1.1', '1.1x', '9'.repeat(40)]) {
      const search = stores.journal.search({ order: 'newest-first', since: 0, until: 9, from });
      await expect(Array.fromAsync(search), from).rejects.toThrow(/Invalid position in the journal|JSON/);
    }
  });
});

describe('a search in the table', () => {
  /** What was asked for: how many items at once, and behind which time. */
  const asked = async (processes: readonly ProcessKey[], search: Search, count = 1) => {
    const queries: { limit: number | undefined; after: string | undefined }[] = [];
    const table = openModel(command => {
      const { Limit, ExclusiveStartKey } = (command as QueryCommand).input;
      queries.push({ limit: Limit, after: ExclusiveStartKey?.sk?.S });
    });
    const stores = storesOf(table);
    for (let number = 0; number < 6; number++)
      await commit({ ...stores }, eventsOf(AT + number), { at: AT + number, projectId: `p${number}` });
    queries.length = 0;
    const journal = createJournalReader(table, processes);
    let found = 0;
    for await (const _ of journal.search(search)) if (++found === count) break;
    return { queries, found };
  };
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ workspace: 'eu', processId: `p${index}` }));
  const stretch = { order: 'oldest-first', since: AT + 2, until: AT + 4 } as const;

  it.each([
    [1, 50],
    [8, 50],
    [9, 44],
    [100, 4],
    [200, 2],
    [900, 2],
  ])('of %i processes asks each for %i change records at first', async (count, limit) => {
    const { queries } = await asked(many(count), stretch);
    expect(queries).toEqual(Array.from({ length: count }, () => ({ limit, after: `CHANGE#${AT + 2}` })));
  });

  it('begins with the stretch, and ends with it', async () => {
    const all = 9;
    const forwards = await asked([onboarding], stretch, all);
    expect(forwards).toEqual({ queries: [{ limit: 50, after: `CHANGE#${AT + 2}` }], found: 2 });
    const backwards = await asked([onboarding], { ...stretch, order: 'newest-first' }, all);
    expect(backwards).toEqual({ queries: [{ limit: 50, after: `CHANGE#${AT + 4}` }], found: 2 });
  });

  it('begins where it was left, but never outside of the stretch', async () => {
    const from = (at: number) => JSON.stringify([`CHANGE#${at}#p#${at}`, 'W#eu#P#on%20boarding']);
    const after = async (order: Search['order'], at: number) =>
      (await asked([onboarding], { ...stretch, order, from: from(at) })).queries[0]?.after;
    expect(await after('oldest-first', AT)).toBe(`CHANGE#${AT + 2}`);
    expect(await after('oldest-first', AT + 3)).toBe(`CHANGE#${AT + 3}#p#${AT + 3}`.slice(0, -1));
    expect(await after('newest-first', AT + 9)).toBe(`CHANGE#${AT + 4}`);
    expect(await after('newest-first', AT + 3)).toBe(`CHANGE#${AT + 3}#p#${AT + 3}`.replace(/.$/, '~'));
  });
});
