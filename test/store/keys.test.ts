import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  changePlaceOf,
  entryPlaceOf,
  partition,
  placeOf,
  processIn,
  processOf,
  projectIn,
  projectOfRecheck,
  RECHECK,
  recheckKey,
  rosterKey,
  subjectPartition,
} from '../../functions/store/keys.ts';
import { ACTIONS_KEPT_MS, DELIVERIES_KEPT_MS, KEEP } from '../../functions/store/limits.ts';

const process = { workspace: 'e.u', processId: 'on boarding' };

describe('a key', () => {
  it('of a recheck tells its project, unless that is too long for it', () => {
    expect(projectOfRecheck(recheckKey(process, 'a.b#c').sk.S)).toBe('a.b#c');
    const fitting = 'x'.repeat(1024 - RECHECK.length);
    expect(projectOfRecheck(recheckKey(process, fitting).sk.S)).toBe(fitting);
    const hashed = recheckKey(process, `${fitting}x`).sk.S;
    expect(hashed).toMatch(/^DEBT##[0-9a-f]{64}$/);
    expect(projectOfRecheck(hashed)).toBeUndefined();
  });

  it('of a delivery sorts by its time, and has a hash for an id that is too long for it', () => {
    expect(placeOf(5, 'p.1')).toBe('0000000000005#p%2E1');
    const fitting = 'x'.repeat(1002);
    expect(placeOf(5, fitting)).toBe(`0000000000005#${fitting}`);
    expect(placeOf(5, `${fitting}x`)).toMatch(/^0000000000005##[0-9a-f]{64}$/);
  });

  it('of the roster tells its process; that of a change record its project, and any other key none', () => {
    expect(processIn(rosterKey(process).sk.S)).toEqual(process);
    expect(projectIn('CHANGE#0000000000005#p%2E1#5')).toBe('p%2E1');
    expect(projectIn('STATE')).toBe('');
  });
});

it('a partition is of the stack, of an endpoint, or of a process', () => {
  expect(subjectPartition({ stack: true })).toBe('STACK');
  expect(subjectPartition({ endpoint: 'a.b' })).toBe('ENDPOINT#a%2Eb');
  expect(subjectPartition({ process })).toBe('W#e%2Eu#P#on%20boarding');
});

it('a partition tells its process, if it is of one', () => {
  expect(processOf('W#e%2Eu#P#on%20boarding')).toEqual(process);
  for (const odd of ['\ud800', 'a#P#b', '%u00FF', '%', 'ü.🎉', '\ud83c\ud83c\udf89', ' \0'])
    for (const key of [
      { workspace: odd, processId: 'p' },
      { workspace: 'eu', processId: odd },
    ])
      expect(processOf(partition(key))).toEqual(key);
  for (const other of ['', 'STACK', 'ENDPOINT#W#a#P#b', 'W#eu', 'W#eu#P#p#q', 'xW#eu#P#p'])
    expect(processOf(other), other).toBeUndefined();
});

it('an event’s id tells the process, the end of the change record’s key, and the version', () => {
  expect(changePlaceOf('on%20boarding.p%2E1.1795262400000.12')).toEqual({
    process: 'on%20boarding',
    end: '#p%2E1#1795262400000',
    version: 1_795_262_400_000,
  });
  expect(changePlaceOf('p..7.0')).toEqual({ process: 'p', end: '##7', version: 7 });
});

it.each(['', 'a.b.7', 'a.b.7.0x', 'a.b.7.', '#a.b.7.0', 'a b.c.7.0', `a.b.${'1'.repeat(17)}.0`])(
  'what is no event’s id tells nothing: %s',
  id => expect(changePlaceOf(id)).toBeUndefined(),
);

const DIGEST = '0123456789abcdef'.repeat(2);

it('the id of an audit entry’s event tells the process and the entry', () => {
  expect(entryPlaceOf(`on%20boarding..${DIGEST}.0`)).toEqual({ process: 'on%20boarding', digest: DIGEST });
  expect(changePlaceOf(`on%20boarding..${DIGEST}.0`)).toBeUndefined();
});

it.each([
  `p..${DIGEST}.1`,
  `p..${DIGEST}.0x`,
  `p..${DIGEST}0.0`,
  `p..${DIGEST.slice(1)}.0`,
  `a.p..${DIGEST}.0`,
  'p..7.0',
])('what is no id of an audit entry’s event tells no entry: %s', id =>
  expect(entryPlaceOf(id)).toBeUndefined(),
);

const TABLE = readFileSync(new URL('../../docs/design.md', import.meta.url), 'utf8');

it.each([
  ['PENDING', DELIVERIES_KEPT_MS],
  ['DEAD', DELIVERIES_KEPT_MS],
  ['ATTEMPT', KEEP.attempts],
  ['ACTION', ACTIONS_KEPT_MS],
])('keeps the rows %s for as many days as docs/design.md lists', (rows, ms) => {
  const told = TABLE.matchAll(new RegExp(`\`${rows}#[^\n]*expires (?:after )?(\\d+) days`, 'g'));
  const days = [...new Set([...told].map(([, number]) => Number(number)))];
  expect(days.map(number => number * 24 * 60 * 60 * 1000)).toEqual([ms]);
});
