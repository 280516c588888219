import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/basics/json.ts';
import type { AuditPosition } from '../../../functions/model/process-state.ts';
import { readAudit } from '../../../functions/pass/audit-log/read-audit.ts';
import { digest } from '../../../functions/pass/reading/digest.ts';
import { ServiceStatusError } from '../../../functions/service/errors.ts';
import { passContext } from '../../kit/pass/context.ts';
import { AT, iso, MINUTE } from '../../kit/time.ts';

type Order = AuditPosition['order'];
/** When the log was last read. */
const LAST = AT - MINUTE;

/** An entry without a time, by its number. */
const plain = (n: number): JsonObject => ({ n });
const timed = (n: number, at: number): JsonObject => ({ n, at: new Date(at).toISOString() });
/** Entries up to 9 are a day old, all others of the last minute. */
const dated = (n: number): JsonObject => timed(n, (n < 10 ? LAST - 1440 * MINUTE : LAST) + n * 1_000);

interface Options {
  /** The entries in their order, as each walk finds them; the last one is found again and again. */
  readonly logs: readonly (readonly number[])[];
  readonly size?: number;
  readonly entryOf?: (n: number) => JsonObject;
  /** How long a page takes, and how much time the pass has. */
  readonly pageMs?: number;
  readonly time?: number;
  readonly clock?: 'service' | 'local';
  /** A cursor that the service refuses. */
  readonly refused?: string;
  /** The errors that the first requests meet. */
  readonly errors?: readonly Error[];
  readonly settings?: object;
}

/** Reads such a log, by cursors that count entries. */
async function reading(before: AuditPosition | undefined, options: Options) {
  const { logs, size = 2, entryOf = plain, pageMs = 0, time = 900_000, clock = 'service' } = options;
  const { refused, errors = [], settings = {} } = options;
  let requests = 0;
  const said: object[] = [];
  let now = AT;
  /** Where the pages of each walk began. */
  const walks: number[][] = [];
  const warnings: unknown[] = [];
  const context = passContext({
    ...{ process: { workspace: 'w', processId: 'p' }, settings, before: { watermark: LAST } },
    ...{ clock: () => now, stopAt: AT + time, heartbeat: { beat: async () => {} } },
    log: {
      warn: (message: string, details: { code: string }) => {
        warnings.push(details.code);
        said.push({ message, ...details });
      },
    },
    reports: { once: (code: string, message: string, more: object) => said.push({ code, message, ...more }) },
    service: {
      async *auditLog(_process: string, after: string | undefined) {
        const error = errors[requests++];
        if (error) throw error;
        if (after !== undefined && after === refused)
          throw new ServiceStatusError('GET /auditlog', 410, 'gone');
        const pages: number[] = [];
        const log = logs[Math.min(walks.push(pages), logs.length) - 1] ?? [];
        const start = Number(after ?? 0);
        for (let from = start; from === start || from < log.length; from += size) {
          now += pageMs;
          pages.push(from);
          yield {
            ...{ items: log.slice(from, from + size).map(entryOf), readAt: now, clock, digest: '' },
            ...{ after: from === 0 ? undefined : String(from), hasNextPage: from + size < log.length },
          };
        }
      },
    },
  });
  const read = await readAudit(context, before);
  const position = read.position as AuditPosition;
  return { ...read, position, found: read.entries.map(({ n }) => n), walks, warnings, said, requests };
}

/** The position of a log that was left with these entries. */
function left(
  order: Order,
  tail: string | undefined,
  seen: readonly number[],
  entryOf = plain,
): AuditPosition {
  return { order, tail, seen: seen.map(n => digest(entryOf(n))), readAt: LAST };
}
const numbers = (from: number, to: number) =>
  Array.from({ length: Math.abs(to - from) }, (_, index) => from + Math.sign(to - from) * index);

/** The rows of a table, whose cells are two blanks or more apart; `-`: nothing. */
const rowsOf = (table: string) =>
  table
    .trim()
    .split('\n')
    .map(line =>
      line
        .trim()
        .split(/ {2,}/)
        .map(cell => (cell === '-' ? '' : cell)),
    );
