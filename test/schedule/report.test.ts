import { describe, expect, it } from 'vitest';
import type { Registered } from '../../functions/delivery/registry.ts';
import type { Health } from '../../functions/model/endpoint-row.ts';
import { type Found, report } from '../../functions/schedule/report.ts';

const MINUTE = 60_000;
const AT = Date.UTC(2026, 10, 21, 12);

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

describe('what a tick tells of endpoints', () => {
  it.each<[string, Health | undefined, number, number]>([
    ['that nothing is known of', undefined, 0, 0],
    ['that is well', {}, 0, 0],
    ['that fails for less than half an hour', failing(30 * MINUTE - 1), 0, 0],
    ['that fails for half an hour', failing(30 * MINUTE), 1, 0],
    ['that fails and is paused', { ...failing(99 * MINUTE), paused: { at: AT } }, 0, 0],
    ['that failed until it was stopped', { ...failing(99 * MINUTE), stopped: { at: AT, reason: 'r' } }, 0, 1],
  ])('one %s: %j', (_, health, count, stopped) => {
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
});

describe('what a tick tells', () => {
  it('is what it knows: of what it could not find out it says nothing', () => {
    const { said, counts } = told({});
    expect(counts).toEqual([{}]);
    expect(said).toEqual([
      [
        'info',
        'Tick ended.',
        {
          code: 'tick.ended',
          ...{ passes: undefined, processes: undefined, readingStopped: 0, failedMessages: {}, ms: 7 },
          endpoints: { woken: undefined, failing: 0, stopped: 0 },
          subscriptions: { unconfirmed: 0, undelivered: 0 },
        },
      ],
    ]);
  });

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
