import { describe, expect, it } from 'vitest';
import { fitRecords, leftText, tallyOf, tallyText } from '../../functions/delivery/chat/chat-fit.ts';
import type { ChatRecord } from '../../functions/delivery/chat/chat-topic.ts';
import { chatTopics } from '../../functions/delivery/chat/chat-topics.ts';
import { linesOf, type RecordView, viewOf } from '../../functions/delivery/chat/chat-view.ts';
import { batches, change, commitOf, field, fieldsOf } from '../kit/delivery/chat-batches.ts';

const record = (more: Partial<ChatRecord> = {}): ChatRecord => ({
  entity: 'task',
  action: 'updated',
  id: 't1',
  name: 'Call',
  fields: [field('Status', 'Open', 'Done')],
  omitted: 0,
  isIncomplete: false,
  ...more,
});
const fields = (count: number, length = 1) =>
  Array.from({ length: count }, (_, index) => field(`F${index}`, 'a'.repeat(length), 'b'.repeat(length)));
const textOf = ({ heading, lines }: RecordView) => [heading, ...lines].flat().map(({ text }) => text);
const lengthOf = (view: RecordView) => textOf(view).join('').length;

it('a record counts as many changes in sight as it shows fields of an update, and as one otherwise', () => {
  const shownOf = (of: ChatRecord, lines: number) => viewOf(of, linesOf(of, { value: 60, lines })).shown;
  expect(shownOf(record({ fields: fields(3) }), 2)).toBe(2);
  expect(shownOf(record({ fields: [] }), 5)).toBe(1);
  expect(shownOf(record({ action: 'created', fields: fields(3) }), 2)).toBe(1);
  expect(shownOf(record({ action: 'deleted', fields: [] }), 5)).toBe(1);
});

it('a record shows a field without a name as such', () => {
  const odd = record({ fields: [field('\u200B', 'a', 'b')] });
  expect(textOf(viewOf(odd, linesOf(odd, { value: 60, lines: 5 }))).join('')).toBe('Call · (no name): a → b');
});

