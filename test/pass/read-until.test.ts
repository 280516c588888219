import { describe, expect, it } from 'vitest';
import { readUntil } from '../../functions/pass/commit.ts';

describe('the times up to which a snapshot holds all changes', () => {
  const [record, tasks] = [{ readBefore: 5 }, { readBefore: 7 }];

  it('are those of its parts, each the later one of now and of before', () => {
    expect(readUntil(undefined, record, tasks)).toEqual({ record: 5, tasks: 7 });
    expect(readUntil({}, record, tasks)).toEqual({ record: 5, tasks: 7 });
    expect(readUntil({ readUntil: { record: 6, tasks: 6 } }, record, tasks)).toEqual({ record: 6, tasks: 7 });
    expect(readUntil({ readUntil: { record: 4, tasks: 8 } }, record, tasks)).toEqual({ record: 5, tasks: 8 });
  });

  it('are unknown where only our clock tells when one of them was read', () => {
    expect(readUntil(undefined, { ...record, untimed: true }, tasks)).toBeUndefined();
    expect(readUntil(undefined, record, { ...tasks, untimed: true })).toBeUndefined();
  });
});
