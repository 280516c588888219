import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { ProcessState } from '../../functions/model/process-state.ts';
import { digest } from '../../functions/pass/reading/digest.ts';
import { fitting, Recent } from '../../functions/pass/survey.ts';
import { AT, iso } from '../kit/time.ts';

describe('recently listed projects', () => {
  const record = { name: 'Acme', updatedAt: iso(AT) };
  const listed = { record, readAt: AT, readBefore: AT, digest: digest(record) };
  const as = (fields: JsonObject) => ({ ...listed, record: fields, digest: digest(fields) });

  it('are settled when byte for byte the same, and read at least 5 s after their update time', () => {
    expect(new Recent([]).isSettled('1', listed)).toBe(false);
    for (const [after, settled] of [
      [4_999, false],
      [5_000, true],
    ] as const) {
      const recent = new Recent([]);
      recent.add('1', listed, AT + after);
      expect(new Recent(recent.toSave()).isSettled('1', listed)).toBe(settled);
      const other = as({ ...record, name: 'Other' });
      expect(new Recent(recent.toSave()).isSettled('1', other)).toBe(false);
    }
  });

  it('invariant 1: by a clock of ours, hours off either way, are settled once read 5 s after they were first shown so', () => {
    for (const off of [-5, 5].map(hours => hours * 3_600_000)) {
      const pass = (before: Recent, after: number) => {
        const now = { ...listed, readAt: AT + off + after, readBefore: AT + off + after, untimed: true };
        const next = new Recent(before.toSave());
        const settled = next.isSettled('1', now);
        if (!settled) next.add('1', now, now.readAt + 300);
        return { next, settled };
      };
      const [first, second] = [pass(new Recent([]), 10).next, (before: Recent) => pass(before, 60_000).next];
      expect(pass(first, 60_000).settled).toBe(false);
      expect(pass(second(first), 120_000).settled).toBe(true);
      const unstamped = { ...as({ name: 'Acme' }), untimed: true };
      const recent = new Recent([['1', '', AT, AT]]);
      recent.add('1', unstamped, AT + 60_000);
      expect(new Recent(recent.toSave()).isSettled('1', unstamped)).toBe(false);
    }
  });

  it('are settled soon after our clock was set back', () => {
    const hour = 3_600_000;
    const pass = (before: Recent, readAt: number) => {
      const now = { ...listed, readAt, readBefore: readAt, untimed: true };
      const next = new Recent(before.toSave());
      if (!next.isSettled('1', now)) next.add('1', now, readAt + 300);
      return next;
    };
    const setBack = pass(pass(new Recent([]), AT + hour), AT);
    const second = pass(setBack, AT + 60_000);
    expect(second.isSettled('1', { ...listed, untimed: true })).toBe(false);
    expect(new Recent(second.toSave()).isSettled('1', { ...listed, untimed: true })).toBe(true);
  });

  it('invariant 1: by a clock of ours, count from when they were first shown so, not otherwise, nor by the service’s', () => {
    const untimed = { ...listed, readAt: AT + 7, untimed: true };
    const added = (before: ProcessState['recent']) => {
      const recent = new Recent(before);
      recent.add('1', untimed, AT + 9);
      return recent.toSave();
    };
    expect(added([])).toEqual([['1', listed.digest, AT + 9, AT + 7]]);
    expect(added([['1', listed.digest, AT, AT - 5]])).toEqual([['1', listed.digest, AT + 9, AT - 5]]);
    expect(added([['1', 'another', AT, AT - 5]])).toEqual([['1', listed.digest, AT + 9, AT + 7]]);
    expect(added([['1', listed.digest, AT]])).toEqual([['1', listed.digest, AT + 9, AT + 7]]);
  });

  it('are remembered up to 2,000, and 250,000 bytes of them: the last', () => {
    const saved = (count: number, length: number) => {
      const recent = new Recent([]);
      for (let id = 1; id <= count; id++) recent.add(String(id).padEnd(length, 'x'), listed, AT);
      return recent.toSave();
    };
    const few = saved(2_001, 5);
    expect([few.length, few[0]?.[0], few.at(-1)?.[0]]).toEqual([2_000, '2xxxx', '2001x']);
    const long = saved(300, 962);
    // With its digest, time and punctuation each is 1,000 bytes.
    expect([long.length, long[0]?.[0].slice(0, 4), long.at(-1)?.[0].slice(0, 4)]).toEqual([
      250,
      '51xx',
      '300x',
    ]);
  });

  it('are never settled without an update time', () => {
    const recent = new Recent([]);
    const untimed = as({ name: 'Acme' });
    recent.add('1', untimed, AT + 60_000);
    expect(new Recent(recent.toSave()).isSettled('1', untimed)).toBe(false);
  });

  it('are never settled when they cannot be told from others, nor remembered then', () => {
    const recent = new Recent([]);
    recent.add('1', listed, AT + 60_000);
    const next = new Recent(recent.toSave());
    expect(next.isSettled('1', { ...listed, flaw: new Error('two of one name') as never })).toBe(false);
    expect(next.isSettled('1', as({ ...record, name: 'Other' }))).toBe(false);
    expect(next.toSave()).toEqual([]);
  });

  it('are remembered while they are listed, and no longer', () => {
    const first = new Recent([]);
    first.add('1', listed, AT + 60_000);
    const second = new Recent(first.toSave());
    second.isSettled('1', listed);
    expect(second.toSave()).toEqual(first.toSave());
    expect(new Recent(second.toSave()).toSave()).toEqual([]);
  });
});

it('takes the first items, as many as fit', () => {
  const items = ['a', 'bb', 'ccc'];
  // Each with its quotes and the comma behind it.
  expect([0, 3, 4, 8, 9, 14, 15].map(bytes => fitting(items, bytes).length)).toEqual([0, 0, 1, 1, 2, 2, 3]);
  expect(fitting(items, 9)).toEqual(['a', 'bb']);
  expect(fitting([], 0)).toEqual([]);
});

it('counts bytes of JSON, not characters', () => {
  expect(fitting(['é', '\u0001'], 5)).toEqual(['é']);
  expect(fitting(['é', '\u0001'], 13)).toEqual(['é']);
  expect(fitting(['é', '\u0001'], 14)).toEqual(['é', '\u0001']);
});
