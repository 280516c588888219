import { expect, it } from 'vitest';
import { endpointLog } from '../../../local/endpoints/log.ts';

it('an endpoint’s log tells a person the reason and the time, each matter once a second, and no ids', () => {
  const said: string[] = [];
  let now = 10_000;
  const log = endpointLog(
    text => said.push(text),
    () => now,
  );
  const postponed = (reason: string, seconds: number) =>
    log.warn('A delivery failed; it is tried again.', { endpoint: 'crm', messageId: 'm1', reason, seconds });
  postponed('answered 500', 6);
  postponed('answered 500', 5);
  postponed('answered 503', 5);
  now += 1000;
  postponed('answered 503', 7);
  log.error('An event could not be put into the dead-letter queue; it stays.', {
    endpoint: 'crm',
    error: 'full',
  });
  log.error('No endpoint has the queue.');
  log.info('nothing of interest');
  expect(said).toEqual([
    'answered 500; next in 6 s',
    'answered 503; next in 5 s',
    'answered 503; next in 7 s',
    'An event could not be put into the dead-letter queue; it stays (full)',
    'No endpoint has the queue.',
  ]);
});
