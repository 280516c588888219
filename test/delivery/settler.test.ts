import { describe, expect, it } from 'vitest';
import { BatchTally, type Delivery } from '../../functions/delivery/settler.ts';
import { AT } from '../kit/delivery/setting.ts';

const held = (name: string, more: Partial<Delivery> = {}): Delivery => ({
  ...{ id: `m-${name}`, eventId: name, body: 'hush', at: AT, endpoint: 'crm', attributes: {} },
  ...more,
});

function told(tally: BatchTally): object[] {
  const lines: object[] = [];
  const log = { info: (message: string, details?: object) => void lines.push({ message, ...details }) };
  tally.report({ ...log, warn: log.info, error: log.info }, { endpoint: 'crm', ms: 120 });
  return lines;
}
const line = (outcome: string, events: readonly string[], attempts = 0) => ({
  ...{ message: 'Delivery batch ended.', code: 'delivery.batch-ended', endpoint: 'crm', ms: 120 },
  ...{ outcome, attempts, events },
});

describe('the line of a delivery batch', () => {
  it('tells the endpoint, the one outcome, the attempts, and which events', () => {
    const tally = new BatchTally();
    for (const name of ['a', 'b']) {
      tally.tried([held(name)], AT, true);
      tally.note('delivered', [held(name)]);
    }
    expect(told(tally)).toEqual([line('delivered', ['a', 'b'], 2)]);
  });

  it('counts several outcomes, and has the ids in their order', () => {
    const tally = new BatchTally();
    const statuses: [string, Parameters<BatchTally['note']>[0]][] = [
      ['a', 'delivered'],
      ['b', 'waiting'],
      ['c', 'delivered'],
    ];
    for (const [name, status] of statuses) tally.note(status, [held(name)]);
    expect(told(tally)).toEqual([line('2 delivered, 1 waiting', ['a', 'c', 'b'])]);
  });

  it('is none where nothing was to be delivered', () => {
    expect(told(new BatchTally())).toEqual([]);
  });
});

it('the time from a commit to the first attempt is that of each new delivery, and never below 0: versions may be ahead of the clock', () => {
  const tally = new BatchTally();
  tally.tried([held('a'), held('b', { at: AT + 400 })], AT + 1_500, true);
  tally.tried([held('c', { at: AT + 1 })], AT, true);
  expect(tally.values.FirstAttemptLag).toEqual([1_500, 1_100, 0]);
});

it.each([
  ['was tried before', held('a', { triedAt: AT }), true],
  ['was asked for once more', held('a', { replay: true }), true],
  ['waited because of its endpoint', held('a'), false],
])('the time from a commit to the first attempt is not that of what %s', (_, delivery, isNew) => {
  const tally = new BatchTally();
  tally.tried([delivery], AT + 1_500, isNew);
  expect(tally.values.FirstAttemptLag).toEqual([]);
});
