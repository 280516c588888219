import { expect, it } from 'vitest';
import { Failures } from '../../../local/deliveries/failures.ts';
import { endpointLog } from '../../../local/endpoints/log.ts';

it('an endpoint’s log tells a person what failed and when it is tried again, and all else once a minute', () => {
  const said: string[] = [];
  let now = 10_000;
  const say = (text: string) => void said.push(text);
  const clock = () => now;
  const log = endpointLog(say, new Failures(say, clock), clock);
  const event = { endpoint: 'crm', eventId: 'm1', reason: 'answered 500', said: 'no disk' };
  log.warn('A delivery failed; it is tried again.', { ...event, seconds: 6 });
  log.error('A delivery was given up; it is a dead letter now.', event);
  const full = { endpoint: 'crm', places: ['1'], error: 'full' };
  log.error('What became of a delivery could not be written down; it is tried again.', full);
  log.error('What became of a delivery could not be written down; it is tried again.', full);
  log.warn('An endpoint fails: one probe at a time is sent, and the rest waits.', { reason: 'answered 500' });
  now += 60_000;
  log.error('What became of a delivery could not be written down; it is tried again.', full);
  log.error('endpoint.stopped: crm answered 410.', { endpoint: 'crm', reason: 'answered 410' });
  log.info('nothing of interest');
  expect(said).toEqual([
    'event m1: answered 500 (no disk); next try in 6 s',
    'given up: event m1: answered 500 (no disk); it is a dead letter now',
    'What became of a delivery could not be written down; it is tried again (full)',
    'An endpoint fails: one probe at a time is sent, and the rest waits (answered 500)',
    'What became of a delivery could not be written down; it is tried again (full)',
    'answered 410, so nothing is sent to it until the next start; its events wait',
  ]);
});