const listOf = (cell = '') => cell.split(' ').filter(Boolean).map(Number);
/** A position in short: `oldest-first 2: 1 2 3`, its order, tail and entries. */
function positionOf(cell: string, entryOf = plain): AuditPosition {
  const [place = '', seen] = cell.split(':');
  const [order, tail] = place.split(' ');
  return left(order as Order, tail, listOf(seen), entryOf);
}

describe('a first reading', () => {
  it.each<[Order, string | undefined, number[], number[], (n: number) => JsonObject]>([
    ['newest-first', undefined, [16, 15, 14, 13, 12, 11], [16, 15, 14, 13], dated],
    ['oldest-first', '4', [11, 12, 13, 14, 15], [13, 14, 15], dated],
    ['unknown', '2', [11, 12, 13, 14], [11, 12, 13, 14], dated],
    ['unknown', '4', [1, 2, 3, 4, 5, 6], [1, 2, 5, 6], plain],
    ['unknown', undefined, [], [], plain],
  ])('goes to the end of a log, %s, and finds nothing new', async (order, tail, log, seen, entryOf) => {
    const { found, walks, position } = await reading(undefined, { logs: [log], entryOf });
    expect([found, walks]).toEqual([
      [],
      [numbers(0, Math.max(1, Math.ceil(log.length / 2))).map(n => 2 * n)],
    ]);
    expect(position).toEqual({ ...left(order, tail, seen, entryOf), readAt: AT });
  });

  it('ends where a hundred times show that the log is newest-first', async () => {
    const log = numbers(500, 0);
    const { walks, position } = await reading(undefined, { logs: [log], size: 50, entryOf: dated });
    expect([walks, position.order]).toEqual([[[0, 50]], 'newest-first']);
    const oldest = await reading(undefined, { logs: [log.toReversed()], size: 50, entryOf: dated });
    expect([oldest.walks[0]?.length, oldest.position.order]).toEqual([10, 'oldest-first']);
  });

  it('that has no time for all of it is continued by the next pass, which finds what came since', async () => {
    const before = numbers(11, 31);
    const first = await reading(undefined, { logs: [before], entryOf: dated, pageMs: 1_000, time: 4_000 });
    expect([first.found, first.walks, first.warnings]).toEqual([[], [[0, 2]], ['audit-too-long']]);
    expect(first.position).toMatchObject({ seen: [], unfinished: { after: '2', readAt: AT + 1_000 } });
    const entryOf = (n: number) => (n > 30 ? timed(n, AT + 2_000) : dated(n));
    const next = await reading(first.position, { logs: [[...before, 31]], entryOf });
    expect([next.found, next.walks[0]?.[0], next.warnings]).toEqual([[31], 2, []]);
    expect(next.position).toMatchObject({ order: 'oldest-first', tail: '20', readAt: AT + 1_000 });
    expect(next.position.unfinished).toBeUndefined();
  });

  it('whose cursor is refused is read from its beginning, and finds nothing new, either', async () => {
    const first = await reading(undefined, { logs: [numbers(11, 31)], pageMs: 1_000, time: 4_000 });
    const next = await reading(first.position, { logs: [numbers(11, 32)], refused: '2' });
    expect([next.found, next.walks[0]?.[0], next.warnings]).toEqual([[], 0, ['audit-position-lost']]);
    const newest = left('newest-first', undefined, [2, 1]);
    const cut = await reading(newest, { logs: [numbers(8, 0)], pageMs: 1_000, time: 4_000 });
    const again = await reading(cut.position, { logs: [numbers(8, 0)], refused: '2' });
    expect([again.found, again.walks[0]]).toEqual([numbers(3, 9), [0, 2, 4, 6]]);
  });

  it.each<[string, Pick<Options, 'entryOf' | 'clock'>]>([
    ['whose entries have no times', {}],
    ['of a service without a Date header', { entryOf: dated, clock: 'local' }],
  ])('of several passes, %s, emits nothing before it is complete, and each entry then', async (_, how) => {
    const before = numbers(11, 31);
    const first = await reading(undefined, { logs: [before], ...how, pageMs: 1_000, time: 4_000 });
    const next = await reading(first.position, { logs: [[...before, 31]], ...how });
    expect([first.found, next.found]).toEqual([[], []]);
    expect(next.position.unfinished).toBeUndefined();
    const last = await reading(next.position, { logs: [[...before, 31, 32, 33]], ...how });
    expect(last.found).toEqual([32, 33]);
  });
});

