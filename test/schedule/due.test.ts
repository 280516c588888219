import { describe, expect, it } from 'vitest';
import type { WorkspacePause } from '../../functions/model/workspace-row.ts';
import { dueBetween, duringPauses } from '../../functions/schedule/due.ts';
import type { ScheduledProcess } from '../../functions/schedule/scheduled.ts';
import { AT, HOUR, MINUTE, SECOND } from '../kit/time.ts';

type DuePasses = ReturnType<typeof dueBetween>[number];
type Window = Parameters<typeof dueBetween>[1];
type Known = NonNullable<ReturnType<Parameters<typeof dueBetween>[2]>>;

const processOf = (fastest: number, slowest = fastest, sweep = 6 * HOUR): ScheduledProcess => ({
  ...{ workspace: 'eu', processId: 'onboarding', changes: { fastest, slowest }, sweep },
});
const BASELINED: Known = { baselined: true, pace: undefined, completedAt: AT, stalled: undefined };
const UNKNOWN: Known = { ...BASELINED, baselined: false, completedAt: 0 };
const tick = (more: Partial<Window> = {}): Window => ({ from: AT, to: AT + MINUTE, now: AT, ...more });

/** Processes of one workspace, `p000` and so on. */
const processesOf = (count: number, more: Partial<ScheduledProcess> = {}): ScheduledProcess[] =>
  Array.from({ length: count }, (_, index) => ({
    ...processOf(MINUTE),
    processId: `p${String(index).padStart(3, '0')}`,
    ...more,
  }));

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
const phaseOf = (process: ScheduledProcess, step: number) =>
  (due(process, tick({ to: AT + step }))[0] as [number, number])[0];

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
    expect(due(processOf(MINUTE), tick())).toEqual([[phase, Math.ceil(phase + MINUTE)]]);
    expect(due(processOf(5 * SECOND), tick({ to: AT + quick }))).toEqual([
      [quick, Math.ceil(quick + 5 * SECOND)],
    ]);
  });

  it('is looked at as often where nothing could be read of it', () => {
    const nothing = { known: undefined };
    expect(dueBetween([processOf(MINUTE)], tick(), () => undefined)).toHaveLength(1);
    expect(due(processOf(MINUTE), tick(), nothing)).toEqual(due(processOf(MINUTE), tick()));
  });
});

describe('the processes of a workspace', () => {
  const changesOf = (
    processes: readonly ScheduledProcess[],
    knownOf: (of: ScheduledProcess) => Known = () => BASELINED,
  ) => dueBetween(processes, tick(), knownOf).filter(({ mode }) => mode === 'changes');
  const idsOf = (passes: readonly DuePasses[]) => passes.map(({ processes }) => processes);

  it('are due together, 25 of them, in the order of their identifiers, and the next ones at another moment', () => {
    const all = processesOf(60).toReversed();
    const passes = changesOf(all);
    const ids = all.map(({ processId }) => processId).toSorted();
    expect(idsOf(passes)).toEqual([ids.slice(0, 25), ids.slice(25, 50), ids.slice(50)]);
    expect(new Set(passes.map(({ at }) => at)).size).toBe(3);
    expect(passes.every(({ workspace }) => workspace === 'eu')).toBe(true);
  });

  it('are apart from those of another workspace', () => {
    const passes = changesOf([...processesOf(2), ...processesOf(2, { workspace: 'us' })]);
    expect(passes.map(({ workspace, processes }) => [workspace, processes.length])).toEqual([
      ['eu', 2],
      ['us', 2],
    ]);
    expect(passes[0]?.at).not.toBe(passes[1]?.at);
  });

  it('are due together only with the same interval, and until the first of them is due again', () => {
    const [slow, quick, other] = processesOf(3) as [ScheduledProcess, ScheduledProcess, ScheduledProcess];
    const changes = { fastest: 30 * SECOND, slowest: 30 * SECOND };
    const passes = changesOf([slow, { ...quick, changes }, other]);
    expect(idsOf(passes).toSorted()).toEqual([['p000', 'p002'], ['p001'], ['p001']].toSorted());
    for (const { at, expiresAt, processes } of passes)
      expect(expiresAt).toBe(Math.ceil(at + (processes.length === 2 ? MINUTE : 30 * SECOND)));
  });

  it('that have no baseline yet are left out', () => {
    const passes = changesOf(processesOf(3), ({ processId }) => (processId === 'p001' ? UNKNOWN : BASELINED));
    expect(idsOf(passes)).toEqual([['p000', 'p002']]);
  });
});

