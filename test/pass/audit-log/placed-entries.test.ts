import { describe, expect, it } from 'vitest';
import { ENTRY_OVERHEAD } from '../../../functions/pass/audit-log/fresh-entries.ts';
import { type LogEntry, PlacedEntries } from '../../../functions/pass/audit-log/placed-entries.ts';

/** A walk over a log, in which upper-case letters are the entries that were seen, and a small one says its age by what follows it:
 *  `+` new, `-` old, else none. */
function walk(log: string): PlacedEntries {
  const placed = new PlacedEntries();
  for (const [, letter = '', age] of log.matchAll(/([A-Za-z])([+-]?)/g)) {
    if (letter === letter.toUpperCase()) placed.meet(letter);
    else
      placed.add({
        id: letter,
        entry: { letter },
        age: age === '+' ? 'new' : age === '-' ? 'old' : 'unknown',
      });
  }
  return placed;
}
const ids = (entries: readonly LogEntry[]) => entries.map(({ id }) => id).join('');
const left = { seen: ['A', 'B', 'C'], isInDoubt: false, isNothingSeen: false };

describe('of the entries of a log that were not seen, new are', () => {
  it.each([
    ['newest-first', 'abABcC', 'abc'],
    ['newest-first', 'aABCbc', 'a'],
    ['newest-first', 'a-ABCb+', 'ab'],
    ['oldest-first', 'aABbCcd', 'bcd'],
    ['oldest-first', 'a+b-ABCc-', 'ac'],
    ['unknown', 'aAbBCc', 'ac'],
    ['unknown', 'aBb', ''],
    ['unknown', 'aABb', 'a'],
    ['unknown', 'aBCb', 'b'],
    ['unknown', 'abc', ''],
    ['newest-first', 'abc', ''],
    ['unknown', 'ab+c-', 'b'],
  ] as const)('in one that was left %s, and is %s: %s', (order, log, found) => {
    expect(ids(walk(log).newOnes({ ...left, order }).entries)).toBe(found);
  });

  it('where all that was seen is gone, those that say no time, too', () => {
    expect(ids(walk('ab+c-').newOnes({ ...left, order: 'unknown', isNothingSeen: true }).entries)).toBe('ab');
  });

  it('for certain only those that say so', () => {
    expect(ids(walk('a+b-cAd+eBf-g+').timed)).toBe('adg');
  });

  it('where the order is in doubt, none that says that it is old', () => {
    const inDoubt = { ...left, order: 'oldest-first' as const, isInDoubt: true };
    expect(ids(walk('a+ABCb-cd+').newOnes(inDoubt).entries)).toBe('acd');
  });

  it.each([
    ['newest-first', 'a-ABCb', true],
    ['newest-first', 'aABCb-', false],
    ['oldest-first', 'aABCb-', true],
    ['oldest-first', 'a-ABC', false],
    ['oldest-first', 'a-', false],
    ['newest-first', 'a-', false],
  ] as const)(
    'in doubt in one that was left %s, and is %s, by an old one where it grows: %s',
    (order, log, hasOld) => {
      expect(walk(log).hasOld({ ...left, order })).toBe(hasOld);
    },
  );

  it.each([
    ['newest-first', 'aABCb+', true],
    ['newest-first', 'aABCb-', false],
    ['newest-first', 'a+ABCb', false],
    ['oldest-first', 'a+ABCb', true],
    ['oldest-first', 'a-ABCb', false],
    ['oldest-first', 'aABCb+', false],
  ] as const)(
    'in doubt in one that was left %s, and is %s, by a new one where it does not grow: %s',
    (order, log, hasNewAside) => {
      expect(walk(log).hasNewAside({ ...left, order })).toBe(hasNewAside);
    },
  );
});

describe('more entries than there is room for', () => {
  const large = { id: 'a', entry: { text: 'x'.repeat(2 ** 20) }, age: 'unknown' } as const;
  const many = (before: string, after: string) => {
    const placed = walk(before);
    for (let count = 0; count < 20; count++) placed.add(large);
    for (const letter of after) placed.meet(letter);
    return placed;
  };

  it.each([
    ['oldest-first', 'A', '', true],
    ['oldest-first', 'A', 'B', true],
    ['oldest-first', '', 'A', false],
    ['newest-first', '', 'A', true],
    ['newest-first', 'A', '', false],
    ['newest-first', 'A', 'B', true],
  ] as const)(
    '%s, behind "%s" and before "%s", hold the position back where they are new',
    (order, before, after, isOverfull) => {
      const found = many(before, after).newOnes({ ...left, order });
      expect(found.isOverfull).toBe(isOverfull);
      expect(found.entries).toHaveLength(isOverfull ? 15 : 0);
    },
  );

  it('are those beyond 16 MiB of JSON, and of what each entry takes beside', () => {
    const placed = walk('A');
    const full = 'x'.repeat(2 ** 24 - ENTRY_OVERHEAD - JSON.stringify({ text: '' }).length);
    placed.add({ ...large, entry: { text: full } });
    expect(placed.newOnes({ ...left, order: 'oldest-first' }).isOverfull).toBe(false);
    placed.add({ ...large, entry: {} });
    expect(placed.newOnes({ ...left, order: 'oldest-first' })).toMatchObject({
      ...{ isOverfull: true, entries: [{ id: 'a' }] },
    });
  });

  it('are not all known to be new, though each that there was room for is', () => {
    const [placed, timed] = [walk('a+Bc+'), { ...large, age: 'new' as const }];
    expect(placed.isTimed).toBe(true);
    for (let count = 0; count < 20; count++) placed.add(timed);
    expect(placed.isTimed).toBe(false);
    expect([walk('a+b').isTimed, walk('a+Bc-').isTimed]).toEqual([false, false]);
  });

  it('hold it back, too, where nothing that was seen is left', () => {
    const found = many('', '').newOnes({ ...left, order: 'unknown', isNothingSeen: true });
    expect([found.isOverfull, found.entries.length]).toEqual([true, 15]);
  });
});