describe('a log that stands as it was left', () => {
  it.each(
    rowsOf(`
newest-first: 4 3 2 1     4 3 2 1          -        0          newest-first: 4 3 2 1
newest-first: 4 3 2 1     5 4 3 2 1        5        0          newest-first: 5 4 3 2
newest-first: 4 3 2 1     7 6 5 4 3 2 1    5 6 7    0 2        newest-first: 7 6 5 4
newest-first: 4 3 2 1     7 6 5 3 2        5 6 7    0 2 4      newest-first
newest-first: 4 3 2 1     5 4              5        0          newest-first
newest-first: 4 3 2 1     4 5 3 2          5        0 2        newest-first
oldest-first 2: 1 2 3 4   1 2 3 4          -        2          oldest-first 2: 1 2 3 4
oldest-first 2: 1 2 3 4   1 2 3 4 5        5        2 4, 2     oldest-first 4: 2 3 4 5
oldest-first 2: 1 2 3 4   2 3 4 5          5        2          oldest-first 2: 2 3 4 5
oldest-first: 1 2         1 3 2            3        0 2, 0     oldest-first
unknown 2: 1 2 3 4        1 2 3 4          -        0, 2       unknown 2: 1 2 3 4
unknown 2: 1 2 3 4        1 2 3 4 5        5        0, 2 4, 2  oldest-first 4: 3 4 5
unknown 2: 1 2 3 4        5 1 2 3 4        5        0, 2 4     newest-first: 5 1 2 3
unknown 2: 1 2 3 4        6 5 1 2 3 4      5 6      0 2, 2 4   newest-first: 6 5 1 2
unknown: 1 2              1 2 3            3        0 2, 0     oldest-first
unknown:                  1                1        0          unknown
unknown 8: 1 2 9          7 8 9            -        0 2, 0     unknown`),
  )('as %s, and is %s, has the new entries %s, found on pages %s, then stands as %s', async (...row) => {
    const [place = '', log, found, walks = '', after = ''] = row;
    const before = positionOf(place);
    const read = await reading(before, { logs: [listOf(log)] });
    expect([read.found, read.walks, read.warnings]).toEqual([
      listOf(found),
      walks.split(',').map(listOf),
      [],
    ]);
    const { order, tail, seen } = positionOf(after);
    expect(read.position).toMatchObject(after.includes(':') ? { order, tail, seen } : { order });
    expect(read.position.readAt).toBe(JSON.stringify(read.position) === JSON.stringify(before) ? LAST : AT);
    expect(read.readAt).toBe(AT);
  });

  it('by its oldest remembered entry, needs no more pages, though the page ends with one that is not remembered', async () => {
    const newest = left('newest-first', undefined, [4, 3, 2, 1]);
    const { walks, found } = await reading(newest, { logs: [[5, 4, 3, 2, 1, 0, -1, -2, -3]], size: 6 });
    expect([walks, found]).toEqual([[[0]], [5]]);
  });

  it('has its late entries, whatever they say of their time', async () => {
    const newest = left('newest-first', undefined, [2, 1], dated);
    expect((await reading(newest, { logs: [[3, 2, 1]], entryOf: dated })).found).toEqual([3]);
    const oldest = left('oldest-first', undefined, [1, 2], dated);
    expect((await reading(oldest, { logs: [[1, 2, 3, 4]], size: 3, entryOf: dated })).found).toEqual([3, 4]);
  });

  it('is the same by a position of 0.1.0, which has other keys, no time, and a single page', async () => {
    const old = {
      order: 'newest-first',
      seen: left('unknown', undefined, [2, 1]).seen,
      head: 'x',
      tail: '4',
      cuts: 3,
    };
    const { found, walks, position } = await reading(old as never, { logs: [[3, 2, 1, 0]] });
    expect([found, walks]).toEqual([[3], [[0]]]);
    expect(position).toEqual({ ...left('newest-first', undefined, [3, 2, 1]), readAt: AT });
    const empty = { order: 'oldest-first', seen: [], tail: '2' } as const;
    expect((await reading(empty, { logs: [[1, 2, 3]] })).found).toEqual([3]);
  });
});

