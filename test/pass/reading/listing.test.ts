import { describe, expect, it } from 'vitest';
import { digest } from '../../../functions/pass/reading/digest.ts';
import { kindOf, listProjects, MAX_READINGS } from '../../../functions/pass/reading/listing.ts';
import { ServiceAnswerError, ServiceError } from '../../../functions/service/errors.ts';
import { passContext } from '../../kit/pass/context.ts';
import { AT, DAY } from '../../kit/time.ts';

interface Options {
  /** What each reading shows: pages of identifiers. The last one is shown again and again. */
  readonly readings: readonly (readonly string[])[][];
  /** How long a page takes. */
  readonly pageMs?: number;
  readonly stopAt?: number;
  readonly clock?: 'service' | 'local';
  readonly watermark?: number;
  readonly updatedAt?: Record<string, number>;
  readonly flaws?: Record<string, ServiceAnswerError>;
}

function listing({
  readings,
  pageMs = 0,
  stopAt = AT + DAY,
  clock = 'service',
  watermark = 0,
  updatedAt = {},
  flaws = {},
}: Options) {
  let now = AT;
  let reading = 0;
  const filters: object[] = [];
  const said: string[] = [];
  const context = passContext({
    clock: () => now,
    stopAt,
    service: {
      async *projects(_process: string, filter: object) {
        filters.push(filter);
        const pages = readings[Math.min(reading++, readings.length - 1)] ?? [];
        for (const [index, ids] of pages.entries()) {
          now += pageMs;
          const items = ids.map(id => ({
            id,
            fields: { id, ...(updatedAt[id] && { updatedAt: updatedAt[id] }) },
            ...(flaws[id] && { flaw: flaws[id] }),
          }));
          yield { items, readAt: now + 7, clock, after: undefined, hasNextPage: index < pages.length - 1 };
        }
      },
    },
    before: { watermark },
    reports: { once: (code: string, message: string) => said.push(`${code}: ${message}`) },
  });
  return { list: (after?: number) => listProjects(context, after), filters, said };
}

const [ONE, TWO] = [[['1', '2']], [['1'], ['2']]];

