import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldRows } from '../../../console/model/field-rows.ts';
import { entryOf } from '../../../console/model/history.ts';
import { fieldChange, hostileEvent, taskEvent } from '../../kit/console/events.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 22, hour)).toISOString();
const NOW = Date.parse(at(20));
const event = (hour: number, type: string, changes: object[], task?: string) =>
  entryOf(
    taskEvent({
      ...{ id: `e${hour}`, at: at(hour), type, changes },
      ...(task !== undefined && { task: { id: task, name: `Task ${task}` } }),
    }),
  );
/** The rows as `field: value (begin in hours) …`. */
const shown = (entries: Parameters<typeof fieldRows>[0], isOfTask = false) => {
  const { rows = [], axis } = fieldRows(entries.toReversed(), isOfTask, NOW) ?? {};
  const hourOf = (place: number) => {
    const { since, size, count } = axis as NonNullable<typeof axis>;
    return Math.round((since + place * size * count - Date.parse(at(0))) / 360_000) / 10;
  };
  return rows.map(({ task, field, spans }) => {
    const texts = spans.map(({ text, from, id }) => `${text} (${id === undefined ? '…' : hourOf(from)})`);
    return `${[task, field].filter(Boolean).join(' › ')}: ${texts.join(' ')}`;
  });
};

describe("a project's fields over time", () => {
  it('have a row each, with their values from one change to the next, and the one before', () => {
    expect(
      shown([
        event(1, 'project.updated', [fieldChange('status', 'To do', 'In progress')]),
        event(3, 'project.updated', [fieldChange('budget', null, '5')]),
        event(5, 'project.updated', [fieldChange('status', 'In progress', 'Done')]),
      ]),
    ).toEqual(['Status: To do (…) In progress (1) Done (5)', 'Budget: undefined (…) 5 (3)']);
  });

  it('begin with a created record, and end with a deleted one; fields that were never updated have no row', () => {
    const created = [fieldChange('status', null, 'To do'), fieldChange('position', null, '1')];
    expect(
      shown([
        event(1, 'task.created', created, '7'),
        event(2, 'task.updated', [fieldChange('status', 'To do', 'Done')], '7'),
        event(4, 'task.deleted', [fieldChange('status', 'Done', null)], '7'),
        event(5, 'task.deleted', [], '8'),
      ]),
    ).toEqual([
      'Task 8: exists (…) deleted (5)',
      'Task 7: created (1) deleted (4)',
      'Task 7 › Status: To do (1) Done (2) undefined (4)',
    ]);
  });

  it('are those of the project first, then of the task that changed last; of a task alone without its name', () => {
    const change = [fieldChange('status', 'a', 'b')];
    const entries = [
      event(1, 'project.updated', change),
      event(2, 'task.updated', change, '8'),
      event(3, 'task.updated', change, '7'),
    ];
    expect(shown(entries)).toEqual([
      'Status: a (…) b (1)',
      'Task 7 › Status: a (…) b (3)',
      'Task 8 › Status: a (…) b (2)',
    ]);
    expect(shown(entries.slice(2), true)).toEqual(['Status: a (…) b (3)']);
  });

  it('are nothing without changes of fields', () => {
    expect(fieldRows([], false, NOW)).toBeUndefined();
    expect(fieldRows([event(1, 'project.updated', [])], false, NOW)).toBeUndefined();
  });

  it('fill their rows without overlap, whatever events hold', () => {
    fc.assert(
      fc.property(fc.array(hostileEvent, { maxLength: 8 }), fc.boolean(), (events, isOfTask) => {
        const entries = events.map(entryOf).toSorted((one, other) => other.line.at - one.line.at);
        const { rows } = fieldRows(entries, isOfTask, NOW) ?? { rows: [] };
        expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
        for (const { spans } of rows) {
          expect(spans.at(-1)?.to).toBe(1);
          for (const [index, { from, to }] of spans.entries()) {
            expect(from >= 0 && from <= to && to <= 1).toBe(true);
            if (index > 0) expect(from).toBe(spans[index - 1]?.to);
          }
        }
      }),
    );
  });
});