it.each(
  rowsOf(`
turned around             times     newest-first: 3 2      1 2 3 10 11      10 11           oldest-first
turned around             times     oldest-first 2: 2 3    11 10 3 2 1      10 11           newest-first
turned around and purged  times     newest-first: 3 2      3 10 11          10 11           newest-first
turned around and purged  times     oldest-first: 2 3      11 10 3          10 11           oldest-first
purged beyond             times     newest-first: 3 2      14 13 12 11 10   10 11 12 13 14  newest-first
purged beyond             times     oldest-first 2: 2 3    10 11 12 13 14   10 11 12 13 14  oldest-first
in another form           times     newest-first: 20 19    10 9 8 7 6       10              newest-first
in another form           times     unknown 4: 20 19       6 7 8 9 10       10              oldest-first
turned around             no times  newest-first: 3 2      1 2 3 4          4               oldest-first
turned around             no times  oldest-first 2: 1 2 3  5 4 3 2 1        4 5             newest-first
turned around             no times  unknown: 1 2           3 2 1            3               unknown
purged beyond             no times  newest-first: 3 2      5 4              4 5             newest-first
purged beyond             no times  unknown 2: 1 2 3       5 4              4 5             unknown
moved to its head         no times  oldest-first 4: 1 4 5  3 4 5 6          6               oldest-first`),
)(
  'a log that contradicts its position %s, with %s: was left as %s, is %s, has the new entries %s, and is %s',
  async (...row) => {
    const [_, times, place = '', log, found, order] = row;
    const entryOf = times === 'times' ? dated : plain;
    const read = await reading(positionOf(place, entryOf), { logs: [listOf(log)], entryOf });
    expect([read.found.toSorted(), read.position.order]).toEqual([listOf(found), order]);
  },
);

it('a log that contradicts its position is read as a whole once: the next reading finds it as it was left', async () => {
  const before = left('oldest-first', '4', [3, 4, 5], dated);
  const read = await reading(before, { logs: [[10, 11, 12, 13, 14, 15, 16]], entryOf: dated });
  expect(read.walks).toEqual([[4], [0, 2, 4, 6], [0]]);
  const next = await reading(read.position, { logs: [[10, 11, 12, 13, 14, 15, 16]], entryOf: dated });
  expect([next.walks, next.found, next.position]).toEqual([[[6]], [], read.position]);
});

describe('an entry of a log that contradicts its position', () => {
  const before = left('oldest-first', undefined, [99], dated);
  const foundAt = async (times: object, options: Partial<Options> = {}) =>
    (await reading(before, { logs: [[1]], entryOf: n => ({ n, ...times }) as JsonObject, ...options })).found
      .length === 1;

  it.each([
    ['ten minutes before the last reading', { at: iso(LAST - 10 * MINUTE) }, true],
    ['earlier than that', { at: iso(LAST - 10 * MINUTE - 1) }, false],
    ['earlier, in seconds', { at: Math.floor(LAST / 1_000) - 601 }, false],
    [
      'earlier, but for a later time of its own',
      { made: iso(AT - 1440 * MINUTE), meta: { at: iso(AT) } },
      true,
    ],
    [
      'earlier, but for a time yet to come',
      { at: iso(LAST - 60 * MINUTE), due: iso(AT + 6 * MINUTE) },
      false,
    ],
    ['at no time', { due: '2026-12-01' }, true],
  ])('written %s is new: %j, %s', async (_, times, isNew) => {
    expect(await foundAt(times)).toBe(isNew);
  });

  it('has no time where the service sends no Date, now or at the last reading', async () => {
    const old = { at: iso(LAST - 60 * MINUTE) };
    expect(await foundAt(old, { clock: 'local' })).toBe(true);
    const untold = { ...before, readAt: 0 };
    expect((await reading(untold, { logs: [[1]], entryOf: dated })).found).toEqual([1]);
  });
});

