import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { walk } from '../../functions/basics/walk.ts';
import { digest } from '../../functions/reading/digest.ts';
import { freshest, isMadeAgain } from '../../functions/reading/freshest.ts';
import { Recent } from '../../functions/reading/recent.ts';
import { DeadlineError } from '../../functions/service/errors.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const iso = (ms: number) => new Date(ms).toISOString();

describe('the freshest record', () => {
  const listed = (readAt: number, record: JsonObject) => ({ record, readAt, readBefore: readAt, digest: '' });
  const snapshot = (recordReadAt: number, record: JsonObject) => ({
    version: 1,
    content: { record, tasks: new Map() },
    recordReadAt,
    tasksReadAt: recordReadAt,
  });

  it('is the only one there is', () => {
    expect(freshest(listed(AT, {}), undefined).newer).toBe('listed');
    expect(freshest(undefined, snapshot(AT, {}))).toEqual({ newer: 'snapshot', isUncertain: false });
  });

  it.each([
    ['an hour', 'snapshot', 3_600_000],
    ['two days', 'listed', 48 * 3_600_000],
  ])('of one listed %s later by our own clock, with an older update time, is the %s’s', (_, newer, later) => {
    const older = { ...listed(AT + later, { updatedAt: iso(AT - 9) }), untimed: true };
    const known = snapshot(AT, { updatedAt: iso(AT), state: 'newer' });
    expect(freshest(older, known).newer).toBe(newer);
    expect(freshest({ ...older, record: { updatedAt: iso(AT + 1) } }, known).newer).toBe('listed');
  });

  it('is not the one listed an hour later by the service, when the other was read by a clock of ours that may be behind', () => {
    const older = listed(AT + 3_600_000, { updatedAt: iso(AT - 9) });
    const known = snapshot(AT, { updatedAt: iso(AT), state: 'newer' });
    expect(freshest(older, { ...known, untimed: true }).newer).toBe('snapshot');
    expect(freshest(older, known).newer).toBe('listed');
  });

  it.each([
    ['listed much later', AT + 60_000, AT, {}, {}, 'listed', false],
    ['listed much earlier', AT - 60_000, AT, {}, { a: 1 }, 'snapshot', false],
    [
      'listed much later though its update time is older',
      AT + 60_000,
      AT,
      { updatedAt: iso(AT - 9) },
      { updatedAt: iso(AT) },
      'listed',
      false,
    ],
    [
      'close, with a later update time',
      AT,
      AT + 2_000,
      { updatedAt: iso(AT) },
      { updatedAt: iso(AT - 1) },
      'listed',
      false,
    ],
    [
      'close, with an earlier update time',
      AT + 2_000,
      AT,
      { updatedAt: iso(AT - 1) },
      { updatedAt: iso(AT) },
      'snapshot',
      false,
    ],
    [
      'close, with the same update time',
      AT + 1_000,
      AT,
      { updatedAt: iso(AT) },
      { updatedAt: iso(AT) },
      'listed',
      false,
    ],
    [
      'listed later by no more than clocks may differ, with an earlier update time',
      AT + 5_000,
      AT,
      { updatedAt: iso(AT - 1) },
      { updatedAt: iso(AT) },
      'snapshot',
      false,
    ],
    [
      'close and later, the only one without an update time',
      AT + 1,
      AT,
      {},
      { updatedAt: iso(AT) },
      'listed',
      false,
    ],
    [
      'close and later, the only one with an update time',
      AT + 1,
      AT,
      { updatedAt: iso(AT) },
      {},
      'listed',
      false,
    ],
    ['of the same moment, and the same', AT, AT, { a: 1 }, { a: 1 }, 'snapshot', false],
    ['of the same moment, and another', AT, AT, { a: 1 }, { a: 2 }, 'snapshot', true],
  ] as const)('%s', (_title, listedAt, readAt, theirs, ours, newer, isUncertain) => {
    expect(freshest(listed(listedAt, theirs), snapshot(readAt, ours))).toEqual({ newer, isUncertain });
  });
});

