import { describe, expect, it } from 'vitest';
import { dueBetween, type Known, type Window } from '../../functions/schedule/due.ts';
import type { ScheduledProcess } from '../../functions/schedule/scheduled.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** A whole hour: the phases below count from it. */
const AT = Date.UTC(2026, 10, 21, 12);

const processOf = (fastest: number, slowest = fastest, sweep = 6 * HOUR): ScheduledProcess => ({
  ...{ workspace: 'eu', processId: 'onboarding', changes: { fastest, slowest }, sweep },
});
const BASELINED: Known = { baselined: true, pace: undefined };
const tick = (more: Partial<Window> = {}): Window => ({ from: AT, to: AT + MINUTE, now: AT, ...more });

/** The passes of one mode: when they are due and of use no longer, as ms behind AT. */
function due(
  process: ScheduledProcess,
  window: Window,
  { known = BASELINED, mode = 'changes' }: { known?: Known | undefined; mode?: 'changes' | 'sweep' } = {},
): [number, number][] {
  return dueBetween([process], window, () => known)
    .filter(pass => pass.mode === mode)
    .map(({ at, expiresAt }) => [at - AT, expiresAt - AT]);
}

/** Of a time that is a fixed series: the first moment behind AT. */
const phaseOf = (process: ScheduledProcess, step: number, mode: 'changes' | 'sweep' = 'changes') =>
  (due(process, tick({ to: AT + step }), { mode })[0] as [number, number])[0];

describe('a process that is looked at in fixed intervals', () => {
  const phase = phaseOf(processOf(MINUTE), MINUTE);
  const quick = phaseOf(processOf(5 * SECOND), 5 * SECOND);
  const hourly = phaseOf(processOf(HOUR), HOUR);

  it.each<[string, number, Partial<Window>, number[]]>([
    ['each minute: once', MINUTE, {}, [phase]],
    [
      'each minute, of the next window: once',
      MINUTE,
      { from: AT + MINUTE, to: AT + 2 * MINUTE },
      [phase + MINUTE],
    ],
    ['each minute, in the half before it is due: not', MINUTE, { to: AT + phase - 1 }, []],
    ['each minute, up to the moment when it is due: once', MINUTE, { to: AT + phase }, [phase]],
    ['each minute, behind that moment: not', MINUTE, { from: AT + phase }, []],
    [
      'each 5 s: 12 times',
      5 * SECOND,
      {},
      Array.from({ length: 12 }, (_, index) => quick + index * 5 * SECOND),
    ],
    ['each hour, in this minute: not', HOUR, { to: AT + hourly - 1 }, []],
    ['each hour, in its minute: once', HOUR, { from: AT + hourly - MINUTE, to: AT + hourly }, [hourly]],
    [
      'each minute, three ticks missed: the last of those, and the next',
      MINUTE,
      { from: AT - 3 * MINUTE },
      [phase - MINUTE, phase],
    ],
    [
      'each 5 s, a tick missed: the last of that minute, and those to come',
      5 * SECOND,
      { from: AT - MINUTE, to: AT + 10 * SECOND },
      [quick - 5 * SECOND, quick, quick + 5 * SECOND],
    ],
    ['each hour, a day missed: the last', HOUR, { from: AT - 24 * HOUR }, [hourly - HOUR]],
    ['each minute, and the tick comes again: not', MINUTE, { from: AT + MINUTE, to: AT + MINUTE + 5 }, []],
    [
      'each minute, and the clock went back: what nobody claimed',
      MINUTE,
      { from: AT + MINUTE, to: AT + 2 * MINUTE, now: AT - HOUR },
      [phase + MINUTE],
    ],
  ])('%s', (_, interval, window, expected) => {
    expect(due(processOf(interval), tick(window)).map(([at]) => at)).toEqual(expected);
  });

  it('is to be looked at until the next time', () => {
    expect(due(processOf(MINUTE), tick())).toEqual([[phase, phase + MINUTE]]);
    expect(due(processOf(5 * SECOND), tick({ to: AT + quick }))).toEqual([[quick, quick + 5 * SECOND]]);
  });

  it('is looked at as often where nothing could be read of it', () => {
    const nothing = { known: undefined };
    expect(dueBetween([processOf(MINUTE)], tick(), () => undefined)).toHaveLength(1);
    expect(due(processOf(MINUTE), tick(), nothing)).toEqual(due(processOf(MINUTE), tick()));
  });
});