it('a log whose entries move from page to page while its new ones are read, is read again until its first page stays', async () => {
  const before = left('oldest-first', undefined, [1, 2]);
  // Two are purged after the first page: 5 and 6 stand where 3 and 4 were.
  const purged = [3, 4, 5, 6];
  const { found, walks } = await reading(before, { logs: [[1, 2, 5, 6], purged, purged, purged] });
  expect([found, walks]).toEqual([
    [5, 6, 3, 4],
    [[0, 2], [0], [0, 2], [0]],
  ]);
});

it('a log whose entries move from page to page is read five times at most, and not beyond its time', async () => {
  const logs = numbers(0, 20).map(n => [n, 1, 2, 3, 4, 5]);
  const before = left('oldest-first', undefined, [1, 2]);
  expect((await reading(before, { logs })).walks).toHaveLength(2 * 5 - 1);
  expect((await reading(before, { logs, pageMs: 1_000, time: 6_000 })).walks).toHaveLength(1);
});

describe('an audit log that is refused', () => {
  const status = (code: number) => new ServiceStatusError('GET /auditlog', code, 'refused');
  /** An error with a status, but not of the service. */
  const broken = (code: number) => Object.assign(new Error('broken'), { status: code });
  const at = (tail?: string) => left('oldest-first', tail, []);
  const isDenied = { entries: [], readAt: 0, isDenied: true };

  it('by the configuration is not asked for, and its place is kept', async () => {
    const read = await reading(at('2'), { logs: [[]], settings: { auditLog: false } });
    expect(read).toMatchObject({ ...isDenied, position: at('2'), said: [], requests: 0 });
  });

  it.each<[string | undefined, ...number[]]>([
    [undefined, 403],
    ['2', 403],
    [undefined, 404],
    ['2', 400, 403],
    ['2', 400, 404],
  ])('at %s by %i, and from its start by %i, is done without, and its place kept', async (tail, ...codes) => {
    const read = await reading(at(tail), { logs: [[]], errors: codes.map(status) });
    expect(read).toMatchObject({ ...isDenied, position: at(tail) });
    const message = expect.stringMatching(/^The audit log cannot be read.*emitted by the next sweep/s);
    const error = `GET /auditlog: status ${codes.at(-1)}: refused`;
    expect(read.said).toEqual([{ code: 'audit-denied', message, error }]);
  });

  it.each<[string | undefined, ...Error[]]>([
    [undefined, status(400)],
    ...[401, 408, 429, 500, 503].map(code => ['2', status(code)] as [string, Error]),
    [undefined, status(401)],
    [undefined, status(500)],
    ['2', broken(403)],
    ['2', broken(400)],
    ...[status(500), status(400), broken(404)].map(
      error => ['2', status(400), error] as [string, Error, Error],
    ),
  ])('at %s by %s, and from its beginning by %s, stops the pass', async (tail, ...errors) => {
    await expect(reading(at(tail), { logs: [[]], errors })).rejects.toBe(errors.at(-1));
    if (tail === undefined) await expect(reading(undefined, { logs: [[]], errors })).rejects.toBe(errors[0]);
  });

  it.each([400, 404, 410, 499])('by %i at its place is read from the start, with a warning', async code => {
    const read = await reading(at('2'), { logs: [[]], errors: [status(code)] });
    expect(read).toMatchObject({ entries: [], readAt: AT, position: at(), requests: 2 });
    const message = 'The position in the audit log was lost; the log was read from its beginning.';
    const details = { workspace: 'w', processId: 'p', code: 'audit-position-lost' };
    expect(read.said).toEqual([{ message, ...details, error: `GET /auditlog: status ${code}: refused` }]);
  });
});