describe('a sweep', () => {
  const process = processOf(MINUTE, MINUTE, 6 * HOUR);
  const sweeps = (window: Partial<Window>, known = BASELINED, of = process) =>
    dueBetween([of], tick(window), () => known).filter(({ mode }) => mode === 'sweep');
  /** Those of each minute, of some hours. */
  const minutely = (hours: number, known = BASELINED, of = process) =>
    Array.from({ length: hours * 60 }, (_, minute) => AT + minute * MINUTE).flatMap(now =>
      sweeps({ from: now, to: now + MINUTE, now }, known, of),
    );
  const [{ at: first } = { at: 0 }] = minutely(6);
  const phase = first - AT;
  const sweep = (more: Partial<NonNullable<Known['sweep']>> = {}): Known => ({
    ...BASELINED,
    sweep: { completedAt: first - 5 * HOUR, isUnfinished: false, leasedUntil: undefined, ...more },
  });

  it('is due once in its interval, of one process, and of use for a minute', () => {
    const one = { workspace: 'eu', processes: ['onboarding'], mode: 'sweep' };
    expect(minutely(12)).toEqual(
      [first, first + 6 * HOUR].map(at => ({ ...one, at, dueAt: at, expiresAt: Math.ceil(at + MINUTE) })),
    );
  });

  it('that was missed is made up for once, by the next tick, however many were', () => {
    const now = first + 2 * HOUR + 7 * SECOND;
    const made = sweeps({ from: AT - 20 * HOUR, now, to: now + MINUTE });
    expect(made).toMatchObject([{ dueAt: first }]);
    expect(made[0]?.at).toBeGreaterThan(now);
  });

  it('is started each minute until it is completed: its message may be lost', () => {
    const made = minutely(6, sweep());
    const count = Math.ceil((6 * HOUR - phase) / MINUTE);
    expect(made.map(({ at }) => at)).toEqual(
      Array.from({ length: count }, (_, index) => first + index * MINUTE),
    );
    expect(new Set(made.map(({ dueAt }) => dueAt))).toEqual(new Set([first]));
  });

  it.each<[string, Partial<NonNullable<Known['sweep']>>, number]>([
    ['was completed since then', { completedAt: first + 10 * SECOND }, 0],
    ['was completed when it was due', { completedAt: first }, 0],
    ['was completed before it was due', { completedAt: first - 1 }, 1],
    ['is unfinished', { completedAt: first + 1, isUnfinished: true }, 1],
    ['is under way', { leasedUntil: first + 8 * HOUR }, 0],
    ['was under way in a run that died', { leasedUntil: first - 1 }, 1],
    ['was completed in the future, by a wrong clock: never', { completedAt: AT + 99 * HOUR }, 1],
  ])('that %s (%j) is started %i times in the minute after it was due', (_, known, times) => {
    const now = first + 30 * SECOND;
    expect(sweeps({ from: now, to: now + MINUTE, now }, sweep(known))).toHaveLength(times);
  });

  it('is none before the baseline: that is what is started instead, each minute, until there is one', () => {
    const made = minutely(1, UNKNOWN);
    expect(made).toHaveLength(60);
    expect(minutely(1, UNKNOWN, processOf(HOUR))).toHaveLength(60);
    expect(made).toMatchObject(Array(60).fill({ processes: ['onboarding'], mode: 'sweep', dueAt: 1 }));
    expect(due(process, tick(), { known: UNKNOWN })).toEqual([]);
  });

  it.each([
    ['that is unfinished', sweep({ isUnfinished: true })],
    ['that a process has none of yet', UNKNOWN],
  ])('%s is started once a minute, however often ticks come', (_, known) => {
    const starts = Array.from({ length: 36 }, (_, index) => first - 1 + index * 5 * SECOND);
    const times = starts.flatMap(now =>
      sweeps({ now, from: now, to: now + 5 * SECOND }, known).map(({ at }) =>
        Math.floor((at - first) / MINUTE),
      ),
    );
    expect(times).toEqual([0, 1, 2]);
  });

  describe('of many processes of one workspace', () => {
    const all = processesOf(400);
    const started = (now: number, knownOf: (of: ScheduledProcess) => Known, of = all) =>
      dueBetween(of, { from: now, to: now + MINUTE, now }, knownOf).filter(({ mode }) => mode === 'sweep');

    it('is started for 20 of them at a time, spread over the minute', () => {
      const some = started(AT, () => UNKNOWN);
      expect(some).toHaveLength(20);
      const times = some.map(({ at }) => (at - AT) / SECOND).toSorted((one, other) => one - other);
      expect(new Set(times).size).toBe(20);
      expect([(times[0] ?? 0) < 15, (times.at(-1) ?? 0) > 45]).toEqual([true, true]);
    });

    it('counts those that are under way', () => {
      const leased = { completedAt: 0, isUnfinished: true, leasedUntil: AT + MINUTE };
      const knownOf = ({ processId }: ScheduledProcess) =>
        processId < 'p015' ? { ...UNKNOWN, sweep: leased } : UNKNOWN;
      const some = started(AT, knownOf);
      expect(some).toHaveLength(5);
      expect(some.every(({ processes: [id = ''] }) => id >= 'p015')).toBe(true);
      expect(
        started(AT, ({ processId }) => ({ ...UNKNOWN, ...(processId < 'p025' && { sweep: leased }) })),
      ).toEqual([]);
    });

    it('comes to each of them, however long the others fail', () => {
      const seen = new Set<string>();
      const some = all.slice(0, 100);
      for (let minute = 0; minute < 60; minute++)
        for (const { processes } of started(AT + minute * MINUTE, () => UNKNOWN, some))
          seen.add(processes[0] as string);
      expect(seen.size).toBe(100);
    });

    it('is started for more where their intervals need it', () => {
      const often = processesOf(400, { sweep: 4 * MINUTE });
      const behind = { ...BASELINED, sweep: { completedAt: 0, isUnfinished: false, leasedUntil: undefined } };
      expect(started(AT, () => behind, often)).toHaveLength(200);
    });

    it('is started for no more in the first window after an outage', () => {
      const window = tick({ from: AT - 24 * HOUR });
      const known = { ...BASELINED, sweep: { completedAt: 0, isUnfinished: false, leasedUntil: undefined } };
      expect(dueBetween(all, window, () => known).filter(({ mode }) => mode === 'sweep')).toHaveLength(20);
    });

    it('takes nothing from another workspace', () => {
      const two = [...all, ...processesOf(10, { workspace: 'us' })];
      const some = started(AT, () => UNKNOWN, two);
      expect(Map.groupBy(some, ({ workspace }) => workspace).get('us')).toHaveLength(10);
    });
  });
});