describe('a sweep', () => {
  const process = processOf(MINUTE, MINUTE, 6 * HOUR);
  const phase = phaseOf(process, 6 * HOUR, 'sweep');
  const sweeps = (window: Partial<Window>, of = process) => due(of, tick(window), { mode: 'sweep' });

  it('is due once in its interval, and of use for an hour', () => {
    expect(sweeps({ from: AT, to: AT + 6 * HOUR })).toEqual([[phase, phase + HOUR]]);
    expect(sweeps({ from: AT + phase, to: AT + phase + MINUTE })).toEqual([]);
  });

  it('is of use until the next, where that comes sooner', () => {
    const often = processOf(MINUTE, MINUTE, 10 * MINUTE);
    const [[at, expiresAt] = [0, 0]] = sweeps({ to: AT + 10 * MINUTE }, often);
    expect(expiresAt - at).toBe(10 * MINUTE);
  });

  it('that was missed is made up for once, however many were, and then has its hour', () => {
    const now = AT + phase + 2 * HOUR;
    const window = { from: AT - 20 * HOUR, now, to: now + MINUTE };
    expect(sweeps(window)).toEqual([[phase, phase + 3 * HOUR]]);
  });

  it('that was missed is left out when the next is nearer than an hour', () => {
    const now = AT + phase + 5.5 * HOUR;
    expect(sweeps({ from: AT - 20 * HOUR, now, to: now + MINUTE })).toEqual([[phase, phase + 6 * HOUR]]);
  });

  describe('whose message was lost', () => {
    const RETRY = 62 * MINUTE;
    const sweep = (more: Partial<NonNullable<Known['sweep']>> = {}): Known => ({
      ...BASELINED,
      sweep: { completedAt: AT + phase - 5 * HOUR, isUnfinished: false, leasedUntil: undefined, ...more },
    });
    /** The sweeps of each minute from the moment when it was due to the next time. */
    const minutely = (known: Known) =>
      Array.from({ length: 360 }, (_, minute) => AT + phase + minute * MINUTE).flatMap(now =>
        due(process, { from: now, to: now + MINUTE, now }, { mode: 'sweep', known }),
      );

    it('is sent again once its message has expired, each time until the next is due', () => {
      const times = [1, 2, 3, 4, 5].map(count => phase + count * RETRY);
      const next = phase + 6 * HOUR;
      expect(minutely(sweep())).toEqual([
        ...times.map(at => [at, Math.min(at + HOUR, next)]),
        [next, next + HOUR],
      ]);
    });

    const none: [string, Partial<NonNullable<Known['sweep']>>][] = [
      ['was completed since then', { completedAt: AT + phase }],
      ['goes on', { isUnfinished: true }],
      ['is under way, and lists the projects', { leasedUntil: AT + phase + 24 * HOUR }],
    ];
    it.each(none)('is not sent again while it %s', (_, known) => {
      expect(minutely(sweep(known))).toEqual([[phase + 6 * HOUR, phase + 7 * HOUR]]);
    });

    it('is sent again where the run that listed the projects died', () => {
      const known = sweep({ leasedUntil: AT + phase + HOUR });
      expect(minutely(known)).toEqual(minutely(sweep()));
    });

    it('is not sent twice by a tick that makes up for it', () => {
      const now = AT + phase + 2 * HOUR;
      const window = { from: AT + phase - MINUTE, now, to: now + 5 * MINUTE };
      expect(due(process, window, { mode: 'sweep', known: sweep() })).toEqual([[phase, phase + 3 * HOUR]]);
    });

    it('is left to the next one where that is due before the message expires', () => {
      const often = processOf(MINUTE, MINUTE, HOUR);
      const known = sweep({ completedAt: 0 });
      const all = due(often, { from: AT, to: AT + MINUTE, now: AT }, { mode: 'sweep', known });
      const regular = due(often, { from: AT, to: AT + MINUTE, now: AT }, { mode: 'sweep' });
      expect(all).toEqual(regular);
    });
  });

  it('is none before the baseline: that is what changes passes begin', () => {
    const known = { baselined: false, pace: undefined };
    expect(due(process, tick({ to: AT + 6 * HOUR }), { mode: 'sweep', known })).toEqual([]);
    expect(dueBetween([process], tick({ to: AT + 6 * HOUR }), () => undefined)).not.toHaveLength(0);
  });
});

describe('a process without a baseline', () => {
  const known = { baselined: false, pace: undefined };
  it.each([
    [5 * SECOND, 5 * SECOND, 12],
    [MINUTE, MINUTE, 1],
    [HOUR, HOUR, 1],
    [5 * SECOND, HOUR, 1],
  ])('that is looked at each %i to %i ms is started %i times a minute', (fastest, slowest, times) => {
    expect(due(processOf(fastest, slowest), tick(), { known })).toHaveLength(times);
  });
});

