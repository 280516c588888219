import { type Bug, edit } from './bug.ts';

/** Bugs that an assertion of the product finds before an oracle does. */
export const ASSERTION_BUGS: readonly Bug[] = [
  {
    name: 'one id for all events of a commit',
    edits: [edit('changes/build-events.ts', 'version, index),', 'version, 0),')],
  },
  {
    name: 'events with the time of their reading as their sequence',
    edits: [
      edit('changes/build-events.ts', 'sequence: String(version),', 'sequence: String(observed.before),'),
    ],
  },
  {
    name: 'a change record without the last of three events',
    edits: [
      edit(
        'store/codec.ts',
        'const groups = Map.groupBy(events,',
        'const groups = Map.groupBy(events.slice(0, 2),',
      ),
    ],
  },
  {
    name: 'a baseline that emits events',
    edits: [edit('pass/commit.ts', 'events: isSilent ? [] : buildEvents(', 'events: buildEvents(')],
  },
];