describe('a process whose passes adapt', () => {
  const process = processOf(10 * SECOND, 5 * MINUTE);
  const paced = (dueAt: number, wait = 5 * MINUTE): Known => ({
    ...BASELINED,
    pace: { wait, dueAt: AT + dueAt },
  });
  // Its group has the same moments as one whose passes are that far apart.
  const [ten, minute] = [phaseOf(processOf(10 * SECOND), 10 * SECOND), phaseOf(processOf(MINUTE), MINUTE)];
  const nearest = (ms: number) => ten + Math.floor((ms - ten) / (10 * SECOND) + 0.5) * 10 * SECOND;
  /** Each shortest time from one moment to another. */
  const each = (from: number, to: number): [number, number][] =>
    Array.from({ length: Math.max(0, Math.floor((to - from) / (10 * SECOND)) + 1) }, (_, index) => {
      const at = from + index * 10 * SECOND;
      return [at, Math.ceil(at + 10 * SECOND)];
    });

  it.each<[string, Known, Partial<Window>, [number, number][]]>([
    ['that is due behind the window: none', paced(MINUTE + 5 * SECOND + 1), {}, []],
    [
      'that is due in it: at the nearest moment of its group, and after each shortest time, for its pass may find something',
      paced(35 * SECOND),
      {},
      each(nearest(35 * SECOND), MINUTE),
    ],
    ['that is due before it: the tick before did that', paced(-SECOND), { to: AT + ten - 1 }, []],
    [
      'that became due meanwhile: the last moment so far, and those to come',
      paced(-35 * SECOND),
      { from: AT - 50 * SECOND, to: AT + 16 * SECOND },
      each(ten - 10 * SECOND, 16 * SECOND),
    ],
    [
      'that is overdue by a minute and more: once a minute',
      paced(-10 * MINUTE - 20 * SECOND),
      {},
      [[minute, Math.ceil(minute + MINUTE)]],
    ],
    [
      'that is overdue by no more than a minute: after each shortest time',
      paced(-MINUTE),
      { to: AT + 20 * SECOND },
      each(ten, 20 * SECOND),
    ],
    [
      'whose longest time was made shorter: sooner',
      paced(8 * HOUR, 8 * HOUR),
      { from: AT + 4.5 * MINUTE, now: AT + 4.5 * MINUTE, to: AT + 5.2 * MINUTE },
      each(nearest(5 * MINUTE), 5.2 * MINUTE),
    ],
  ])('%s', (_, known, window, expected) => {
    expect(due(process, tick(window), { known })).toEqual(
      expected.map(([at, until]) => [expect.closeTo(at, 3), until]),
    );
  });

  it('is looked at each minute where nothing is known of it yet, nothing could be read, or a wrong clock wrote what is known', () => {
    const once = due(process, tick());
    expect(due(process, tick(), { known: paced(30 * HOUR) })).toEqual(once);
    expect(once).toHaveLength(1);
    expect(due(process, tick({ to: AT + 5 * MINUTE }))).toHaveLength(5);
    expect(due(processOf(10 * SECOND, 30 * SECOND), tick())).toHaveLength(2);
    expect(
      dueBetween([process], tick(), () => undefined).filter(({ mode }) => mode === 'changes'),
    ).toHaveLength(1);
  });

  it('whose shortest time is long is not forgotten when its pass takes longer', () => {
    const slow = processOf(4 * MINUTE, 8 * MINUTE);
    const known = paced(-2 * SECOND, 4 * MINUTE);
    expect(due(slow, tick(), { known })).toEqual([[minute, Math.ceil(minute + MINUTE)]]);
  });
});

