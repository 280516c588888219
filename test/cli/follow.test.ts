import { describe, expect, it } from 'vitest';
import { Gone } from '../../cli/connect/connection.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { NOW, run } from '../kit/cli/world.ts';

interface Committed {
  readonly committedAt: string;
  readonly event: { readonly id: string; readonly type: string };
}

const iso = (at: number) => new Date(at).toISOString();
const committed = (id: string, ago: number): Committed => ({
  committedAt: iso(NOW - ago * 1000),
  event: { id, type: 'x.y' },
});

/** A journal that more comes to: with each sleep, the next of `coming`. It ends when nothing comes any more. */
function journal(there: readonly Committed[], coming: readonly (readonly Committed[])[]) {
  const all = [...there];
  const left = [...coming];
  const ending = new AbortController();
  const events = ({
    since = iso(0),
    until = '9999-01-01T00:00:00.000Z',
    order,
    limit = 50,
    cursor = '0',
  }: RequestOf<'events'>) => {
    const sorted = all
      .filter(({ committedAt }) => committedAt >= since && committedAt < until)
      .sort((a, b) => a.committedAt.localeCompare(b.committedAt));
    if (order !== 'oldest-first') sorted.reverse();
    const from = Number(cursor);
    const page = sorted.slice(from, from + limit);
    const isMore = from + limit < sorted.length;
    const readTo = page.at(-1)?.committedAt;
    return {
      ...{ at: iso(NOW), events: page },
      ...(readTo && { readTo }),
      ...(isMore && { cursor: String(from + limit) }),
    };
  };
  let now = NOW;
  const sleep = async () => {
    // More than it takes until it is looked back once more.
    now += 11_000;
    const next = left.shift();
    if (next) all.push(...next);
    else ending.abort();
  };
  return { answers: { events }, sleep, clock: () => now, interrupted: ending.signal };
}

const ids = (out: string) =>
  out
    .trim()
    .split('\n')
    .map(line => (JSON.parse(line) as { id: string }).id);

describe('events --follow', () => {
  it('tells the newest, and then each that comes, once, also one that is seen late', async () => {
    const there = [committed('a', 900), committed('b', 600), committed('c', 100), committed('d', 50)];
    const setting = journal(there, [[committed('e', 0)], [], [committed('late', 60), committed('f', 0)]]);
    const { code, out } = await run(['events', '--follow', '--limit', '3', '--json'], setting);
    expect(code).toBe(0);
    expect(ids(out)).toEqual(['b', 'c', 'd', 'e', 'late', 'f']);
  });

  it('of the last two minutes repeats none that it leaves out for their number', async () => {
    const there = Array.from({ length: 250 }, (_, index) => committed(`e${index}`, 100 - index * 0.1));
    const setting = journal(there, [[committed('new', 0)]]);
    const { out } = await run(['events', '--follow', '--limit', '2', '--json'], setting);
    expect(ids(out)).toEqual(['e248', 'e249', 'new']);
  });

  it('tells all from a time on', async () => {
    const there = [committed('a', 900), committed('b', 600), committed('c', 100)];
    const setting = journal(there, [[committed('d', 0)]]);
    const { out } = await run(['events', '--follow', '--since', '11m', '--json'], setting);
    expect(ids(out)).toEqual(['b', 'c', 'd']);
  });
});

const STATUS = { at: iso(NOW), deployment: 'run', isRunning: true, processes: [], endpoints: [] };

describe('status --watch', () => {
  /** Answers in turn; an error is thrown. */
  function turns(...left: (object | Error)[]) {
    const ending = new AbortController();
    const status = () => {
      const next = left.shift();
      if (left.length === 0) ending.abort();
      if (next instanceof Error) throw next;
      return next;
    };
    return { answers: { status }, interrupted: ending.signal };
  }

  it('is shown in its place, and not scrolled, until somebody ends it', async () => {
    const { code, out } = await run(['status', '--watch'], {
      ...turns(STATUS, { ...STATUS, isRunning: false }),
      columns: 80,
    });
    expect(code).toBe(0);
    const [, first, second] = out.split('\u001B[H');
    expect(first).toMatch(/This machine/);
    expect(second).toMatch(/Not running/);
    expect(out.endsWith('\u001B[J')).toBe(true);
  });

  it('goes on when a question fails, and ends when the first does', async () => {
    const setting = turns(STATUS, new Error('away'), STATUS);
    const { code, out, err } = await run(['status', '--watch', '--json'], setting);
    expect([code, err, out.trim().split('\n').length]).toEqual([0, 'away\n', 2]);
    expect(await run(['status', '--watch'], turns(new Error('away'), STATUS))).toMatchObject({ code: 1 });
  });

  it('when the run is gone, asks whoever is there then', async () => {
    const { answers, interrupted } = turns(
      ...[STATUS, new Gone('The run broke off.'), { ...STATUS, isRunning: false }],
    );
    let opened = 0;
    const open = async () => {
      opened += 1;
      return { ask: async () => answers.status() as never, close: async () => undefined };
    };
    const { out, err } = await run(['status', '--watch', '--json'], { open, interrupted });
    expect([opened, err]).toEqual([2, 'The run broke off.\n']);
    expect(out).toMatch(/"isRunning":true.*\n.*"isRunning":false/);
  });
});
