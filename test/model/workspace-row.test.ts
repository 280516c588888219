import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EMPTY_WORKSPACE,
  PROBE_MS,
  pauseAt,
  SHARE_MS,
  type WorkspaceRow,
  withoutShare,
  withPause,
  withProbe,
  withShare,
} from '../../functions/model/workspace-row.ts';
import { AT, MINUTE, SECOND } from '../kit/time.ts';

type ShareRequest = Parameters<typeof withShare>[1];

const request = (run: string, more: Partial<ShareRequest> = {}): ShareRequest => ({
  ...{ run, now: AT, ceiling: 16, isBulk: false },
  ...more,
});
/** The row after each of these took a share, or renewed it. */
const after = (row: WorkspaceRow, ...requests: ShareRequest[]): WorkspaceRow =>
  requests.reduce(withShare, row);
const counts = ({ shares }: WorkspaceRow): Record<string, number> =>
  Object.fromEntries(Object.entries(shares).map(([run, { count }]) => [run, count]));
const row = (
  shares: Record<string, number>,
  more: { isBulk?: boolean; until?: number } = {},
): WorkspaceRow => ({
  shares: Object.fromEntries(
    Object.entries(shares).map(([run, count]) => [
      run,
      { count, until: AT + MINUTE, isBulk: false, ...more },
    ]),
  ),
});