describe('a log that takes long', () => {
  const short = { pageMs: 1_000, time: 4_000 };

  it('oldest-first, is left where half of the time was over, and read on by the next pass', async () => {
    const log = numbers(1, 9);
    const cut = await reading(left('oldest-first', undefined, [1, 2]), { logs: [log], ...short });
    expect([cut.found, cut.walks, cut.warnings]).toEqual([[3, 4], [[0, 2]], ['audit-too-long']]);
    // What is left to read may be from before this reading.
    expect(cut.position).toEqual(left('oldest-first', '2', [1, 2, 3, 4]));
    expect(cut.readAt).toBe(0);
    const next = await reading(cut.position, { logs: [log] });
    expect([next.found, next.walks[0]]).toEqual([
      [5, 6, 7, 8],
      [2, 4, 6],
    ]);
  });

  it('newest-first, is read on by the next pass, which has what came at its head since, too', async () => {
    const before = left('newest-first', undefined, [2, 1]);
    const cut = await reading(before, { logs: [numbers(8, 0)], ...short });
    expect([cut.found, cut.readAt, cut.warnings]).toEqual([[5, 6, 7, 8], 0, ['audit-too-long']]);
    const { unfinished, ...place } = cut.position;
    expect(place).toEqual(before);
    const { seen } = left('unknown', undefined, [8, 7, 6, 5]);
    expect(unfinished).toEqual({ after: '2', seen, readAt: AT + 1_000, isFirst: false });
    const next = await reading(cut.position, { logs: [numbers(10, 0)] });
    expect([next.found, next.walks, next.readAt]).toEqual([
      [3, 4, 5, 6, 7, 8, 9, 10],
      [
        [2, 4, 6, 8],
        [0, 2],
      ],
      AT,
    ]);
    expect(next.position).toEqual({ ...left('newest-first', undefined, [10, 9, 8, 7]), readAt: AT });
  });

  it.each([
    ['newest-first', undefined, 2],
    ['unknown', '2', 2],
    // Six times show that it is newest-first.
    ['unknown', '2', 3],
  ] as const)('has read two pages in each pass, so it ends: %s, pages of %i', async (order, tail, size) => {
    let position = left(order, tail, [2, 1], dated);
    const found: unknown[] = [];
    const how = { size, entryOf: dated, clock: 'local', pageMs: 1_000, time: 0 } as const;
    for (let pass = 0; pass < 9; pass++) {
      const read = await reading(position, { logs: [numbers(10, 0)], ...how });
      found.push(...read.found);
      position = read.position;
    }
    expect(new Set(found)).toEqual(new Set(numbers(3, 11)));
    expect(position.seen).toEqual(left('unknown', undefined, numbers(10, 10 - 2 * size), dated).seen);
  });

  it('and says no times is not taken for new where it may be old', async () => {
    const before = left('oldest-first', '4', [9, 10]);
    const cut = await reading(before, { logs: [numbers(1, 9)], ...short });
    expect([cut.found, cut.position.unfinished?.after]).toEqual([[], '2']);
    const next = await reading(cut.position, { logs: [[...numbers(1, 12)]] });
    expect([next.found, next.position]).toMatchObject([[11], { order: 'oldest-first', tail: '10' }]);
  });

  it('keeps what says that it is old for later, but does not emit it before the log is met', async () => {
    const before = left('newest-first', undefined, [2, 1], dated);
    const cut = await reading(before, { logs: [[11, 3, 10, 4, 2, 1]], entryOf: dated, ...short });
    expect(cut.found).toEqual([10, 11]);
  });

  it('and grows by more than can be held is read on by the next pass, too', async () => {
    const text = 'x'.repeat(2 ** 20);
    const entryOf = (n: number) => (n < 3 ? plain(n) : { n, text });
    const read = await reading(left('newest-first', undefined, [2, 1]), { logs: [numbers(36, 0)], entryOf });
    expect([read.found.length, read.warnings]).toEqual([32, ['audit-overfull']]);
    const next = await reading(read.position, { logs: [numbers(36, 0)], entryOf });
    expect(new Set([...read.found, ...next.found])).toEqual(new Set(numbers(3, 37)));
    // 20 MB of characters: what else an entry takes counts, too.
    const small = await reading(left('newest-first', undefined, [0]), {
      logs: [numbers(85_000, 0)],
      size: 40_000,
      entryOf: n => ({ n, text: 'x'.repeat(210) }),
    });
    expect(small.warnings).toEqual(['audit-overfull']);
  });
});