describe('a workspace that is paused', () => {
  const all = [...processesOf(3), ...processesOf(2, { workspace: 'us' })];
  const pausedUntil = (until: number): WorkspacePause => ({
    until,
    since: AT - HOUR,
    reason: 'r',
    failures: 1,
  });
  const started = (
    until: number,
    knownOf: (of: ScheduledProcess) => Known | undefined = () => BASELINED,
    of = all,
    window = tick(),
  ) => {
    const rows = new Map([['eu', { pause: pausedUntil(until) }]]);
    return duringPauses(dueBetween(of, window, knownOf), of, { rows, window, knownOf });
  };
  const inEu = (passes: readonly DuePasses[]) => passes.filter(({ workspace }) => workspace === 'eu');

  it('has nothing started before the pause is over; others are as ever', () => {
    const passes = started(AT + MINUTE + 1);
    expect(inEu(passes)).toEqual([]);
    const others = all.filter(({ workspace }) => workspace === 'us');
    expect(passes).toEqual(dueBetween(others, tick(), () => BASELINED));
  });

  it.each([
    ['ends before the next tick: then', AT + 17 * SECOND, AT + 17 * SECOND],
    ['ends with the next tick: then', AT + MINUTE, AT + MINUTE],
    ['has ended: now', AT - HOUR, AT],
    ['was written by a clock that was ahead: now', AT + 21 * MINUTE, AT],
  ])('has one pass of one process started where the pause %s', (_, until, at) => {
    const expiresAt = at + MINUTE;
    const pass = { workspace: 'eu', processes: ['p000'], mode: 'changes', at, expiresAt };
    expect(inEu(started(until))).toEqual([pass]);
  });

  it('has no pass started where the tick before sent the message for the end of the pause', () => {
    const window = tick({ from: AT + 20 * SECOND });
    const times = [AT + 1, window.from, window.from + 1].map(until =>
      inEu(started(until, undefined, all, window)).map(({ at }) => at),
    );
    expect(times).toEqual([[], [], [window.from + 1]]);
  });

  it('that is over has one pass started each minute, each of another process, however often ticks come', () => {
    const rows = new Map([['eu', { pause: pausedUntil(AT - HOUR) }]]);
    const knownOf = () => BASELINED;
    const each5s = Array.from({ length: 36 }, (_, index) => AT + index * 5 * SECOND).flatMap(now => {
      const window = { now, from: now, to: now + 5 * SECOND };
      return inEu(duringPauses([], all, { rows, window, knownOf }));
    });
    expect(each5s.map(({ processes }) => processes[0]).toSorted()).toEqual(['p000', 'p001', 'p002']);
  });

  it('has those started that are silent for too long and not announced, by the group: their runs announce that', () => {
    const many = processesOf(60);
    const ago = (ms: number): Known => ({ ...BASELINED, completedAt: AT - ms });
    const known: Record<string, Known | undefined> = {
      p000: ago(5 * MINUTE),
      p001: UNKNOWN,
      p002: { ...ago(HOUR), stalled: { since: AT } },
      p003: undefined,
    };
    const silent = inEu(
      started(
        AT + 10 * MINUTE,
        ({ processId }) => (processId in known ? known[processId] : ago(5 * MINUTE + 1)),
        many,
      ),
    );
    const ids = many.map(({ processId }) => processId).filter(id => !(id in known));
    expect(silent.flatMap(({ processes }) => processes)).toEqual(ids);
    expect(silent.map(({ processes }) => processes.length)).toEqual([25, 25, 6]);
    expect(
      silent.every(({ mode, at, expiresAt }) => mode === 'changes' && at === AT && expiresAt === AT + MINUTE),
    ).toBe(true);
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
    const sweeps = within(AT, HOUR, 'sweep');
    const minutes = Map.groupBy(sweeps, ({ dueAt = 0 }) => Math.ceil((dueAt - AT) / MINUTE));
    const perMinute = Array.from({ length: 60 }, (_, minute) => minutes.get(minute + 1)?.length ?? 0);
    // 667 on average, which are 11 a minute; of so many at random 30 are one case in a million.
    expect([sweeps.length > 590, sweeps.length < 740]).toEqual([true, true]);
    expect(Math.max(...perMinute)).toBeLessThanOrEqual(26);
    expect(Math.min(...perMinute)).toBeGreaterThanOrEqual(1);
  });

  it('are started by the group, each process once a minute, the groups spread evenly over it', () => {
    const changes = within(AT, MINUTE, 'changes');
    expect(changes).toHaveLength(7 * 23);
    expect(new Set(changes.flatMap(each => each.processes.map(id => `${each.workspace} ${id}`))).size).toBe(
      4_000,
    );
    expect(new Set(changes.map(({ at }) => at)).size).toBe(7 * 23);
    const slots = Map.groupBy(changes, ({ at }) => Math.floor((at - AT) / (10 * SECOND)));
    const counts = [...slots.values()].map(({ length }) => length);
    // 27 on average.
    expect([counts.length, Math.max(...counts) <= 45, Math.min(...counts) >= 12]).toEqual([6, true, true]);
  });
});