describe('the share of a run', () => {
  it.each<[string, number, boolean, number]>([
    ['a changes pass: half of what is free', 16, false, 8],
    ['a changes pass, of an odd number: the larger half', 5, false, 3],
    ['a changes pass, of one: that', 1, false, 1],
    ['a sweep: half of what is not left to changes passes', 16, true, 6],
    ['a sweep, of 2: one', 2, true, 1],
    ['a sweep, of one: that', 1, true, 1],
    ['a sweep, of 32: half of 24', 32, true, 12],
  ])('is for %s (%i)', (_, ceiling, isBulk, count) => {
    const taken = withShare(EMPTY_WORKSPACE, request('a', { ceiling, isBulk }));
    expect(taken).toEqual({ shares: { a: { count, until: AT + MINUTE, isBulk } }, wantedAt: undefined });
  });

  it('leaves some to the next one, until all are taken', () => {
    const runs = ['a', 'b', 'c', 'd', 'e', 'f'].map(run => request(run));
    const taken = after(EMPTY_WORKSPACE, ...runs);
    expect(counts(taken)).toEqual({ a: 8, b: 4, c: 2, d: 1, e: 1 });
    expect(taken.wantedAt).toBe(AT);
  });

  it('leaves a quarter to changes passes, however many sweeps there are and however often they renew', () => {
    const sweeps = Array.from({ length: 40 }, (_, index) => request(`s${index}`, { isBulk: true }));
    const taken = after(EMPTY_WORKSPACE, ...sweeps, ...sweeps);
    expect(Object.values(counts(taken)).reduce((sum, count) => sum + count, 0)).toBe(12);
    expect(counts(withShare(taken, request('c'))).c).toBe(2);
  });

  it('of a sweep grows to all that is free when it is renewed and no run wants some', () => {
    const first = withShare(EMPTY_WORKSPACE, request('s', { isBulk: true }));
    expect(counts(withShare(first, request('s', { isBulk: true })))).toEqual({ s: 12 });
    const beside = withShare(first, request('t', { isBulk: true }));
    expect(counts(beside)).toEqual({ s: 6, t: 3 });
    expect(counts(withShare(beside, request('s', { isBulk: true })))).toEqual({ s: 9, t: 3 });
  });

  it('of a changes pass is half of what the others leave when it is renewed', () => {
    const taken = row({ a: 8, b: 4, c: 2, d: 1, e: 1 });
    expect(counts(withShare(taken, request('a'))).a).toBe(4);
    expect(counts(withShare(row({ a: 1, b: 4 }), request('a'))).a).toBe(6);
  });

  it('never becomes smaller than the requests of its run that are under way', () => {
    const taken = row({ a: 8, b: 8 });
    expect(counts(withShare(taken, request('a', { underWay: 7 }))).a).toBe(7);
    const wanted = { ...row({ s: 12 }, { isBulk: true }), wantedAt: AT };
    expect(counts(withShare(wanted, request('s', { isBulk: true, underWay: 9 }))).s).toBe(9);
  });

  it('of a sweep becomes half when another run found none in the last 30 s', () => {
    const wanted = (wantedAt: number, count = 12) => ({ ...row({ s: count }, { isBulk: true }), wantedAt });
    const renewed = (of: WorkspaceRow, ceiling = 16) =>
      counts(withShare(of, request('s', { isBulk: true, ceiling }))).s;
    expect(renewed(wanted(AT))).toBe(6);
    expect(renewed(wanted(AT - 30 * SECOND + 1, 5))).toBe(2);
    expect(renewed(wanted(AT - 30 * SECOND))).toBe(12);
    // A clock that was set back since makes none wanted for long.
    expect(renewed(wanted(AT + 30 * SECOND))).toBe(12);
    // The last one is kept, so that the sweep goes on; but where there is only one, others get it.
    expect(renewed(wanted(AT, 1))).toBe(1);
    expect(renewed(wanted(AT, 1), 1)).toBeUndefined();
  });

  it('is noted as wanted where none is free, for 30 s after the first run that found none', () => {
    const full = row({ a: 16 });
    const wanted = withShare(full, request('b'));
    expect(wanted).toEqual({ ...full, wantedAt: AT });
    expect(withShare(wanted, request('c', { now: AT + 29 * SECOND })).wantedAt).toBe(AT);
    expect(withShare(wanted, request('c', { now: AT + 30 * SECOND })).wantedAt).toBe(AT + 30 * SECOND);
    const freed = withoutShare(wanted, 'a');
    expect(withShare(freed, request('b')).wantedAt).toBeUndefined();
    // One that renews its share does not get what others want.
    expect(withShare({ ...row({ a: 8 }), wantedAt: AT }, request('a')).wantedAt).toBe(AT);
  });

  it('is free a minute after it was taken or renewed last', () => {
    const taken = row({ dead: 16 });
    expect(counts(withShare(taken, request('a', { now: AT + MINUTE - 1 }))).a).toBeUndefined();
    expect(counts(withShare(taken, request('a', { now: AT + MINUTE })))).toEqual({ a: 8 });
    const renewed = withShare(row({ a: 4 }), request('a', { now: AT + 40 * SECOND }));
    expect(renewed.shares.a?.until).toBe(AT + 40 * SECOND + SHARE_MS);
  });

  it('that a clock wrote that was ahead is free, but not one of a clock that was set back a little', () => {
    const ahead = row({ a: 16 }, { until: AT + 2 * MINUTE + 1 });
    expect(counts(withShare(ahead, request('b')))).toEqual({ b: 8 });
    const back = row({ a: 16 }, { until: AT + 2 * MINUTE });
    expect(counts(withShare(back, request('b'))).b).toBeUndefined();
  });

  it('is given back at its end, and only that', () => {
    const taken: WorkspaceRow = { ...row({ a: 8, b: 4 }), wantedAt: AT, pause: undefined };
    expect(withoutShare(taken, 'a')).toEqual({ ...taken, shares: { b: taken.shares.b } });
    expect(withoutShare(taken, 'none')).toEqual(taken);
  });

  it('does not fit a ceiling that was made lower: it becomes smaller when it is renewed', () => {
    const taken = row({ a: 16, b: 8 });
    const lower = withShare(taken, request('a', { ceiling: 10 }));
    expect(counts(lower)).toEqual({ a: 1, b: 8 });
    expect(counts(withShare(taken, request('c', { ceiling: 10 }))).c).toBeUndefined();
  });
});

const STEP = fc.oneof(
  fc.record({ kind: fc.constant('begin'), isBulk: fc.boolean() }),
  fc.record({ kind: fc.constantFrom('release', 'kill', 'renew'), which: fc.nat(40) }),
  fc.record({
    ...{ kind: fc.constant('ask'), which: fc.nat(40), requests: fc.nat(12) },
    ms: fc.integer({ min: 1, max: 30 * SECOND }),
  }),
  fc.record({ kind: fc.constant('pass'), ms: fc.integer({ min: 1, max: 25 * SECOND }) }),
);
interface Step {
  readonly kind: string;
  readonly isBulk?: boolean;
  readonly which?: number;
  readonly requests?: number;
  readonly ms?: number;
}