describe('a process whose passes adapt', () => {
  const process = processOf(10 * SECOND, 5 * MINUTE);
  const paced = (dueAt: number, wait = 5 * MINUTE): Known => ({
    baselined: true,
    pace: { wait, dueAt: AT + dueAt },
  });

  it.each<[string, Known, Partial<Window>, [number, number][]]>([
    ['that is due behind the window: none', paced(MINUTE + 1), {}, []],
    [
      'that is due in it: then, and after each shortest time, for its pass may find something',
      paced(35 * SECOND),
      {},
      [
        [35 * SECOND, 45 * SECOND],
        [45 * SECOND, 55 * SECOND],
        [55 * SECOND, 65 * SECOND],
      ],
    ],
    ['that is due at its end: then', paced(MINUTE), {}, [[MINUTE, MINUTE + 10 * SECOND]]],
    ['that is due at its begin: the tick before did that', paced(0), { to: AT + 9 * SECOND }, []],
    [
      'that became due meanwhile: the last time so far, and those to come',
      paced(-35 * SECOND),
      { from: AT - 50 * SECOND, to: AT + 6 * SECOND },
      [
        [-5 * SECOND, 5 * SECOND],
        [5 * SECOND, 15 * SECOND],
      ],
    ],
    [
      'that is overdue by a minute and more: once a minute',
      paced(-10 * MINUTE - 20 * SECOND),
      {},
      [[40 * SECOND, 100 * SECOND]],
    ],
    [
      'that is overdue by no more than a minute: after each shortest time',
      paced(-MINUTE),
      { to: AT + 20 * SECOND },
      [
        [10 * SECOND, 20 * SECOND],
        [20 * SECOND, 30 * SECOND],
      ],
    ],
    [
      'whose longest time was made shorter: sooner',
      paced(8 * HOUR, 8 * HOUR),
      { from: AT + 4.5 * MINUTE, now: AT + 4.5 * MINUTE, to: AT + 5.1 * MINUTE },
      [[5 * MINUTE, 5 * MINUTE + 10 * SECOND]],
    ],
  ])('%s', (_, known, window, expected) => {
    expect(due(process, tick(window), { known })).toEqual(expected);
  });

  it('is looked at each minute where nothing is known of it yet, nothing could be read, or a wrong clock wrote what is known', () => {
    const once = due(process, tick());
    expect(due(process, tick(), { known: paced(30 * HOUR) })).toEqual(once);
    expect(once).toHaveLength(1);
    expect(
      dueBetween([process], tick(), () => undefined).filter(({ mode }) => mode === 'changes'),
    ).toHaveLength(1);
  });

  it('whose shortest time is long is not forgotten when its pass takes longer', () => {
    const slow = processOf(4 * MINUTE, 8 * MINUTE);
    const known = paced(-2 * SECOND, 4 * MINUTE);
    expect(due(slow, tick(), { known })).toEqual([[58 * SECOND, 118 * SECOND]]);
  });
});

describe('4,000 processes', () => {
  const processes = Array.from(
    { length: 4_000 },
    (_, index): ScheduledProcess => ({
      ...{ workspace: `w${index % 7}`, processId: `process-${index}`, sweep: 6 * HOUR },
      changes: { fastest: MINUTE, slowest: MINUTE },
    }),
  );
  const within = (from: number, ms: number, mode: string) =>
    dueBetween(processes, { from, to: from + ms, now: from }, () => BASELINED).filter(
      each => each.mode === mode,
    );

  it('have their sweeps spread evenly over the interval', () => {
    const perMinute = Array.from(
      { length: 360 },
      (_, minute) => within(AT + minute * MINUTE, MINUTE, 'sweep').length,
    );
    expect(perMinute.reduce((sum, count) => sum + count, 0)).toBe(4_000);
    // 11 on average; of so many at random 30 are one case in a million.
    expect(Math.max(...perMinute)).toBeLessThanOrEqual(26);
    expect(Math.min(...perMinute)).toBeGreaterThanOrEqual(1);
  });

  it('are each due at a moment of their own, to the millisecond, in each mode another', () => {
    const changes = within(AT, MINUTE, 'changes');
    expect(new Set(changes.map(({ at }) => at)).size).toBeGreaterThan(3_500);
    expect(new Set(changes.map(({ at }) => at % 32)).size).toBe(32);
    const often = { ...processOf(MINUTE, MINUTE, MINUTE), processId: 'often' };
    const phases = ['changes', 'sweep'].map(mode => due(often, tick(), { mode: mode as 'changes' })[0]?.[0]);
    expect(phases[0]).not.toBe(phases[1]);
  });

  it('are spread as evenly before their baselines, and where nothing is known of their pace', () => {
    const adapting = processes.map(each => ({ ...each, changes: { fastest: 10 * SECOND, slowest: HOUR } }));
    for (const known of [BASELINED, { baselined: false, pace: undefined }]) {
      const moments = dueBetween(adapting, tick(), () => known).filter(({ mode }) => mode === 'changes');
      expect(moments).toHaveLength(4_000);
      // The same as those of the fixed ones: a series is known by its mode and its step.
      expect(moments.map(({ at }) => at)).toEqual(within(AT, MINUTE, 'changes').map(({ at }) => at));
    }
  });

  it('have their changes passes spread evenly over the minute', () => {
    const perSecond = Map.groupBy(within(AT, MINUTE, 'changes'), ({ at }) => Math.floor(at / SECOND) % 60);
    const counts = [...perSecond.values()].map(({ length }) => length);
    expect(counts).toHaveLength(60);
    expect(Math.max(...counts)).toBeLessThanOrEqual(100);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(40);
  });
});
