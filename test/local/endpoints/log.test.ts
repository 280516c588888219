import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EndpointLog } from '../../../local/loops/endpoint-log.ts';

/** A log, with what it says of endpoints and what it hands on; its time stands still. */
function opened(say?: (name: string, text: string, at: number) => void) {
  const state = { now: 0 };
  const [said, others]: [string[], string[]] = [[], []];
  const none = () => undefined;
  const other = { info: none, warn: none, error: (text: string) => void others.push(text) };
  const write = (name: string, text: string) =>
    say ? say(name, text, state.now) : void said.push(`${name}: ${text}`);
  return { endpointLog: new EndpointLog(write, other, () => state.now), said, others, state };
}

it('an endpoint’s log tells a person what failed and when it is tried again, and all else once a minute', () => {
  const { endpointLog, said, others, state } = opened();
  const { log } = endpointLog;
  const event = { endpoint: 'crm', eventId: 'm1', reason: 'answered 500', quote: 'no disk' };
  log.warn('Delivery failed; will retry.', { ...event, seconds: 6 });
  log.error('Gave up on a delivery; moved it to the dead letters.', event);
  const full = { endpoint: 'crm', places: ['1'], error: 'full' };
  const unsaved = 'What became of a delivery could not be written down; it is tried again';
  for (const _ of [1, 2]) log.error(`${unsaved}.`, full);
  const failing = 'The endpoint keeps failing: sending one probe at a time; other events are queued';
  log.warn(`${failing}.`, { endpoint: 'crm', reason: 'answered 500' });
  state.now += 60_000;
  log.error(`${unsaved}.`, full);
  const stopped = { code: 'endpoint.stopped', endpoint: 'crm', reason: 'answered 410' };
  log.error('endpoint.stopped: crm answered 410.', stopped);
  log.info('nothing of interest');
  log.error('The endpoints could not be read.', {});
  expect(others).toEqual(['The endpoints could not be read.']);
  expect(said).toEqual([
    'crm: event m1: answered 500 (no disk); next attempt in 6 s',
    'crm: gave up on event m1: answered 500 (no disk); moved to the dead letters',
    `crm: ${unsaved} (full)`,
    `crm: ${failing} (answered 500)`,
    `crm: ${unsaved} (full)`,
    'crm: answered 410; events are queued until you resume it: npx changewire endpoints resume crm',
  ]);
});

it('counts the failures of each endpoint, says when it answers again, and is silent after its end', () => {
  const { endpointLog, said } = opened();
  const failed = (endpoint: string) =>
    endpointLog.log.warn('failed', { endpoint, eventId: 'm1', reason: 'answered 500', seconds: 6 });
  failed('crm');
  endpointLog.arrived('chat', [{ attempts: 0 }]);
  endpointLog.arrived('crm', [{ attempts: 1 }]);
  endpointLog.end();
  failed('chat');
  endpointLog.log.error('The endpoints could not be read.');
  expect(said).toEqual([
    'crm: event m1: answered 500; next attempt in 6 s',
    expect.stringMatching(/^crm: works again/),
  ]);
});

/** What is said of an endpoint, each line with its second. */
function told() {
  const lines: string[] = [];
  const { endpointLog: failures, state } = opened((_, text, at) => void lines.push(`${at / 1000} ${text}`));
  const arrived = (again: boolean) => failures.arrived('crm', [{ attempts: again ? 1 : 0 }]);
  const fail = (eventId: string, said?: string) =>
    failures.failed('crm', { eventId, reason: 'answered 500', answer: said, pause: 5000 });
  const later = (seconds: number) => {
    state.now += seconds * 1000;
  };
  return { failures, fail, arrived, lines, later };
}

describe('the failures of an endpoint', () => {
  it('are told with event, status, answer and the next try; then a line a minute with their number; then the recovery', () => {
    const { fail, arrived, lines, later } = told();
    fail('a', 'db down');
    for (let second = 0; second < 150; second += 10) {
      later(10);
      fail(`b${second}`);
    }
    later(10);
    arrived(false);
    later(1);
    arrived(true);
    expect(lines).toEqual([
      '0 event a: answered 500 (db down); next attempt in 5 s',
      '60 7 failed attempts in 60 s; latest: event b50: answered 500; next attempt in 5 s',
      '120 13 failed attempts in 2 min; latest: event b110: answered 500; next attempt in 5 s',
      '160 works again, after 16 failed attempts in 3 min',
    ]);
  });

  it('are over when the one event that failed arrives, and not when others do', () => {
    const { fail, arrived, lines, later } = told();
    fail('a');
    later(1);
    arrived(false);
    later(1);
    arrived(true);
    expect(lines).toEqual([
      '0 event a: answered 500; next attempt in 5 s',
      '2 works again, after 1 failed attempt in 2 s',
    ]);
  });

  it('are an absence when three in a row are', () => {
    const { fail, arrived, lines } = told();
    for (const id of ['a', 'b']) fail(id);
    arrived(false);
    expect(lines).toHaveLength(1);
    for (const id of ['c', 'd', 'e']) fail(id);
    arrived(false);
    expect(lines.at(-1)).toMatch(/^0 works again, after 5/);
  });

  it('that end in dead letters are told so, the first at once and the rest by their number', () => {
    const { failures, lines, later } = told();
    const dead = (eventId: string) => failures.failed('crm', { eventId, reason: 'answered 410' });
    for (const id of ['a', 'b', 'c']) dead(id);
    later(60);
    dead('d');
    for (const id of ['e', 'f']) dead(id);
    failures.end();
    failures.end();
    expect(lines).toEqual([
      '0 gave up on event a: answered 410; moved to the dead letters',
      '60 gave up on 3 events (latest: event d: answered 410); moved to the dead letters',
      '60 gave up on 2 more events; moved to the dead letters',
    ]);
  });

  it('make a line a minute at most, and a recovery for each at most, however they come', () => {
    const step = fc.record({
      seconds: fc.nat({ max: 90 }),
      what: fc.constantFrom('fails' as const, 'arrives' as const, 'arrives at last' as const),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const { fail, arrived, lines, later } = told();
        for (const { seconds, what } of steps) {
          later(seconds);
          if (what === 'fails') fail('a');
          else arrived(what === 'arrives at last');
        }
        const attempts = lines.filter(line => line.includes('next attempt'));
        const failed = attempts.map(line => Number.parseInt(line, 10));
        for (const [index, at] of failed.entries())
          if (index > 0) expect(at - (failed[index - 1] ?? 0)).toBeGreaterThanOrEqual(60);
        const recoveries = lines.filter(line => line.includes('works again'));
        expect(recoveries.length).toBeLessThanOrEqual(failed.length);
        if (steps.some(({ what }) => what === 'fails')) expect(lines[0]).toContain('event a: answered 500');
      }),
    );
  });
});
