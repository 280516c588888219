import { describe, expect, it } from 'vitest';
import type { Registered } from '../../functions/delivery/registry.ts';
import type { Health } from '../../functions/model/endpoint-row.ts';
import { UNKNOWN_PROCESS } from '../../functions/model/process-state.ts';
import { type Found, figuresOf, report } from '../../functions/schedule/report.ts';
import type { ScheduledProcess } from '../../functions/schedule/scheduled.ts';
import type { TickProgress } from '../../functions/store/store.ts';
import { AT, HOUR, MINUTE } from '../kit/time.ts';

/** What a tick tells that found this, and nothing else. */
function told(found: Partial<Found>) {
  const said: [level: string, message: string, details: object][] = [];
  const counts: object[] = [];
  const say = (level: string) => (message: string, details?: object) =>
    void said.push([level, message, details ?? {}]);
  const nothing = { passes: undefined, processes: undefined, endpoints: undefined, woken: undefined };
  const unwatched = { subscriptions: undefined, mappings: undefined, failedMessages: undefined };
  report(
    { ...nothing, ...unwatched, now: AT, ms: 7, ...found },
    {
      log: { info: say('info'), warn: say('warn'), error: say('error') },
      count: each => void counts.push(each),
    },
  );
  return { said, counts };
}

const endpointOf = (name: string, health?: Health): Registered => ({
  endpoint: { name, kind: 'webhook' },
  row: health && { name, health },
});
const failing = (ms: number): Health => ({ failing: { since: AT - ms, probes: 1 } });

it.each<[string, Health | undefined, number, number]>([
  ['that nothing is known of', undefined, 0, 0],
  ['that is well', {}, 0, 0],
  ['that fails for less than half an hour', failing(30 * MINUTE - 1), 0, 0],
  ['that fails for half an hour', failing(30 * MINUTE), 1, 0],
  ['that fails and is paused', { ...failing(99 * MINUTE), paused: { at: AT } }, 0, 0],
  ['that failed until it was stopped', { ...failing(99 * MINUTE), stopped: { at: AT, reason: 'r' } }, 0, 1],
])('what a tick tells of endpoints: one %s: %j', (_, health, count, stopped) => {
  const { said, counts } = told({
    endpoints: [endpointOf('healthy'), endpointOf('crm', health)],
    woken: 3,
  });
  const warned = [
    'warn',
    'Endpoints have been failing for over 30 minutes.',
    { code: 'endpoints.failing', count: 1, which: ['crm'] },
  ];
  expect(said.slice(0, -1)).toEqual(count > 0 ? [warned] : []);
  expect(said.at(-1)).toMatchObject([
    'info',
    'Tick ended.',
    { endpoints: { woken: 3, failing: count, stopped } },
  ]);
  expect(counts).toEqual([count > 0 ? { EndpointsFailing: 1 } : {}]);
});

describe('what a tick tells', () => {
  it('names what it warns of', () => {
    const { said } = told({
      processes: {
        ...{ stalled: 0, onHold: 0, withRechecks: 0, unbaselined: 0, oldestPassAge: 1_499 },
        late: [{ workspace: 'eu', processId: 'p', what: 'sweep' }],
      },
      subscriptions: [
        { name: 'a', url: 'https://a.example/', state: 'missing' },
        { name: 'b', url: 'https://b.example/', state: 'undelivered', messages: 2 },
      ],
      mappings: [{ name: 'publish', reason: 'Disabled.' }],
    });
    expect(said.slice(0, -1)).toEqual([
      [
        'warn',
        'Processes are late.',
        { code: 'processes.late', count: 1, which: [{ workspace: 'eu', processId: 'p', what: 'sweep' }] },
      ],
      [
        'warn',
        'Native subscriptions get no events: they are not confirmed.',
        { code: 'subscriptions.unconfirmed', count: 1, which: [{ name: 'a', state: 'missing' }] },
      ],
      [
        'warn',
        'SNS gave up on events for native subscriptions.',
        {
          code: 'subscriptions.undelivered',
          count: 1,
          which: [{ name: 'b', state: 'undelivered', messages: 2 }],
        },
      ],
      [
        'warn',
        'Event source mappings are disabled, or cannot read.',
        { code: 'mappings.stopped', count: 1, which: [{ name: 'publish', reason: 'Disabled.' }] },
      ],
    ]);
  });

  it('names the workspaces that are paused, until when and why, and counts them', () => {
    const pause = { until: AT + MINUTE, since: AT - MINUTE, reason: 'It asks for that.', failures: 2 };
    const paused = Array.from({ length: 30 }, (_, index) => ({ workspace: `w${index}`, ...pause }));
    const { said, counts } = told({ paused });
    const [level, message, details] = said[0] ?? [];
    expect([level, message]).toEqual([
      'warn',
      'Workspaces are paused: their services asked for a pause, or do not respond.',
    ]);
    expect(details).toEqual({ code: 'workspaces.paused', count: 30, which: paused.slice(0, 20) });
    expect(counts).toEqual([{ WorkspacesPaused: 30 }]);
  });

  it('has the age of the oldest pass in whole seconds', () => {
    const processes = {
      late: [],
      stalled: 0,
      onHold: 0,
      withRechecks: 0,
      unbaselined: 0,
      oldestPassAge: 1_499,
    };
    expect(told({ processes }).counts).toEqual([{ OldestPassAge: 1 }]);
    expect(told({ processes: { ...processes, oldestPassAge: 0 } }).counts).toEqual([{ OldestPassAge: 0 }]);
  });
});