/** A run as `RunShare` has it. */
interface Run {
  readonly name: string;
  readonly isBulk: boolean;
  count: number;
  renewedAt: number;
  isOver: boolean;
}

/** Runs of one workspace. Each begins requests while its share is fresh; these end within 30 s, also when it is killed. */
class Runs {
  readonly #ceiling: number;
  readonly #runs: Run[] = [];
  #requests: { readonly of: Run; readonly end: number }[] = [];
  #row = EMPTY_WORKSPACE;
  #now = AT;

  constructor(ceiling: number) {
    this.#ceiling = ceiling;
  }

  do({ kind, which = 0, isBulk = false, requests = 0, ms = 0 }: Step): void {
    const alive = this.#runs.filter(({ isOver }) => !isOver);
    const run = alive[which % Math.max(1, alive.length)];
    if (kind === 'pass') this.#now += ms;
    else if (kind === 'begin') this.#begin(isBulk);
    else if (run && kind === 'kill') run.isOver = true;
    else if (run && kind === 'release') this.#release(run);
    else if (run && kind === 'renew') this.#renew(run);
    else if (run) this.#ask(run, requests, ms);
    this.#requests = this.#requests.filter(({ end }) => end > this.#now);
  }

  get underWay(): number {
    return this.#requests.length;
  }

  /** The shares that count now. */
  counted(isCounted: (share: WorkspaceRow['shares'][string]) => boolean = () => true): number {
    const living = Object.values(this.#row.shares).filter(({ until }) => until > this.#now);
    return living.filter(isCounted).reduce((sum, { count }) => sum + count, 0);
  }

  #begin(isBulk: boolean): void {
    const run: Run = { name: `r${this.#runs.length}`, isBulk, count: 0, renewedAt: 0, isOver: false };
    this.#runs.push(run);
    this.#renew(run);
    run.isOver = run.count === 0;
  }

  #release(run: Run): void {
    // A run waits for its requests.
    this.#now = Math.max(this.#now, ...this.#requestsOf(run).map(({ end }) => end));
    this.#row = withoutShare(this.#row, run.name);
    run.isOver = true;
  }

  #renew(run: Run): void {
    const isLost = this.#row.shares[run.name] === undefined || this.#now - run.renewedAt >= SHARE_MS;
    const { name, isBulk } = run;
    this.#row = withShare(this.#row, {
      ...{ run: name, now: this.#now, ceiling: this.#ceiling, isBulk },
      underWay: isLost ? 0 : this.#requestsOf(run).length,
    });
    run.count = this.#row.shares[name]?.count ?? 0;
    run.renewedAt = this.#now;
  }

  #ask(run: Run, requests: number, ms: number): void {
    if (this.#now - run.renewedAt >= 20 * SECOND) this.#renew(run);
    for (let asked = 0; asked < requests && this.#requestsOf(run).length < run.count; asked++)
      this.#requests.push({ of: run, end: this.#now + ms });
  }

  #requestsOf(run: Run) {
    return this.#requests.filter(({ of, end }) => of === run && end > this.#now);
  }
}

it('invariant 12: all shares of a workspace together, and all requests that are made under them are never more than the ceiling, whatever runs begin, renew, end or are killed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 32 }), fc.array(STEP, { maxLength: 120 }), (ceiling, steps) => {
      const runs = new Runs(ceiling);
      for (const each of steps) {
        runs.do(each);
        expect(runs.underWay).toBeLessThanOrEqual(ceiling);
        expect(runs.counted()).toBeLessThanOrEqual(ceiling);
        const left = ceiling === 1 ? 0 : Math.ceil(ceiling / 4);
        expect(runs.counted(({ isBulk }) => isBulk)).toBeLessThanOrEqual(ceiling - left);
      }
    }),
    { numRuns: 300 },
  );
});

