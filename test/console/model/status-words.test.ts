import { describe, expect, it } from 'vitest';
import { debtsInWords, isYetToTell, resumeWord } from '../../../console/model/status-words.ts';

describe('an endpoint', () => {
  it.each([
    ['well', undefined],
    ['held', 'Send now'],
    ['failing', 'Send now'],
    ['stopped', 'Resume'],
    ['paused', 'Resume'],
  ] as const)('that is %s is started again by: %s', (state, word) => {
    expect(resumeWord(state)).toBe(word);
  });
});

describe('projects that are owed a look', () => {
  it.each([
    [2, 2, '2 projects could not be read'],
    [1, 0, '1 project to be looked at again'],
    [3, 1, '1 project could not be read, 2 projects to be looked at again'],
  ])('%i, of which %i could not be read, are told apart', (count, unread, words) => {
    expect(debtsInWords({ count, unread, skipped: 0, first: [] })).toBe(words);
  });

  it.each([
    ['unreadable', false, true],
    ['no-task-list', false, true],
    ['unreadable', true, false],
    ['not-listed', false, false],
    ['uncertain', false, false],
  ] as const)('%s, known to subscribers: %s, is yet to be told: %s', (cause, isSkipped, expected) => {
    const debt = { project: '1', cause, reason: 'why', metAt: '2026-01-31T09:00:00.000Z', isSkipped };
    expect(isYetToTell(debt)).toBe(expected);
  });
});