describe('a listing', () => {
  it('of one page, or of none, is read once', async () => {
    const one = listing({ readings: [ONE] });
    const { projects, ...times } = await one.list(AT - 5);
    const shown = { readAt: AT + 7, readBefore: AT + 1_007 };
    expect([...projects]).toEqual(
      ['1', '2'].map(id => [id, { record: { id }, digest: digest({ id }), ...shown }]),
    );
    const listed = { readAt: AT + 7, readBefore: AT + 1_007, endedAt: AT, startedAt: AT + 7 };
    expect(times).toEqual({ isComplete: true, ...listed });
    expect(one.filters).toEqual([{ updatedAfter: AT - 5 }]);
    const none = listing({ readings: [[]] });
    expect(await none.list()).toMatchObject({ isComplete: true, readAt: AT, readBefore: AT });
    expect(none.filters).toEqual([{}]);
  });

  it('of several pages is read again, and rests when all that it showed is there', async () => {
    const { list, filters } = listing({ readings: [TWO], pageMs: 1_000 });
    const { projects, ...listed } = await list();
    expect([...projects.keys()]).toEqual(['1', '2']);
    const [readAt, readBefore] = [AT + 1_007, AT + 5_007];
    expect(listed).toMatchObject({ isComplete: true, readAt, readBefore, startedAt: readAt });
    expect(filters).toHaveLength(2);
  });

  it.each([
    ['has one more', [['1'], ['2', '3']]],
    ['has them in another order', [['2'], ['1']]],
    ['has the last of them in another order', [['1'], ['3', '2']], [['1'], ['2', '3']]],
    ['has one of them twice', [['1'], ['2', '1']]],
    ['has each of them once at last', TWO, [['1'], ['2', '1']]],
    ['has one of them twice again', [['1'], ['2', '1']], [['1'], ['2', '1']]],
  ])('that is not the same, but %s, rests when a third one lacks nothing', async (_, second, first = TWO) => {
    const { list, filters } = listing({ readings: [first, second] });
    const { projects, isComplete } = await list();
    expect([projects.size, isComplete, filters.length]).toEqual([new Set(second.flat()).size, true, 3]);
  });

  it('shows a record that cannot be used with the reason, and makes no digest of it: it may be nested too deeply', async () => {
    const flaw = new ServiceAnswerError('GET /projects', { path: '$', expected: 'less', found: 'more' });
    const { list } = listing({ readings: [ONE], flaws: { 1: flaw } });
    expect((await list()).projects.get('1')).toMatchObject({ digest: '', flaw });
  });

  it('invariant 9: that passed over one which others, made and gone unseen, hid is read until it shows that', async () => {
    const hidden = [
      [['1'], ['2']],
      [['1'], ['2', '4']],
      [['1'], ['2', '3', '4']],
    ];
    const { list, filters } = listing({ readings: hidden });
    const { projects, isComplete } = await list();
    expect([[...projects.keys()].sort(), isComplete, filters.length]).toEqual([
      ['1', '2', '3', '4'],
      true,
      3,
    ]);
  });

  it('invariant 9: that was confirmed once before it changed is confirmed twice after that', async () => {
    const lasts = [['2'], ['2', '3'], ['2', '4'], ['2', '4', '5'], ['2', '3', '4', '5']];
    const { list, filters } = listing({ readings: lasts.map(last => [['1'], last]) });
    const { projects, isComplete } = await list();
    expect([projects.size, isComplete, filters.length]).toEqual([5, true, 5]);
  });

  it.each([
    ['lacks what it showed before is read again, and what went is not listed', [['1'], ['3']], 3],
    ['has become one page is believed at once', [['1', '3']], 2],
  ])('that %s', async (_, second, times) => {
    const { list, filters } = listing({ readings: [[['1'], ['2', '3']], second] });
    const { projects, isComplete } = await list();
    expect([[...projects.keys()], isComplete, filters.length]).toEqual([['1', '3'], true, times]);
  });

  it('that never rests is not complete, and lists all that it ever showed', async () => {
    const turns = [['1'], ['2']].map(last => [['0'], last]);
    const readings = Array.from({ length: 20 }, (_, index) => turns[index % 2] ?? []);
    const { list, filters } = listing({ readings });
    const { projects, ...restless } = await list();
    expect([[...projects.keys()].sort(), restless.isComplete]).toEqual([['0', '1', '2'], false]);
    expect(kindOf({ projects, ...restless })).toBe('unstable');
    expect(filters).toHaveLength(MAX_READINGS);
  });

  it.each([
    [6_000, 2, true],
    [5_999, 1, false],
  ])('with %i ms of time, and readings of two seconds, is read %i times', async (time, times, isComplete) => {
    const { list, filters } = listing({ readings: [TWO], pageMs: 1_000, stopAt: AT + time });
    expect((await list()).isComplete).toBe(isComplete);
    expect(filters).toHaveLength(times);
  });

  it('that goes on when the time is over is refused: it says how far it came, and what to do', async () => {
    const endless = listing({ readings: [[['1'], ['2', '3'], ['4']]], pageMs: 1_000, stopAt: AT + 2_000 });
    const listed = endless.list();
    await expect(listed).rejects.toThrow(ServiceError);
    await expect(listed).rejects.toThrow(
      /^GET \/processes\/p\/projects: the listing did not end.*: 3 projects on 2 pages.*Make runs longer, or split/s,
    );
    const inTime = listing({ readings: [TWO], pageMs: 1_000, stopAt: AT + 2_000 });
    expect([...(await inTime.list()).projects.keys()]).toEqual(['1', '2']);
  });
});

describe('a listing without a Date header', () => {
  const startedAt = async (more: Partial<Options> = {}) => {
    const { list, said } = listing({ readings: [ONE], clock: 'local', ...more });
    const listed = await list();
    const isSaid = /^no-service-clock: The service sends no usable Date header/;
    expect(said).toEqual([expect.stringMatching(isSaid)]);
    const byOurs = { readAt: AT + 7, readBefore: AT + 7, untimed: true };
    expect([listed, listed.projects.get('1')]).toMatchObject([byOurs, byOurs]);
    return listed.startedAt;
  };

  it('began at the latest time of update that it shows, or that is known, and ten minutes ago where none is', async () => {
    expect(await startedAt({ updatedAt: { 1: AT - 3, 2: AT - 5 } })).toBe(AT - 3);
    expect(await startedAt({ updatedAt: { 1: AT - 3 }, watermark: AT - 2 })).toBe(AT - 2);
    expect(await startedAt({ watermark: AT - 2 })).toBe(AT - 2);
    expect(await startedAt()).toBe(AT - 600_000);
  });

  it('began before all time where nothing is listed, and none is known: our clock may be hours ahead', async () => {
    for (const watermark of [0, AT - 2]) {
      const { startedAt } = await listing({ readings: [[[]]], clock: 'local', watermark }).list();
      expect(startedAt).toBe(watermark);
    }
  });

  it('takes no time for one that is more than a day ahead', async () => {
    expect(await startedAt({ updatedAt: { 1: AT - 3, 2: AT + DAY } })).toBe(AT + DAY);
    expect(await startedAt({ updatedAt: { 1: AT - 3, 2: AT + DAY + 1 } })).toBe(AT - 3);
    expect(await startedAt({ watermark: AT + DAY })).toBe(AT + DAY);
    expect(await startedAt({ watermark: AT + DAY + 1 })).toBe(AT - 600_000);
  });
});
