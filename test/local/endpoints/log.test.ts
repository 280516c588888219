import { expect, it } from 'vitest';
import { EndpointLog } from '../../../local/loops/endpoint-log.ts';

it('an endpoint’s log tells a person what failed and when it is tried again, and all else once a minute', () => {
  const said: string[] = [];
  let now = 10_000;
  const others: string[] = [];
  const other = {
    info: () => undefined,
    warn: () => undefined,
    error: (text: string) => void others.push(text),
  };
  const endpointLog = new EndpointLog(
    (name, text) => void said.push(`${name}: ${text}`),
    other,
    () => now,
  );
  const { log } = endpointLog;
  const event = { endpoint: 'crm', eventId: 'm1', reason: 'answered 500', quote: 'no disk' };
  log.warn('Delivery failed; will retry.', { ...event, seconds: 6 });
  log.error('Gave up on a delivery; moved it to the dead letters.', event);
  const full = { endpoint: 'crm', places: ['1'], error: 'full' };
  log.error('What became of a delivery could not be written down; it is tried again.', full);
  log.error('What became of a delivery could not be written down; it is tried again.', full);
  log.warn('The endpoint keeps failing: sending one probe at a time; other events are queued.', {
    endpoint: 'crm',
    reason: 'answered 500',
  });
  now += 60_000;
  log.error('What became of a delivery could not be written down; it is tried again.', full);
  log.error('endpoint.stopped: crm answered 410.', {
    code: 'endpoint.stopped',
    endpoint: 'crm',
    reason: 'answered 410',
  });
  log.info('nothing of interest');
  log.error('The endpoints could not be read.', {});
  expect(others).toEqual(['The endpoints could not be read.']);
  expect(said).toEqual([
    'crm: event m1: answered 500 (no disk); next attempt in 6 s',
    'crm: gave up on event m1: answered 500 (no disk); moved to the dead letters',
    'crm: What became of a delivery could not be written down; it is tried again (full)',
    'crm: The endpoint keeps failing: sending one probe at a time; other events are queued (answered 500)',
    'crm: What became of a delivery could not be written down; it is tried again (full)',
    'crm: answered 410; events are queued until you resume it: npx changewire endpoints resume crm',
  ]);
});

it('counts the failures of each endpoint, says when it answers again, and is silent after its end', () => {
  const said: string[] = [];
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const endpointLog = new EndpointLog(
    (name, text) => void said.push(`${name}: ${text}`),
    silent,
    () => 10_000,
  );
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