describe('records in little room', () => {
  const fit = (records: ChatRecord[], total: number, parts = 99) => {
    const fitted = fitRecords({ records }, { total, parts, write: view => view, size: lengthOf });
    return { views: fitted.parts, left: fitted.left.changes, shown: fitted.parts.map(({ shown }) => shown) };
  };
  /** The longest value that is shown. */
  const longest = (views: RecordView[]) =>
    Math.max(...views.flatMap(textOf).map(text => text.replaceAll(/[^ab]/g, '').length));

  it('are told at length as long as all fit, and not a character further', () => {
    const all = [record({ fields: fields(2, 400) })];
    const { views } = fit(all, 1e6);
    const total = lengthOf(views[0] as RecordView);
    expect(fit(all, total)).toEqual({ views, left: 0, shown: [2] });
    expect(longest(fit(all, total).views)).toBe(400);
    expect(longest(fit(all, total - 1).views)).toBeLessThan(160);
  });

  it.each([
    ['shorter values when more of them fit so, twelve', 4_200, 12, 159],
    ['short values when still more fit so, five', 1_000, 5, 59],
  ])('are told with %s of a record then', (_, room, count, length) => {
    const { views, shown } = fit([record({ fields: fields(20, 400) })], room);
    expect([shown, longest(views)]).toEqual([[count], length]);
  });

  it('are told without their links when more of them fit so, and only then', () => {
    const link = 'https://app.example.com/';
    const all = Array.from({ length: 3 }, (_, index) => record({ id: `${index}`, link }));
    const size = (view: RecordView) =>
      lengthOf(view) + ('link' in (view.heading[0] ?? {}) && view.heading[0]?.link ? 50 : 0);
    const links = (total: number) =>
      fitRecords({ records: all }, { total, parts: 99, write: view => view, size }).parts.map(
        ({ heading }) => heading[0]?.link,
      );
    const one = lengthOf(viewOf(record(), linesOf(record(), { value: 60, lines: 5 })));
    expect(links(3 * (one + 50))).toEqual([link, link, link]);
    expect(links(3 * (one + 50) - 1)).toEqual([undefined, undefined, undefined]);
    expect(links(one + 50)).toEqual([undefined, undefined, undefined].slice(0, Math.floor((one + 50) / one)));
  });

  it.each([160, 60])('keep their links where values of %i characters make room', limit => {
    const link = 'https://app.example.com/';
    const one = record({ link, fields: fields(1, 400) });
    const total = lengthOf(viewOf(one, linesOf(one, { value: limit, lines: 5 })));
    const room = { total, parts: 1, write: (view: RecordView) => view, size: lengthOf };
    const { parts } = fitRecords({ records: [one] }, room);
    expect(parts.map(({ heading }) => heading[0]?.link)).toEqual([link]);
  });

  it('without their links are told with short values, five of a record', () => {
    const [bare, linked] = [undefined, 'https://app.example.com/'].map(link =>
      record({ link, fields: fields(20, 400) }),
    ) as [ChatRecord, ChatRecord];
    const total = lengthOf(viewOf(bare, linesOf(bare, { value: 60, lines: 5 })));
    const size = (view: RecordView) => lengthOf(view) + (view.heading[0]?.link?.length ?? 0);
    const { parts } = fitRecords({ records: [linked] }, { total, parts: 1, write: view => view, size });
    expect(parts.map(({ shown, heading }) => [shown, heading[0]?.link])).toEqual([[5, undefined]]);
    expect(longest(parts)).toBe(59);
  });

  it('are told in part when not even that fits', () => {
    const { shown, left } = fit([record({ fields: fields(20, 400) })], 500);
    expect([shown, left]).toEqual([[3], 17]);
  });

  it('end with the first that finds no room, and are no more than the parts that a message has', () => {
    const [short, long] = [record(), record({ name: 'x'.repeat(200) })];
    expect(fit([short, long, short], 100)).toMatchObject({ shown: [1], left: 2 });
    expect(fit([short, short, short], 1e6, 2)).toMatchObject({ shown: [1, 1], left: 1 });
  });
});

describe('a tally', () => {
  it('is of what is left: a record that is shown whole is not in it', () => {
    const tasks = ['t1', 't2'].map(id => record({ id, fields: fields(2) }));
    const all = [record({ entity: 'project', id: 'p', fields: fields(2) }), ...tasks];
    const left = { changes: 1, tasks: 1, fields: 0, hasProject: false, noun: 'change' };
    expect(tallyOf(all, [2, 2, 1])).toEqual(left);
    expect(tallyOf(all)).toEqual({ changes: 6, tasks: 2, fields: 0, hasProject: true, noun: 'change' });
  });

  it('counts the fields of projects and of tasks together', () => {
    const all = [record({ entity: 'project field', id: 'a' }), record({ entity: 'task field', id: 'a' })];
    expect(tallyText(tallyOf(all))).toBe('2 changes in 2 fields');
  });

  it('reads well for one and for many', () => {
    expect(leftText(tallyOf([record()]))).toBe('and 1 more change in 1 task is not shown');
    expect(leftText(tallyOf([record({ fields: fields(2) })]))).toBe(
      'and 2 more changes in 1 task are not shown',
    );
  });
});

