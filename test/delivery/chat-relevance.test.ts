import { describe, expect, it } from 'vitest';
import { sentenceOf } from '../../functions/delivery/chat/chat-sentence.ts';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import type { FieldChange } from '../../functions/model/event.ts';
import { batches, builtIn, change, commitOf, field, shownOf } from '../kit/delivery/chat-batches.ts';

const text = (name: string, more: Partial<FieldChange> = {}) =>
  field(name, 'a', 'b', { type: 'text', ...more });
const date = (name: string) => text(name, { type: 'date' });
const topicOf = (changes: ReturnType<typeof change>[]) => chatTopics(commitOf(changes))[0];

/** The names of the fields of one changed record, as a message shows them. */
const shown = (...fields: FieldChange[]) =>
  topicOf([change('t', 'Call', fields)])?.records[0]?.fields.map(({ name }) => name);

describe('the changes of a record in a chat', () => {
  it.each<[FieldChange, place: 'status' | 'owner' | 'due' | 'date' | 'other']>([
    [text('STATE'), 'status'],
    [text('projectPhase'), 'status'],
    [text('Sales-stage'), 'status'],
    [text('Stufe', { field: 'order_status' }), 'status'],
    [text('Statuses'), 'other'],
    [text('Estate'), 'other'],
    [builtIn('assignedTo', 'Ann'), 'owner'],
    [text('Responsible (legal)'), 'owner'],
    [text('Product owner'), 'owner'],
    [text('Ownership'), 'other'],
    [date('Due date'), 'due'],
    [builtIn('dueAt', '2026-12-01'), 'due'],
    [text('duedate'), 'due'],
    [date('Deadline of the owner'), 'date'],
    [date('Status since'), 'date'],
    [date('Begin'), 'date'],
    [text('Start date'), 'other'],
  ])('are shown in the order of status, owner, due date, date, other: %j is the %s', (one, place) => {
    const rivals = [text('Status'), text('Owner'), text('Due'), date('Z'), text('Q')];
    const names = shown(...rivals.toReversed(), one) ?? [];
    expect(names.filter(name => name !== one.name)).toEqual(['Status', 'Owner', 'Due', 'Z', 'Q']);
    const index = ['status', 'owner', 'due', 'date', 'other'].indexOf(place) + 1;
    expect(names.indexOf(one.name)).toBe(index);
  });

  it('begin with the record that has the first of them, and keep those of a record together', () => {
    const records = topicOf([
      change('p-1042', 'Website', [text('Budget')], { entity: 'project' }),
      change('t-1', 'One', [text('Note')]),
      change('t-2', 'Two', [text('Note'), date('Due date')]),
      change('t-3', 'Three', [text('Owner')]),
      change('t-1', 'One', [text('Status')]),
      change('t-4', 'Four', [], { action: 'deleted' }),
    ])?.records;
    expect(records?.map(record => shownOf(record)[0])).toEqual([
      ...['One · Note: a → b', 'One · Status: a → b', 'Four · task deleted', 'Three · Owner: a → b'],
      ...['Two · task updated', 'The project · Budget: a → b'],
    ]);
  });

  it('give the notification its change, whatever comes first by the alphabet', () => {
    const changes = [
      change('t-1', 'One', [text('Amount')]),
      change('t-2', 'Two', [text('Budget'), field('Status', 'Open', 'Done')]),
    ];
    const topic = topicOf(changes);
    expect(topic && sentenceOf(topic)).toBe(
      'Task "Two" in "Website relaunch": Status Open → Done, and 2 more changes',
    );
  });

  it('of definitions keep their order', () => {
    const [topic] = chatTopics(batches.fields ?? []);
    const ids = (batches.fields ?? []).map(({ data }) => ('field' in data ? data.field.externalId : ''));
    expect(topic?.records.map(({ id }) => id)).toEqual(ids);
  });
});