/** A process that is well. */
const WELL: TickProgress = {
  ...UNKNOWN_PROCESS,
  ...{ baselined: true, completedAt: AT - MINUTE, sweepCompletedAt: AT - 6 * HOUR },
};
const process: ScheduledProcess = {
  ...{ workspace: 'eu', processId: 'onboarding', changes: { fastest: 10_000, slowest: 2 * MINUTE } },
  sweep: 6 * HOUR,
};
const figures = (more: Partial<TickProgress>, since?: number) =>
  figuresOf(new Map([[process, { ...WELL, ...more }]]), AT, () => since);

describe('what a tick tells of its processes', () => {
  it.each<[string, Partial<TickProgress>, string | undefined]>([
    ['one that is well', {}, undefined],
    ['one without a pass for five of its slowest intervals', { completedAt: AT - 10 * MINUTE }, undefined],
    ['one without a pass for longer', { completedAt: AT - 10 * MINUTE - 1 }, 'changes'],
    ['one without a sweep for two intervals and an hour', { sweepCompletedAt: AT - 13 * HOUR }, undefined],
    ['one without a sweep for longer', { sweepCompletedAt: AT - 13 * HOUR - 1 }, 'sweep'],
    ['one on hold', { hold: { since: AT - 99 * HOUR, missing: 3 } }, undefined],
  ])('late: %s, %j: %s', (_, more, what) => {
    const { workspace, processId } = process;
    expect(figures(more).late).toEqual(what === undefined ? [] : [{ workspace, processId, what }]);
  });

  it('a process that is late in both ways is one that is late', () => {
    expect(figures({ completedAt: 1, sweepCompletedAt: 1 }).late).toMatchObject([{ what: 'changes' }]);
  });

  it.each<[string, Partial<TickProgress>, number | undefined, number]>([
    ['is under way', { workedUntil: AT }, AT - 24 * HOUR, 0],
    ['is under way for more than a day', { workedUntil: AT }, AT - 24 * HOUR - 1, 1],
    ['nobody works on, for an hour since it was known', {}, AT - HOUR, 0],
    ['nobody works on for longer', {}, AT - HOUR - 1, 1],
    ['somebody worked on until just now', { workedUntil: AT - 1 }, AT - HOUR - 1, 1],
    ['is of nobody knows when', {}, undefined, 0],
  ])('late: a baseline that %s: %j', (_, more, since, late) => {
    const unknown = { ...UNKNOWN_PROCESS, ...more };
    expect(figures(unknown, since).late).toHaveLength(late);
    if (late > 0) expect(figures(unknown, since).late).toMatchObject([{ what: 'baseline' }]);
  });

  it('counts what is stalled, on hold and owing, and has no baseline yet', () => {
    const hold = { since: AT, missing: 3 };
    const all: Partial<TickProgress>[] = [
      {},
      { stalled: { since: AT } },
      { hold },
      { hold, released: true },
      { skipped: 0 },
      { skipped: 1 },
      { skipped: 2, stalled: { since: AT } },
      UNKNOWN_PROCESS,
    ];
    const progress = new Map(
      all.map((more, index) => [
        { ...process, processId: `p${index}` },
        { ...WELL, ...more },
      ]),
    );
    expect(figuresOf(progress, AT)).toMatchObject({ stalled: 2, onHold: 1, withRechecks: 2, unbaselined: 1 });
  });

  it('tells the age of the pass that is longest ago, of those that have a baseline', () => {
    const ages = [3, 7, 5].map(minutes => ({ ...WELL, completedAt: AT - minutes * MINUTE }));
    const all = [...ages, UNKNOWN_PROCESS].map((progress, index): [ScheduledProcess, TickProgress] => [
      { ...process, processId: `p${index}` },
      progress,
    ]);
    expect(figuresOf(new Map(all), AT).oldestPassAge).toBe(7 * MINUTE);
    expect(figuresOf(new Map(), AT).oldestPassAge).toBe(0);
    expect(figures(UNKNOWN_PROCESS).oldestPassAge).toBe(0);
    // A clock that went back.
    expect(figures({ completedAt: AT + MINUTE }).oldestPassAge).toBe(0);
  });
});