describe('a project that is listed though it was deleted', () => {
  const DAY = 86_400_000;
  const updatedAt = (time: number) => ({ updatedAt: iso(time) });
  it.each([
    ['when it was listed clearly later', true, 5_001, {}, {}, {}],
    ['not when that may be by another clock of the service', false, 5_000, {}, {}, {}],
    [
      'not by its update time, where the service tells when it was listed',
      false,
      0,
      updatedAt(AT + 9),
      {},
      {},
    ],
    [
      'when it was listed clearly later by our clock, and nothing else tells',
      true,
      5_001,
      {},
      { untimed: true },
      {},
    ],
    ['not when it was listed at the same time by our clock', false, 5_000, {}, {}, { untimed: true }],
    [
      'not when our clock tells so, and its update time does not',
      false,
      DAY,
      updatedAt(AT),
      { untimed: true },
      { updatedAt: AT },
    ],
    [
      'when its update time and our clock tell so',
      true,
      5_001,
      updatedAt(AT + 1),
      {},
      { untimed: true, updatedAt: AT },
    ],
    [
      'when its update time tells so, and our clock does not',
      false,
      5_000,
      updatedAt(AT + 1),
      {},
      { untimed: true, updatedAt: AT },
    ],
    [
      'when our clock tells so for longer than a day',
      true,
      DAY + 1,
      updatedAt(AT),
      { untimed: true },
      { updatedAt: AT },
    ],
    ['when only the record has an update time', true, 5_001, updatedAt(AT - 1), { untimed: true }, {}],
    ['when only the tombstone has one', true, 5_001, {}, { untimed: true }, { updatedAt: AT }],
  ] as const)('was made again %s: %s', (_, expected, later, record, listed, tombstone) => {
    const times = { readAt: AT + later, readBefore: AT + later, digest: '' };
    expect(isMadeAgain({ record, ...times, ...listed }, { version: 1, readAt: AT, ...tombstone })).toBe(
      expected,
    );
  });
});

describe('recently listed projects', () => {
  const record = { name: 'Acme', updatedAt: iso(AT) };
  const listed = { record, readAt: AT, readBefore: AT, digest: digest(record) };
  const as = (fields: JsonObject) => ({ ...listed, record: fields, digest: digest(fields) });

  it('are settled when byte for byte the same, and read at least 5 s after their update time', () => {
    expect(new Recent([]).isSettled('1', listed)).toBe(false);
    for (const [after, settled] of [
      [4_999, false],
      [5_000, true],
    ] as const) {
      const recent = new Recent([]);
      recent.add('1', listed, AT + after);
      expect(new Recent(recent.toSave()).isSettled('1', listed)).toBe(settled);
      const other = as({ ...record, name: 'Other' });
      expect(new Recent(recent.toSave()).isSettled('1', other)).toBe(false);
    }
  });

  it('invariant 1: by a clock of ours, hours off either way, are settled once read 5 s after they were first shown so', () => {
    for (const off of [-5, 5].map(hours => hours * 3_600_000)) {
      const pass = (before: Recent, after: number) => {
        const now = { ...listed, readAt: AT + off + after, readBefore: AT + off + after, untimed: true };
        const next = new Recent(before.toSave());
        const settled = next.isSettled('1', now);
        if (!settled) next.add('1', now, now.readAt + 300);
        return { next, settled };
      };
      const [first, second] = [pass(new Recent([]), 10).next, (before: Recent) => pass(before, 60_000).next];
      expect(pass(first, 60_000).settled).toBe(false);
      expect(pass(second(first), 120_000).settled).toBe(true);
      const unstamped = { ...as({ name: 'Acme' }), untimed: true };
      const recent = new Recent([['1', '', AT, AT]]);
      recent.add('1', unstamped, AT + 60_000);
      expect(new Recent(recent.toSave()).isSettled('1', unstamped)).toBe(false);
    }
  });

  it('are remembered up to 2,000, and 250,000 bytes of them: the last', () => {
    const saved = (count: number, length: number) => {
      const recent = new Recent([]);
      for (let id = 1; id <= count; id++) recent.add(String(id).padEnd(length, 'x'), listed, AT);
      return recent.toSave();
    };
    const few = saved(2_001, 5);
    expect([few.length, few[0]?.[0], few.at(-1)?.[0]]).toEqual([2_000, '2xxxx', '2001x']);
    const long = saved(300, 962);
    // With its digest, time and punctuation each is 1,000 bytes.
    expect([long.length, long[0]?.[0].slice(0, 4), long.at(-1)?.[0].slice(0, 4)]).toEqual([
      250,
      '51xx',
      '300x',
    ]);
  });

  it('are never settled without an update time', () => {
    const recent = new Recent([]);
    const untimed = as({ name: 'Acme' });
    recent.add('1', untimed, AT + 60_000);
    expect(new Recent(recent.toSave()).isSettled('1', untimed)).toBe(false);
  });

  it('are never settled when they can not be told from others, nor remembered then', () => {
    const recent = new Recent([]);
    recent.add('1', listed, AT + 60_000);
    const next = new Recent(recent.toSave());
    expect(next.isSettled('1', { ...listed, flaw: new Error('two of one name') as never })).toBe(false);
    expect(next.isSettled('1', as({ ...record, name: 'Other' }))).toBe(false);
    expect(next.toSave()).toEqual([]);
  });

  it('are remembered by short digests, 2,000 of them, those that came last', () => {
    const recent = new Recent([]);
    for (let id = 0; id <= 2_000; id++) recent.add(String(id), listed, AT);
    const saved = recent.toSave();
    expect([saved.length, saved[0]?.[0], saved.at(-1)?.[0]]).toEqual([2_000, '1', '2000']);
    expect(saved[0]?.[1]).toHaveLength(16);
  });

  it('are remembered while they are listed, and no longer', () => {
    const first = new Recent([]);
    first.add('1', listed, AT + 60_000);
    const second = new Recent(first.toSave());
    second.isSettled('1', listed);
    expect(second.toSave()).toEqual(first.toSave());
    expect(new Recent(second.toSave()).toSave()).toEqual([]);
  });
});

