import type { BugsByFile } from './bugs.ts';

/** Bugs in what falls due by rules. */
export const DUE: BugsByFile = {
  'changes/due.ts': {
    'what is decided does not move on': [
      '...{ timeZone, until: at },',
      '...{ timeZone, until: before?.due?.until ?? at },',
    ],
    'a timer for the last value instead of the earliest': ['next ??= value.at;', 'next = value.at;'],
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
  },
};
