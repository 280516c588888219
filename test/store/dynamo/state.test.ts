import { describe, expect, it } from 'vitest';
import { type SavedState, UNKNOWN_PROCESS } from '../../../functions/model/process-state.ts';
import { attributesOf, partsIn, stateOf, updateOf } from '../../../functions/store/dynamo/state.ts';
import { rowsOf, type StateRow } from '../../../functions/store/limits.ts';

const updateIn = (row: StateRow, state: Partial<SavedState>) =>
  updateOf(attributesOf(state).get(row) ?? new Map());

describe('the state of a process', () => {
  it('that nobody polled promises nothing', () => {
    expect(stateOf([])).toEqual(UNKNOWN_PROCESS);
    expect(stateOf([undefined, {}])).toEqual(UNKNOWN_PROCESS);
  });

  it('is written so that an operator can read it and change it, all but the long parts', () => {
    const definitions = { project: [], task: [] };
    const state: Partial<SavedState> = {
      baselined: true,
      baselinedAt: 6,
      watermark: 7,
      pace: { wait: 5, dueAt: 6 },
      sweptAt: 8,
      audit: { order: 'unknown', tail: undefined, seen: ['a'] },
      definitions,
      recent: [],
      hold: { since: 9, missing: 12 },
      released: false,
      reported: ['audit-denied'],
      announced: 10,
    };
    const rows = [...attributesOf(state)].map(([row, of]) => [row, Object.fromEntries(of)]);
    expect(rowsOf(state)).toBe(4);
    expect(rowsOf({ watermark: 7, pace: undefined })).toBe(1);
    expect(partsIn('sweep')).toEqual(['sweptAt', 'sweepCompletedAt', 'projects', 'sweepFailure']);
    expect(Object.fromEntries(rows)).toEqual({
      rare: {
        baselined: { BOOL: true },
        baselinedAt: { N: '6' },
        definitions: { B: expect.any(Uint8Array) },
        hold: { S: '{"since":9,"missing":12}' },
        released: { BOOL: false },
        reported: { S: '["audit-denied"]' },
        announced: { N: '10' },
      },
      changes: { watermark: { N: '7' }, pace: { S: '{"wait":5,"dueAt":6}' } },
      sweep: { sweptAt: { N: '8' } },
      seen: { audit: { B: expect.any(Uint8Array) }, recent: { B: expect.any(Uint8Array) } },
    });
  });

  it('is updated in the parts that are named, and loses those that are undefined', () => {
    const state = { announced: 7, released: true, stalled: undefined, hold: undefined };
    expect(updateIn('rare', state)).toEqual({
      UpdateExpression: 'SET #released = :released, #announced = :announced REMOVE #hold, #stalled',
      ExpressionAttributeNames: {
        '#announced': 'announced',
        '#released': 'released',
        '#stalled': 'stalled',
        '#hold': 'hold',
      },
      ExpressionAttributeValues: { ':announced': { N: '7' }, ':released': { BOOL: true } },
    });
    expect(updateIn('changes', { watermark: 7 }).UpdateExpression).toBe('SET #watermark = :watermark');
  });

  it('that only loses parts has no values: DynamoDB refuses an empty set of them', () => {
    expect(updateIn('rare', { hold: undefined })).toEqual({
      UpdateExpression: 'REMOVE #hold',
      ExpressionAttributeNames: { '#hold': 'hold' },
    });
  });
});
