import { expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { freshest, isMadeAgain } from '../../functions/pass/decide.ts';
import { AT, HOUR } from '../kit/time.ts';

/** The cells of the rows of a table, without its first row. */
const rowsOf = (table: string) =>
  table
    .split('\n')
    .map(line => line.split(/ {2,}/))
    .filter(cells => cells.length > 4)
    .slice(1) as [string, string, string, string, string][];
/** A record with an update time so many ms after AT, and another field; `-`: without one. */
const recordOf = (cell: string): JsonObject => {
  const [time, state = ''] = cell.split(' ');
  return { state, ...(time !== '-' && { updatedAt: new Date(AT + Number(time)).toISOString() }) };
};

/** Times in ms after AT; `ours`: by our own clock. The last column: the newer record, `?` where that is uncertain. */
it.each(
  rowsOf(`
listed at      its update  snapshot at  its update  newer
60000          -           0            -           listed
-60000         - a         0            -           snapshot
60000          -9          0            0           listed
0              0           2000         -1          listed
2000           -1          0            0           snapshot
1000           0           0            0           listed
5000           -1          0            0           snapshot
1              -           0            0           listed
1              0           0            -           listed
0              - a         0            - a         snapshot
0              - a         0            - b         snapshot ?
3600000 ours   -9          0            0           snapshot
3600000 ours   1           0            0           listed
172800000 ours  -9         0            0           listed
3600000        -9          0 ours       0           snapshot
3600000        -9          0            0           listed`),
)(
  'the freshest record of one listed at %s, updated at %s, and a snapshot read at %s, updated at %s, is: %s',
  (listedAt, theirs, keptAt, ours, newest) => {
    const at = (cell: string) => ({ time: AT + Number.parseInt(cell, 10), untimed: cell.endsWith('ours') });
    const [one, other] = [at(listedAt), at(keptAt)];
    const listed = {
      ...{ record: recordOf(theirs), readAt: one.time, readBefore: one.time, digest: '' },
      ...(one.untimed && { untimed: true }),
    };
    const snapshot = {
      ...{ version: 1, content: { record: recordOf(ours), tasks: new Map() } },
      ...{ recordReadAt: other.time, tasksReadAt: other.time, ...(other.untimed && { untimed: true }) },
    };
    const [newer, isUncertain] = newest.split(' ');
    expect(freshest(listed, snapshot)).toEqual({ newer, isUncertain: isUncertain === '?' });
    expect(freshest(listed, undefined)).toEqual({ newer: 'listed', isUncertain: false });
    expect(freshest(undefined, snapshot)).toEqual({ newer: 'snapshot', isUncertain: false });
  },
);

it.each(
  rowsOf(`
listed later  its update  by whose clock  deleted's update  made again
5001          -           theirs          -                 true
5000          -           theirs          -                 false
0             9           theirs          -                 false
5001          0           theirs          0                 true
5001          -           ours, theirs    -                 true
5000          -           theirs, ours    -                 false
${24 * HOUR}      0           ours, theirs    0                 false
5001          1           theirs, ours    0                 true
5000          1           theirs, ours    0                 false
${24 * HOUR + 1}      0           ours, theirs    0                 true
5001          -1          ours, theirs    -                 true
5001          -           ours, theirs    0                 true`),
)(
  'a project that is listed though it was deleted %s ms later, updated at %s, by the clocks of %s, and known as updated at %s, was made again: %s',
  (later, update, clocks, known, expected) => {
    const { state: _, ...record } = recordOf(update);
    const readAt = AT + Number(later);
    const listed = { record, readAt, readBefore: readAt, digest: '', untimed: clocks.startsWith('ours') };
    const tombstone = {
      ...{ version: 1, readAt: AT, untimed: clocks.endsWith('ours') },
      ...(known !== '-' && { updatedAt: AT + Number(known) }),
    };
    expect(isMadeAgain(listed, tombstone)).toBe(expected === 'true');
  },
);
