import { describe, expect, it } from 'vitest';
import {
  isUnreported,
  receiverOf,
  recheckText,
  resumeWord,
  troubleOf,
} from '../../../console/model/status-words.ts';
import type { EndpointStatus } from '../../../functions/operations/protocol/status.ts';

describe('an endpoint', () => {
  it.each([
    ['healthy', undefined],
    ['throttled', 'Send now'],
    ['retrying', 'Send now'],
    ['failing', 'Send now'],
    ['stopped', 'Resume'],
    ['paused', 'Resume'],
  ] as const)('that is %s is started again by: %s', (state, word) => {
    expect(resumeWord(state)).toBe(word);
  });

  it('is sent an event elsewhere only if it is chosen: no other takes the place of one that is gone', () => {
    const chosen = [undefined, 'b', 'gone'].map(name => receiverOf(['a', 'b'], name));
    expect([...chosen, receiverOf([], undefined)]).toEqual(['a', 'b', '', '']);
  });
});

describe('what is wrong with an endpoint', () => {
  const failure = { at: '2026-01-31T09:00:00.000Z', failure: 'answered 410', answer: 'gone' };
  it.each([
    ['stopped', 'answered 410', 'answered 410: gone'],
    ['stopped', 'failed for 5 days', 'failed for 5 days · answered 410: gone'],
    ['retrying', undefined, 'answered 410: gone'],
    ['healthy', undefined, undefined],
  ] as const)('that is %s because it %s is told once', (state, reason, told) => {
    expect(troubleOf({ state, reason, lastFailure: failure } as EndpointStatus)).toBe(told);
  });
});

describe('projects that are owed a look', () => {
  it.each([
    [2, 2, '2 projects could not be read'],
    [1, 0, '1 project pending'],
    [3, 1, '1 project could not be read, 2 projects pending'],
  ])('%i, of which %i could not be read, are told apart', (count, unread, words) => {
    expect(recheckText({ count, unread, skipped: 0, first: [] })).toBe(words);
  });

  it.each([
    ['unreadable', false, true],
    ['no-task-list', false, true],
    ['unreadable', true, false],
    ['not-listed', false, false],
    ['uncertain', false, false],
  ] as const)('%s, known to subscribers: %s, is yet to be told: %s', (cause, isSkipped, expected) => {
    const recheck = { project: '1', cause, reason: 'why', foundAt: '2026-01-31T09:00:00.000Z', isSkipped };
    expect(isUnreported(recheck)).toBe(expected);
  });
});
