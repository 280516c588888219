import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import { freshest, isMadeAgain } from '../../functions/pass/decide.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const iso = (ms: number) => new Date(ms).toISOString();

describe('the freshest record', () => {
  const listed = (readAt: number, record: JsonObject) => ({ record, readAt, readBefore: readAt, digest: '' });
  const snapshot = (recordReadAt: number, record: JsonObject) => ({
    version: 1,
    content: { record, tasks: new Map() },
    recordReadAt,
    tasksReadAt: recordReadAt,
  });

  it('is the only one there is', () => {
    expect(freshest(listed(AT, {}), undefined).newer).toBe('listed');
    expect(freshest(undefined, snapshot(AT, {}))).toEqual({ newer: 'snapshot', isUncertain: false });
  });

  it.each([
    ['an hour', 'snapshot', 3_600_000],
    ['two days', 'listed', 48 * 3_600_000],
  ])('of one listed %s later by our own clock, with an older update time, is the %s’s', (_, newer, later) => {
    const older = { ...listed(AT + later, { updatedAt: iso(AT - 9) }), untimed: true };
    const known = snapshot(AT, { updatedAt: iso(AT), state: 'newer' });
    expect(freshest(older, known).newer).toBe(newer);
    expect(freshest({ ...older, record: { updatedAt: iso(AT + 1) } }, known).newer).toBe('listed');
  });

  it('is not the one listed an hour later by the service, when the other was read by a clock of ours that may be behind', () => {
    const older = listed(AT + 3_600_000, { updatedAt: iso(AT - 9) });
    const known = snapshot(AT, { updatedAt: iso(AT), state: 'newer' });
    expect(freshest(older, { ...known, untimed: true }).newer).toBe('snapshot');
    expect(freshest(older, known).newer).toBe('listed');
  });

  it.each([
    ['listed much later', AT + 60_000, AT, {}, {}, 'listed', false],
    ['listed much earlier', AT - 60_000, AT, {}, { a: 1 }, 'snapshot', false],
    [
      'listed much later though its update time is older',
      AT + 60_000,
      AT,
      { updatedAt: iso(AT - 9) },
      { updatedAt: iso(AT) },
      'listed',
      false,
    ],
    [
      'close, with a later update time',
      AT,
      AT + 2_000,
      { updatedAt: iso(AT) },
      { updatedAt: iso(AT - 1) },
      'listed',
      false,
    ],
    [
      'close, with an earlier update time',
      AT + 2_000,
      AT,
      { updatedAt: iso(AT - 1) },
      { updatedAt: iso(AT) },
      'snapshot',
      false,
    ],
    [
      'close, with the same update time',
      AT + 1_000,
      AT,
      { updatedAt: iso(AT) },
      { updatedAt: iso(AT) },
      'listed',
      false,
    ],
    [
      'listed later by no more than clocks may differ, with an earlier update time',
      AT + 5_000,
      AT,
      { updatedAt: iso(AT - 1) },
      { updatedAt: iso(AT) },
      'snapshot',
      false,
    ],
    [
      'close and later, the only one without an update time',
      AT + 1,
      AT,
      {},
      { updatedAt: iso(AT) },
      'listed',
      false,
    ],
    [
      'close and later, the only one with an update time',
      AT + 1,
      AT,
      { updatedAt: iso(AT) },
      {},
      'listed',
      false,
    ],
    ['of the same moment, and the same', AT, AT, { a: 1 }, { a: 1 }, 'snapshot', false],
    ['of the same moment, and another', AT, AT, { a: 1 }, { a: 2 }, 'snapshot', true],
  ] as const)('%s', (_title, listedAt, readAt, theirs, ours, newer, isUncertain) => {
    expect(freshest(listed(listedAt, theirs), snapshot(readAt, ours))).toEqual({ newer, isUncertain });
  });
});

describe('a project that is listed though it was deleted', () => {
  const DAY = 86_400_000;
  const updatedAt = (time: number) => ({ updatedAt: iso(time) });
  it.each([
    ['when it was listed clearly later', true, 5_001, {}, {}, {}],
    ['not when that may be by another clock of the service', false, 5_000, {}, {}, {}],
    [
      'not by its update time, where the service tells when it was listed',
      false,
      0,
      updatedAt(AT + 9),
      {},
      {},
    ],
    [
      'when it was listed clearly later by our clock, and nothing else tells',
      true,
      5_001,
      {},
      { untimed: true },
      {},
    ],
    ['not when it was listed at the same time by our clock', false, 5_000, {}, {}, { untimed: true }],
    [
      'not when our clock tells so, and its update time does not',
      false,
      DAY,
      updatedAt(AT),
      { untimed: true },
      { updatedAt: AT },
    ],
    [
      'when its update time and our clock tell so',
      true,
      5_001,
      updatedAt(AT + 1),
      {},
      { untimed: true, updatedAt: AT },
    ],
    [
      'when its update time tells so, and our clock does not',
      false,
      5_000,
      updatedAt(AT + 1),
      {},
      { untimed: true, updatedAt: AT },
    ],
    [
      'when our clock tells so for longer than a day',
      true,
      DAY + 1,
      updatedAt(AT),
      { untimed: true },
      { updatedAt: AT },
    ],
    ['when only the record has an update time', true, 5_001, updatedAt(AT - 1), { untimed: true }, {}],
    ['when only the tombstone has one', true, 5_001, {}, { untimed: true }, { updatedAt: AT }],
  ] as const)('was made again %s: %s', (_, expected, later, record, listed, tombstone) => {
    const times = { readAt: AT + later, readBefore: AT + later, digest: '' };
    expect(isMadeAgain({ record, ...times, ...listed }, { version: 1, readAt: AT, ...tombstone })).toBe(
      expected,
    );
  });
});