describe('a topic', () => {
  const [created] = fieldsOf([], [{ externalId: '\u200B', name: '\u200B', type: 'text' }]);

  it('of a field that was restored says so, and names one without any name as such', () => {
    const old = { externalId: 'note', name: 'Note', type: 'text', archived: true };
    const [topic] = chatTopics(fieldsOf([old], [{ ...old, archived: false }]));
    expect(topic?.records[0]?.fields.map(({ name, to }) => [name, to])).toEqual([['Archived', false]]);
    expect(created && chatTopics([created])[0]?.records[0]?.name).toBe('(no name)');
  });

  it('of a new field tells its name again only where the heading has not all of it', () => {
    const told = (name: string, externalId = 'note') =>
      chatTopics(fieldsOf([], [{ externalId, name, type: 'text' }]))[0]?.records[0]?.fields.map(
        change => change.name,
      );
    expect(told('Note')).toEqual(['Type']);
    expect(told('קריאה')).toEqual(['Type']);
    expect(told('\u200B')).toEqual(['Name', 'Type']);
    expect(told('\u200B', '\u200B')).toEqual(['Type']);
    expect(told('x'.repeat(120))).toEqual(['Type']);
    expect(told('x'.repeat(121))).toEqual(['Name', 'Type']);
  });

  it('of a field that changed tells also what its heading has', () => {
    const before = { externalId: 'number', name: 'Count', type: 'text' };
    const [topic] = chatTopics(fieldsOf([before], [{ ...before, name: 'number', type: 'number' }]));
    expect(topic?.records[0]?.fields.map(({ name, to }) => [name, to])).toEqual([
      ['Name', 'number'],
      ['Type', 'number'],
    ]);
  });

  it('has the project’s last name that can be seen', () => {
    const titleOf = (...names: string[]) =>
      chatTopics(
        names.flatMap((name, index) => commitOf([change('t', 'T', [])], { name, version: 1e12 + index })),
      )[0]?.title;
    expect(titleOf('Old', 'New')).toBe('New');
    expect(titleOf('Old', '\u200B')).toBe('Old');
    expect(titleOf('Old', '')).toBe('Old');
  });

  it('has a title of 140 characters at most, also when it is the project’s id', () => {
    const [topic] = chatTopics(commitOf([change('t', 'T', [])], { name: '', projectId: 'x'.repeat(200) }));
    expect(topic?.title).toBe(`Project ${'x'.repeat(131)}…`);
  });

  it('names a record by its id when it has no name, and says when it has neither', () => {
    const names = (id: string, record: { name?: string }) =>
      chatTopics(commitOf([change(id, '', [], { record })]))[0]?.records.map(({ name }) => name);
    expect(names('t-1', {})).toEqual(['t-1']);
    expect(names('t-1', { name: '\u200B' })).toEqual(['t-1']);
    expect(names('\u200B', {})).toEqual(['(no name)']);
  });

  it('spans the observations of all its events; none is told when one can not be read', () => {
    const [first, second] = commitOf([change('t1', 'T', []), change('t2', 'T', [])]);
    const at = (event: unknown, after: string, before: string) => {
      const { data, ...rest } = event as { data: object };
      return { ...rest, data: { ...data, observed: { after, before } } } as never;
    };
    const times = [12, 13, 14].map(hour => `2026-11-21T${hour}:00:00Z`);
    const [one, two, three] = times as [string, string, string];
    const observed = { after: Date.parse(one), before: Date.parse(three) };
    expect(chatTopics([at(first, one, two), at(second, two, three)])[0]?.observed).toEqual(observed);
    expect(chatTopics([at(first, two, three), at(second, one, two)])[0]?.observed).toEqual(observed);
    expect(chatTopics([at(first, 'x', two)])[0]?.observed).toBeUndefined();
    expect(chatTopics([at(first, one, 'y')])[0]?.observed).toBeUndefined();
  });

  it('of a hold without a reason tells what to do all the same', () => {
    const [held] = batches.held ?? [];
    const silent = { ...held, data: { ...held?.data, reason: '\u200B' } };
    expect(chatTopics([silent as never])[0]?.note).toBe('An operator must review them.');
  });

  it('of a source that names no workspace is told without one', () => {
    const [event] = commitOf([change('t', 'T', [])]);
    expect(chatTopics([{ ...event, source: 'x' } as never])[0]?.origin).toBe(
      'process customer-projects · workspace ',
    );
  });
});
