import { expect, it } from 'vitest';
import { Failures } from '../../../local/deliveries/failures.ts';
import { endpointLog } from '../../../local/endpoints/log.ts';

it('an endpoint’s log tells a person what failed and when it is tried again, and all else once a minute', () => {
  const said: string[] = [];
  let now = 10_000;
  const say = (text: string) => void said.push(text);
  const clock = () => now;
  const log = endpointLog(say, new Failures(say, clock), clock);
  const event = { endpoint: 'crm', messageId: 'm1', reason: 'answered 500', said: 'no disk' };
  log.warn('A delivery failed; it is tried again.', { ...event, seconds: 6 });
  log.error("An event was not delivered; it is in the endpoint's dead-letter queue.", event);
  const full = { endpoint: 'crm', messageId: 'm1', reason: 'answered 500', error: 'full' };
  log.error('An event could not be put into the dead-letter queue; it stays.', full);
  log.error('An event could not be put into the dead-letter queue; it stays.', full);
  log.error('No endpoint has the queue.');
  now += 60_000;
  log.error('No endpoint has the queue.');
  log.info('nothing of interest');
  expect(said).toEqual([
    'event m1: answered 500 (no disk); next try in 6 s',
    'given up: event m1: answered 500 (no disk); it is a dead letter now',
    'An event could not be put into the dead-letter queue; it stays (answered 500)',
    'No endpoint has the queue.',
    'No endpoint has the queue.',
  ]);
});
