import type { BugsByFile } from './bugs.ts';

/** Bugs in what falls due by rules. */
export const DUE: BugsByFile = {
  'changes/due.ts': {
    'what is decided does not move on': [
      '...{ timeZone, until: at },',
      '...{ timeZone, until: before?.due?.until ?? at },',
    ],
    'a timer for the last value instead of the earliest': ['next ??= value.at;', 'next = value.at;'],
    'a value that falls due at this very moment left to the next pass': [
      'const isLate = value.at <= at &&',
      'const isLate = value.at < at &&',
      'pass/due.test.ts',
    ],
    'what was decided read by a new time zone': [
      'timeZone: due?.timeZone ?? timeZone,',
      'timeZone,',
      'changes/due.property.test.ts',
    ],
    'former dates forgotten': ['    ...former.slice(-MAX_FORMER),\n', '', 'changes/due.property.test.ts'],
    'days of 24 hours': [
      'daysAfter(timeZone, at, sign * span.days)',
      'at + sign * span.days * 86_400_000',
      'changes/due.property.test.ts',
    ],
  },
  'store/dynamo/projects.ts': {
    'a timer left behind when it moves': [
      '...(before && isMoved ? [{ Delete: { Key: before } }] : []),',
      '...(before && !after ? [{ Delete: { Key: before } }] : []),',
    ],
  },
  'pass/due.ts': {
    'an event of silence that counts as a change': [
      '{ first: 0, isChanged: false, limit }',
      '{ first: 0, isChanged: true, limit }',
    ],
    'a new rule that no timer knows of': [
      'rulesWalk: known && {} }',
      'rulesWalk: now.rulesWalk }',
      'pass/due.test.ts',
    ],
  },
};