const MAX_SEEN = 5_000;
const log = numbers(0, 12_000);
const size = 20_000;

it.each<[Order, number[]]>([
  ['newest-first', numbers(0, MAX_SEEN)],
  ['oldest-first', numbers(7_000, 12_000)],
  ['unknown', [...numbers(0, MAX_SEEN / 2), ...numbers(9_500, 12_000)]],
])('a log of many entries in one page is remembered, %s, where new entries come', async (order, seen) => {
  const position = left(order, undefined, order === 'oldest-first' ? [11_999] : [0, 11_999]);
  const read = await reading(position, { logs: [log], size });
  expect(read.position.seen).toEqual(left(order, undefined, seen).seen);
  const grown = order === 'newest-first' ? [-1, ...log] : [...log, -1];
  const next = await reading(read.position, { logs: [grown], size });
  expect([next.found, next.walks]).toEqual([[-1], [[0]]]);
});

const step = fc.record({
  grows: fc.nat({ max: 9 }),
  isPurged: fc.boolean(),
  /** How many pages a pass has time for. */
  pages: fc.integer({ min: 1, max: 6 }),
  /** Whether the pass is killed before its position is kept. */
  isKilled: fc.boolean(),
});

it('invariants 1 and 3: however little time the passes have, each entry after the first reading is found, and none of before, in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 1, max: 4 }),
      fc.nat({ max: 12 }),
      fc.array(step, { minLength: 1, maxLength: 12, size: 'max' }),
      async (isNewestFirst, isTimed, size, history, steps) => {
        let log = numbers(1, history + 1);
        let newest = history;
        const entryOf = (n: number) =>
          isTimed ? timed(n, (n > history ? LAST : LAST - 60 * MINUTE) + n) : plain(n);
        const found = new Set<number>();
        const shown = () => (isNewestFirst ? log.toReversed() : log);
        let position: AuditPosition | undefined;
        const pass = async (pages: number, isKilled: boolean) => {
          const time = { pageMs: 1_000, time: 2_000 * pages };
          const read = await reading(position, { logs: [shown()], size, entryOf, ...time });
          for (const n of read.found) found.add(n as number);
          if (!isKilled) position = read.position;
        };
        await pass(100, false);
        for (const { grows, isPurged, pages, isKilled } of steps) {
          log = [...log, ...numbers(newest + 1, newest + grows + 1)];
          newest += grows;
          const isUnread = (n: number) => n > history && !found.has(n);
          // Not told apart are the entries of a log that is purged beyond what is known and has no times, or too few on two pages to know its order.
          if (isPurged && isTimed && size > 2)
            log = log.slice(Math.min(log.findIndex(isUnread) >>> 0, log.length - 1));
          await pass(pages, isKilled);
        }
        for (let calm = 0; calm < 2; calm++) await pass(1_000, false);
        expect([...found].toSorted((a, b) => a - b)).toEqual(numbers(history + 1, newest + 1));
        const { walks } = await reading(position, { logs: [shown()], size, entryOf });
        expect(walks.flat().length).toBeLessThanOrEqual(position?.order === 'unknown' ? 2 : 1);
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 250) },
  );
});
