import { describe, expect, it } from 'vitest';
import { failureReason, TooLargeError } from '../../functions/pass/failures.ts';
import { ServiceStatusError } from '../../functions/service/errors.ts';

describe('the reason of a failure', () => {
  it('invariant 10: is told where the service says it, and else not: what AWS says is about our own stack', () => {
    const refused = new ServiceStatusError('GET /a', 403, 'access is denied');
    expect(failureReason(refused)).toBe('GET /a: status 403: access is denied');
    const head = 'GET /a: status 403: ';
    const longest = 'a'.repeat(300 - head.length);
    expect(failureReason(new ServiceStatusError('GET /a', 403, longest))).toBe(head + longest);
    expect(failureReason(new ServiceStatusError('GET /a', 403, `${longest}b`))).toBe(`${head}${longest}…`);
    const torn = failureReason(new ServiceStatusError('GET /a', 403, `a${'😀'.repeat(2_000)}`));
    expect(torn).toHaveLength(301);
    expect(torn.isWellFormed()).toBe(true);
    const ours = new Error('User: arn:aws:iam::1:role/poll is not authorized');
    expect(failureReason(ours)).toBe('The poller itself failed; see its log.');
  });

  it('is told whole of a project that is too large', () => {
    expect(failureReason(new TooLargeError('p1', '1001'))).toBe(
      'Project 1001 of process p1 is too large to commit: its record and tasks, compressed, exceed the 4 MB of one DynamoDB ' +
        'transaction. Split the project in the service.',
    );
  });
});
