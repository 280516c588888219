import { describe, expect, it } from 'vitest';
import { type ProcessState, UNKNOWN_PROCESS } from '../../functions/snapshots/state.ts';
import { attributesOf, stateOf, stateUpdate } from '../../functions/snapshots/state-item.ts';

const updateOf = (state: Partial<ProcessState>) => stateUpdate(attributesOf(state));

describe('the state of a process', () => {
  it('that nobody polled promises nothing', () => {
    expect(UNKNOWN_PROCESS).toMatchObject({
      baselined: false,
      watermark: 0,
      definitions: { project: [], task: [] },
      recent: [],
      missing: [],
      released: false,
      reported: [],
      skipped: [],
    });
    expect(stateOf(undefined)).toEqual(UNKNOWN_PROCESS);
  });

  it('is written so that an operator can read it and change it, all but the long parts', () => {
    const definitions = { project: [], task: [] };
    const { ExpressionAttributeValues: values } = updateOf({
      baselined: true,
      watermark: 7,
      sweptAt: 8,
      audit: { order: 'unknown', tail: undefined, seen: ['a'] },
      definitions,
      recent: [],
      missing: ['p1'],
      held: { since: 9, missing: 12 },
      released: false,
      reported: ['audit-denied'],
      announced: 10,
    });
    expect(values).toEqual({
      ':baselined': { BOOL: true },
      ':watermark': { N: '7' },
      ':sweptAt': { N: '8' },
      ':audit': { S: '{"order":"unknown","seen":["a"]}' },
      ':definitions': { B: expect.any(Uint8Array) },
      ':recent': { B: expect.any(Uint8Array) },
      ':missing': { S: '["p1"]' },
      ':held': { S: '{"since":9,"missing":12}' },
      ':released': { BOOL: false },
      ':reported': { S: '["audit-denied"]' },
      ':announced': { N: '10' },
    });
  });

  it('is updated in the parts that are named, and loses those that are undefined', () => {
    expect(updateOf({ watermark: 7, sweptAt: 8, audit: undefined, held: undefined })).toEqual({
      UpdateExpression: 'SET #watermark = :watermark, #sweptAt = :sweptAt REMOVE #audit, #held',
      ExpressionAttributeNames: {
        '#watermark': 'watermark',
        '#sweptAt': 'sweptAt',
        '#audit': 'audit',
        '#held': 'held',
      },
      ExpressionAttributeValues: { ':watermark': { N: '7' }, ':sweptAt': { N: '8' } },
    });
    expect(updateOf({ watermark: 7 }).UpdateExpression).toBe('SET #watermark = :watermark');
  });

  it('that only loses parts has no values: DynamoDB refuses an empty set of them', () => {
    expect(updateOf({ held: undefined })).toEqual({
      UpdateExpression: 'REMOVE #held',
      ExpressionAttributeNames: { '#held': 'held' },
    });
  });
});
