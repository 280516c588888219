import { describe, expect, it } from 'vitest';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import type { FieldChange } from '../../functions/model/event.ts';
import { builtIn, change, commitOf, field, shownOf } from '../kit/delivery/chat-batches.ts';

const shown = (one: ReturnType<typeof change>) =>
  (chatTopics(commitOf([one]))[0]?.records ?? []).flatMap(record => shownOf(record));

const created = (...fields: FieldChange[]) =>
  shown(change('t-1', 'Call', fields, { action: 'created' })).slice(1);

describe('a new record', () => {
  it('is told by its name alone when nothing of that is there', () => {
    expect(created(builtIn('id', 't-1'), builtIn('name', 'Call'), builtIn('position', 3))).toEqual([]);
  });

  it.each([
    ['assignees', [{ name: 'Anna' }, { name: 'Ben' }], 'Assignees: Anna, Ben'],
    ['assigned_to', 'Anna', 'Assigned to: Anna'],
    ['assignedTo', { displayName: 'Anna' }, 'Assigned to: Anna'],
    ['responsible', { fullName: 'Anna' }, 'Responsible: Anna'],
    ['owner', { label: 'Head', title: 'Lead' }, 'Owner: Lead'],
    ['owners', ['Anna', 7], 'Owners: Anna, 7'],
    ['due', '2026-12-08', 'Due: 2026-12-08'],
    ['due-on', '2026-12-08', 'Due on: 2026-12-08'],
    ['due_at', '2026-12-08', 'Due at: 2026-12-08'],
    ['DEADLINE', 1_764_547_200, 'DEADLINE: 1764547200'],
    ['status', { label: 'Open' }, 'Status: Open'],
    ['State', true, 'State: true'],
  ])('tells %s: %j', (property, value, line) => {
    expect(created(builtIn(property, value))).toEqual([line]);
  });

  it.each([
    [{ id: 'u-1' }],
    [[{ id: 'u-1' }]],
    [[{ name: 'Anna' }, { id: 'u-1' }]],
    [[['Anna']]],
    [{ name: '\u200B' }],
    [' \n'],
  ])('tells nothing of %j, which no person can read', value => {
    expect(created(builtIn('assignee', value))).toEqual([]);
  });

  it('tells of several names for the same the most usual, and of one without a readable value the next', () => {
    const owner = builtIn('owner', 'Ben');
    expect(created(owner, builtIn('assignee', 'Anna'))).toEqual(['Assignee: Anna']);
    expect(created(builtIn('assignee', { id: 'u-1' }), owner)).toEqual(['Owner: Ben']);
    expect(created(builtIn('state', 'Active'), builtIn('status', 'Open'))).toEqual(['Status: Open']);
  });

  it('tells custom fields that are known by the name that people see, too', () => {
    const due = field('Due date', null, '2026-12-08', { field: 'cf-12' });
    expect(created(builtIn('status', 'Open'), due)).toEqual(['Status: Open', 'Due date: 2026-12-08']);
  });

  it('tells three more custom fields by their names, and counts the others', () => {
    const custom = (name: string) => field(name, null, 'x');
    expect(created(custom('A'), builtIn('B', 'x'), custom('C'), custom('D'))).toEqual([
      'A: x',
      'C: x',
      'D: x',
    ]);
    expect(created(...['A', 'B', 'C', 'D', 'E'].map(custom), builtIn('status', 'Open'))).toEqual([
      ...['Status: Open', 'A: x', 'B: x', 'C: x'],
      'and 2 more fields',
    ]);
    const nested = field('A', null, { deep: [] });
    expect(created(nested, custom('B'))).toEqual(['B: x', 'and 1 more field']);
  });

  it('tells a custom field that is its name in the heading alone, and one with another value', () => {
    const named = (property: string, to: string) => field('Called', null, to, { field: property });
    expect(created(named('name', 'Call'))).toEqual([]);
    expect(created(named('title', 'Call'))).toEqual([]);
    expect(created(named('title', 'Dr'), named('topic', 'Call'))).toEqual(['Called: Dr', 'Called: Call']);
  });
});

it('a deleted record whose record found no room in the event is told by its name', () => {
  const [event] = commitOf([change('t-1', 'Call', [], { action: 'deleted' })]);
  const task = { id: 't-1', name: 'Call' };
  const cut = { ...event, data: { ...event?.data, task, truncated: ['record'] } };
  const [topic] = chatTopics([cut as never]);
  expect(topic?.records[0]).toMatchObject({ name: 'Call', fields: [], omitted: 0 });
});

it.each([
  ['dueDate', 'Due date'],
  ['due_date', 'Due date'],
  ['state', 'State'],
  ['step2Of3', 'Step2 of3'],
  ['isVIP', 'Is VIP'],
  ['externalURL', 'External URL'],
  ['Already Words', 'Already Words'],
  ['x.y', 'x.y'],
  ['_private', '_private'],
  ['größe', 'größe'],
  ['a--b', 'a--b'],
])('what a built-in field is called: %s is read as %s', (property, name) => {
  const told = shown(change('t-1', 'Call', [field('', 'a', 'b', { name: property, kind: 'builtin' })]));
  expect(told).toEqual([`Call · ${name}: a → b`]);
});

it('what a built-in field is called is the property, while a custom field keeps the name that people gave it', () => {
  expect(shown(change('t-1', 'Call', [field('dueDate', 'a', 'b')]))).toEqual(['Call · dueDate: a → b']);
});