it('invariant 12: all shares of a workspace together give a run some that wants one, once those that have more than they need renew theirs', () => {
  const runs = fc.array(fc.boolean(), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 32 }), runs, fc.boolean(), (ceiling, kinds, isBulk) => {
      const all = kinds.map((bulk, index) => request(`r${index}`, { isBulk: bulk, ceiling }));
      // They take what they get, and renew it, so that sweeps have all that is free.
      const taken = after(EMPTY_WORKSPACE, ...all, ...all);
      const wanted = withShare(taken, request('wanting', { ceiling, isBulk }));
      if (wanted.shares.wanting) return;
      const later = AT + 20 * SECOND;
      const renewed = after(
        wanted,
        ...all.filter(({ run }) => wanted.shares[run]).map(one => ({ ...one, now: later })),
      );
      const isSpare = Object.values(taken.shares).some(share => share.count > 1 && (!isBulk || share.isBulk));
      const got = withShare(renewed, request('wanting', { ceiling, isBulk, now: later + 5 * SECOND })).shares
        .wanting;
      if (isSpare) expect(got?.count).toBeGreaterThanOrEqual(1);
    }),
    { numRuns: 500 },
  );
});

describe('the pause of a workspace', () => {
  const failure = (more: Partial<Parameters<typeof withPause>[1]> = {}) => ({
    ...{ now: AT, reason: 'no answer', isProbe: false },
    ...more,
  });

  it('begins with 10 s, and doubles with each failure of the first request after it, up to 8 minutes', () => {
    const lengths: number[] = [];
    let [paused, now] = [withPause(EMPTY_WORKSPACE, failure()), AT];
    while (lengths.length < 8) {
      const until = paused.pause?.until ?? 0;
      lengths.push((until - now) / SECOND);
      expect(paused.pause).toEqual({ until, since: AT, reason: 'no answer', failures: lengths.length });
      now = until;
      paused = withPause(withProbe(paused, now), failure({ now, isProbe: true }));
    }
    expect(lengths).toEqual([10, 20, 40, 80, 160, 320, 480, 480]);
  });

  it.each([
    [5 * SECOND, 10 * SECOND],
    [20_001, 20_001],
    [45 * SECOND, 45 * SECOND],
    [10 * MINUTE, 10 * MINUTE],
    [3_600 * SECOND, 10 * MINUTE],
    [Number.MAX_VALUE, 10 * MINUTE],
  ])('lasts as long as the service asks, up to 10 minutes, or its own time: %i', (retryAfter, ms) => {
    expect(withPause(EMPTY_WORKSPACE, failure({ retryAfter })).pause?.until).toBe(AT + ms);
  });

  it('counts failures of runs that were under way at the same time once', () => {
    const first = withPause(EMPTY_WORKSPACE, failure());
    const second = withPause(first, failure({ now: AT + 5 * SECOND }));
    expect(second.pause).toMatchObject({ failures: 1, until: AT + 10 * SECOND, since: AT });
    // But it is not shorter than what one of them was asked.
    const asked = withPause(second, failure({ now: AT + 8 * SECOND, retryAfter: MINUTE }));
    expect(asked.pause).toMatchObject({ failures: 1, until: AT + 68 * SECOND });
    // A run that began before the pause, and fails after it: the service still fails.
    expect(withPause(first, failure({ now: AT + 11 * SECOND })).pause).toMatchObject({
      failures: 2,
      since: AT,
    });
  });

  it('is over when it ends, and where a clock wrote it that was ahead', () => {
    const paused = withPause(EMPTY_WORKSPACE, failure());
    expect(pauseAt(paused, AT + 10 * SECOND - 1)).toEqual(paused.pause);
    expect(pauseAt(paused, AT + 10 * SECOND)).toBeUndefined();
    const ahead = withPause(EMPTY_WORKSPACE, failure({ now: AT + 30 * MINUTE }));
    expect(pauseAt(ahead, AT)).toBeUndefined();
    expect(pauseAt(ahead, AT + 20 * MINUTE)).toEqual(ahead.pause);
    expect(pauseAt(EMPTY_WORKSPACE, AT)).toBeUndefined();
  });

  it('goes on for all others while one run asks whether the service answers again, for as long as that has', () => {
    const paused = withPause(EMPTY_WORKSPACE, failure());
    const over = AT + 10 * SECOND;
    const probed = withProbe(paused, over);
    expect(probed.pause).toEqual({ ...paused.pause, until: over + PROBE_MS });
    expect(pauseAt(probed, over + PROBE_MS - 1)).toBeDefined();
    // The run that asked was killed: the next one asks.
    expect(pauseAt(probed, over + PROBE_MS)).toBeUndefined();
    expect(withProbe(EMPTY_WORKSPACE, AT)).toEqual(EMPTY_WORKSPACE);
  });
});