describe('a walk', () => {
  it('works on each item once, in order of beginning, and reaches only what is wholly done', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.nat(12),
        fc.integer({ min: 1, max: 5 }),
        fc.option(fc.nat(12)),
        async (s, count, concurrency, failing) => {
          const items = Array.from({ length: count }, (_, index) => index);
          const done = new Set<number>();
          const begun: number[] = [];
          let reached = -1;
          const walking = walk(items, {
            concurrency,
            shouldStop: () => false,
            work: async item => {
              begun.push(item);
              await s.schedule(Promise.resolve());
              if (item === failing) throw new Error(`item ${item}`);
              done.add(item);
            },
            onReached: async (item, number) => {
              expect(item).toBe(number - 1);
              expect(item).toBeGreaterThan(reached);
              for (let before = 0; before <= item; before++) expect(done).toContain(before);
              reached = item;
            },
          }).catch((error: Error) => error.message);
          await s.waitFor(walking);
          expect(begun).toEqual(items.slice(0, begun.length));
          const fails = failing !== null && failing < count;
          expect(await walking).toBe(fails ? `item ${failing}` : 'done');
          if (!fails) expect([done.size, reached]).toEqual([count, count - 1]);
        },
      ),
    );
  });

  it('begins no other item once one has failed', async () => {
    const begun: number[] = [];
    const walking = walk([1, 2, 3, 4, 5, 6], {
      concurrency: 2,
      shouldStop: () => false,
      onReached: async () => undefined,
      work: async item => {
        begun.push(item);
        await new Promise(resolve => setImmediate(resolve));
        if (item === 1) throw new Error('first');
        await new Promise(resolve => setImmediate(resolve));
      },
    });
    await expect(walking).rejects.toThrow('first');
    expect(begun).toEqual([1, 2]);
  });

  it('tells what one met, not that another ran out of time', async () => {
    const work = async (item: number) => {
      if (item === 1) throw new DeadlineError('GET /processes/p/projects/1/tasks');
      await new Promise(resolve => setImmediate(resolve));
      if (item === 2) throw new TypeError('a defect');
      throw new Error('an outage');
    };
    const yields = (error: unknown) => error instanceof DeadlineError;
    const how = { concurrency: 3, shouldStop: () => false, onReached: async () => undefined, yields };
    await expect(walk([1, 2, 3], { ...how, work })).rejects.toThrow('a defect');
    await expect(walk([1], { ...how, work })).rejects.toThrow(DeadlineError);
  });

  it('stops before the item at which it is told to', async () => {
    const done: number[] = [];
    const how = { concurrency: 1, onReached: async () => undefined, shouldStop: () => done.length === 2 };
    const work = async (item: number) => void done.push(item);
    expect(await walk([1, 2, 3], { ...how, work })).toBe('stopped');
    expect(done).toEqual([1, 2]);
  });
});
