import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeLine } from '../../../console/model/change-line.ts';
import { whoChanged } from '../../../console/model/who.ts';
import { fieldChange, hostileEvent, taskEvent } from '../../kit/console/events.ts';

const ann = { id: 'u-1', name: 'Ann Lee' };
const bot = { id: 'u-2' };
const changed = (fields: readonly string[], actors?: readonly object[], type = 'task.updated') =>
  changeLine(
    taskEvent({
      ...{ type, changes: fields.map(field => fieldChange(field, '1', '2')) },
      ...(actors && { actors }),
    }),
  );

describe('who changed what', () => {
  it('counts the fields that each actor changed, and the records that each created or deleted', () => {
    const who = whoChanged([
      changed(['status', 'dueDate'], [ann]),
      changed(['status'], [ann, bot]),
      changed(['status', 'note'], [bot], 'task.created'),
      changed(['status']),
    ]);
    expect(who?.subjects.map(({ text }) => text)).toEqual(['Status', 'Due date', 'created']);
    expect(who?.actors).toEqual([
      { id: 'u-1', name: 'Ann Lee', counts: [2, 1, 0], sum: 3 },
      { id: 'u-2', name: 'u-2', counts: [1, 0, 1], sum: 2 },
    ]);
    expect([who?.changes, who?.known, who?.left]).toEqual([4, 3, 0]);
  });

  it('is nothing where no actor is known', () => {
    expect(whoChanged([changed(['status']), changed(['status'], [])])).toBeUndefined();
    expect(whoChanged([])).toBeUndefined();
  });

  it('adds up in each row, whatever events hold: rare fields together, rare actors left out', () => {
    fc.assert(
      fc.property(fc.array(hostileEvent, { maxLength: 12 }), events => {
        const who = whoChanged(events.map(changeLine));
        for (const { counts, sum } of who?.actors ?? []) {
          expect(counts).toHaveLength(who?.subjects.length ?? 0);
          expect(counts.reduce((total, one) => total + one, 0)).toBe(sum);
        }
        expect(who?.actors.length ?? 0).toBeLessThanOrEqual(6);
        expect(who?.subjects.length ?? 0).toBeLessThanOrEqual(7);
      }),
    );
  });
});
