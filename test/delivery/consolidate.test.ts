import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../functions/basics/json.ts';
import { consolidate } from '../../functions/delivery/chat/consolidate.ts';
import type { ChangeEvent, FieldChange, FieldEvent, TaskEvent } from '../../functions/model/event.ts';
import { change, commitOf, field, fieldsOf } from '../kit/delivery/chat-batches.ts';
import { histories } from '../kit/delivery/histories.ts';
import { readDocument } from '../kit/docs/documents.ts';
import { applyEvents, isRecordEvent } from '../kit/told.ts';

const VERSION = Date.UTC(2026, 10, 23, 9);
describe('consolidated events', () => {
  it('lead from the state before to the state after, in any order, each record once, and no field that went back', () => {
    fc.assert(
      fc.property(histories, ({ before, events }) => {
        const { events: sum, changes, takenBack } = consolidate(events);
        const records = sum.filter(isRecordEvent as (event: unknown) => event is TaskEvent);
        expect(applyEvents(before, records)).toEqual(applyEvents(before, events));
        const fields = records.flatMap(({ type, data }) => (type.endsWith('updated') ? data.changes : []));
        expect(fields.filter(({ from, to }) => from === to)).toEqual([]);
        const keys = records.map(
          ({ type, data }) => `${data.project.id} ${data.task.id} ${type === 'task.deleted'}`,
        );
        expect(new Set(keys).size).toBe(keys.length);
        expect(takenBack).toBeLessThanOrEqual(changes);
        if (sum.length === 0) expect(takenBack).toBe(changes);
      }),
      { numRuns: 100 },
    );
  });

  const edits = (...texts: [name: string, from: Json, to: Json, more?: Partial<FieldChange>][]) =>
    texts.flatMap((each, index) =>
      commitOf([change('t', 'Task', [field(...each)])], { version: VERSION + index }),
    );
  const first = (events: readonly ChangeEvent[]) => consolidate(events).events[0] as TaskEvent;

  it('count what was taken back, and keep the rest', () => {
    const events = edits(
      ['Status', 'Open', 'Done'],
      ['Note', '', 'x'],
      ['Status', 'Done', 'Open'],
      ['Note', 'x', 'y'],
    );
    expect(consolidate(events)).toMatchObject({ changes: 4, takenBack: 2 });
    expect(first(events).data.changes).toMatchObject([{ field: 'note', from: '', to: 'y' }]);
  });

  it('leave what fell due beside the changes of its record', () => {
    const due = JSON.parse(readDocument('docs/examples/task.due.json')) as ChangeEvent;
    const { project, task } = (due as TaskEvent).data;
    const changed = edits(['Note', '', 'x'], ['Note', 'x', '']).map(event => ({
      ...event,
      source: due.source,
      data: { ...(event as TaskEvent).data, project, task },
    })) as ChangeEvent[];
    expect(consolidate([...changed, due])).toMatchObject({ events: [due], changes: 3, takenBack: 2 });
  });

  it('take values for one that mean the same: choices in another order, a number in another form, empty values', () => {
    const choice = { type: 'multiple-choice' };
    const all = [
      ...edits(['A', ['x', 'y'], ['z'], choice], ['A', ['z'], ['y', 'x'], choice]),
      ...edits(['B', '1.0', '2', { type: 'number' }], ['B', '2', '1', { type: 'number' }]),
      ...edits(['C', '', 'x'], ['C', 'x', null]),
    ];
    expect(consolidate(all).events).toEqual([]);
    const [moved] = first(edits(['A', ['x'], ['y'], choice], ['A', ['y'], ['y', 'z'], choice])).data.changes;
    expect(moved).toMatchObject({ from: ['x'], to: ['y', 'z'], added: ['y', 'z'], removed: ['x'] });
  });

  it('span all observations, name all users, and say where some are unknown', () => {
    const ann = { id: 'u-1', name: 'Ann' };
    const at = (version: number, actors: { id: string; name: string }[]) =>
      commitOf([change('t', 'Task', [field('Note', String(version), String(version + 1))])], {
        version,
        actors: actors.length > 0 ? { t: actors } : {},
      });
    const ben = { id: 'u-2', name: 'Ben' };
    expect(first([...at(VERSION, [ann]), ...at(VERSION + 1, [ben, ann])]).data.actors).toEqual([ann, ben]);
    const iso = (seconds: number) => new Date(VERSION + seconds * 1000).toISOString();
    const spans = [
      { after: iso(2), before: iso(3) },
      { after: iso(1), before: iso(4) },
      { after: iso(3), before: iso(3) },
    ];
    const seen = spans.flatMap((observed, index) =>
      (at(VERSION + index, []) as TaskEvent[]).map(event => ({
        ...event,
        data: { ...event.data, observed },
      })),
    );
    expect(first(seen).data.observed).toEqual({ after: iso(1), before: iso(4) });
    const { actors } = first([...at(VERSION, [ann]), ...at(VERSION + 1, [])]).data;
    expect(actors).toEqual([ann, { id: '', name: 'unknown' }]);
  });

  it('keep a record whose events lack changes, though the others went back', () => {
    const [one, two] = edits(['A', 'x', 'y'], ['A', 'y', 'x']) as [TaskEvent, TaskEvent];
    const cut = { ...two, data: { ...two.data, truncated: ['changes'] } };
    expect(first([one, cut]).data).toMatchObject({ changes: [], truncated: ['changes'] });
  });

  it('keep a value that was cut off: its end, which may differ, is unknown', () => {
    const texts = ['a', 'b', 'c'].map(end => 'x'.repeat(250_000) + end) as [string, string, string];
    const all = edits(['Note', texts[0], texts[1]], ['Note', texts[1], texts[2]]);
    expect(consolidate(all)).toMatchObject({
      events: [{ data: { changes: [{ field: 'note' }] } }],
      takenBack: 0,
    });
  });

  it('are one of a field, too: its type by what changed, its choices as added and removed', () => {
    const choices = (options: string[], archived = false) => ({
      externalId: 'f',
      name: 'F',
      type: 'single-choice',
      options,
      archived,
    });
    const steps = [choices(['a']), choices(['b']), choices(['b', 'c']), choices(['b', 'c'], true)];
    const events = steps
      .slice(1)
      .flatMap((now, index) => fieldsOf([steps[index] as never], [now], { version: VERSION + index }));
    const changes = (count: number) => consolidate(events.slice(0, count)).events as FieldEvent[];
    expect(changes(2)).toMatchObject([
      { type: 'field.updated', data: { changes: [{ field: 'options', added: ['b', 'c'], removed: ['a'] }] } },
    ]);
    expect(changes(3)).toMatchObject([{ type: 'field.archived' }]);
  });
});
