import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '../../../console/model/csv.ts';
import {
  CSV_HEAD,
  changesOf,
  csvRows,
  entryOf,
  historyJson,
  summaryOf,
  summaryText,
  watchedText,
} from '../../../console/model/history.ts';
import { fieldChange, hostileEvent, taskEvent } from '../../kit/console/events.ts';

const task = { id: '12', name: 'Task 12' };
const at = (minute: number) => `2026-11-22T10:${String(minute).padStart(2, '0')}:00.000Z`;
const updated = (minute: number, ...changes: object[]) =>
  entryOf(taskEvent({ id: `e${minute}`, at: at(minute), task, changes }));
const ofTask = (minute: number, type: string, changes: object[] = []) =>
  entryOf(taskEvent({ id: `e${minute}`, at: at(minute), type, task, changes }));

describe('what changed since a time', () => {
  it('tells each field once, from what it was at first to what it is now', () => {
    const { projects } = summaryOf([
      updated(1, fieldChange('status', 'To do', 'In progress')),
      updated(2, fieldChange('status', 'In progress', 'Done'), fieldChange('dueDate', '1', '2')),
    ]);
    expect(projects[0]?.tasks[0]?.changes).toMatchObject([
      { label: 'Status', from: 'To do', to: 'Done' },
      { label: 'Due date', from: '1', to: '2' },
    ]);
  });

  it('does not tell what is again as it was', () => {
    const back = [
      updated(1, fieldChange('status', 'To do', 'Done')),
      updated(2, fieldChange('status', 'Done', 'To do')),
    ];
    expect(summaryOf(back).projects).toEqual([]);
  });

  it('tells a new task as it now is', () => {
    const { projects } = summaryOf([
      ofTask(1, 'task.created', [fieldChange('status', null, 'To do'), fieldChange('position', null, 4)]),
      updated(2, fieldChange('status', 'To do', 'Done')),
    ]);
    expect(projects[0]?.tasks[0]).toMatchObject({
      result: 'created',
      changes: [{ label: 'Status', to: 'Done' }],
    });
    expect(summaryText(summaryOf([]), 'Title')).toBe('Title\n\nNothing changed.\n');
  });

  it('counts what it shows, a field or a new or deleted record for one each, as a chat does', () => {
    const project = { id: '3', name: 'Project 3' };
    const summary = summaryOf([
      updated(
        1,
        fieldChange('status', 'To do', 'In progress'),
        fieldChange('dueDate', '1', '2'),
        fieldChange('name', 'a', 'b'),
      ),
      updated(2, fieldChange('status', 'In progress', 'Done')),
      entryOf(
        taskEvent({
          ...{ id: 'e3', at: at(3), type: 'task.created', task: { id: '13', name: 'New' } },
          changes: [fieldChange('status', null, 'To do'), fieldChange('dueDate', null, '1')],
        }),
      ),
      entryOf(taskEvent({ id: 'e4', at: at(4), project, changes: [fieldChange('status', 'To do', 'Done')] })),
    ]);
    expect(summary.projects.map(({ count }) => count)).toEqual([1, 4]);
    expect(summary.count).toBe(5);
    expect(
      changesOf(updated(1, fieldChange('status', '1', '2'), fieldChange('dueDate', '1', '2')).line),
    ).toBe(2);
    expect(changesOf(ofTask(1, 'task.created', [fieldChange('status', null, '1')]).line)).toBe(1);
    expect(
      changesOf(updated(1, ...Array.from({ length: 11 }, (_, n) => fieldChange(`f${n}`, '1', '2'))).line),
    ).toBe(11);
  });

  it('says since when it has watched, where the time to look at begins earlier', () => {
    const since = new Date(2026, 10, 23).getTime();
    const watched = (hour: number, day = 23) => new Date(2026, 10, day, hour, 12).toISOString();
    const now = new Date(2026, 10, 23, 20).getTime();
    expect(watchedText(watched(19), since, now)).toBe('today 19:12');
    expect(watchedText(watched(19, 23), since, now + 86_400_000)).toBe('2026-11-23 19:12');
    expect(watchedText(watched(19, 22), since, now)).toBeUndefined();
    expect(watchedText(undefined, since, now)).toBeUndefined();
  });

  it('says that a task is deleted, or came and went', () => {
    const fates = (...types: string[]) =>
      summaryOf(types.map((type, index) => ofTask(index, type))).projects[0]?.tasks[0]?.result;
    expect(fates('task.updated', 'task.deleted')).toBe('deleted');
    expect(fates('task.created', 'task.deleted')).toBe('passing');
    expect(fates('task.created', 'task.deleted', 'task.created')).toBe('created');
  });

  it('has the project that changed last on top', () => {
    const of = (id: string, minute: number) =>
      entryOf(
        taskEvent({
          id: `e${minute}`,
          at: at(minute),
          project: { id, name: `P${id}` },
          task,
          changes: [fieldChange('a', '1', '2')],
        }),
      );
    expect(summaryOf([of('1', 1), of('2', 2), of('1', 3)]).projects.map(({ id }) => id)).toEqual(['1', '2']);
  });

  it('reads as text that one may paste into a mail', () => {
    const entries = [
      entryOf(taskEvent({ id: 'e0', type: 'project.updated', changes: [fieldChange('budget', '1', '2')] })),
      updated(1, fieldChange('status', 'To do', 'Done')),
      entryOf({
        committedAt: at(2),
        event: { id: 'e2', type: 'source.recovered', data: { process: { id: 'launch' } } },
      }),
    ];
    expect(summaryText(summaryOf(entries), 'What changed in launch since Monday')).toBe(
      [
        'What changed in launch since Monday',
        '',
        'Onboarding',
        '  Budget: 1 → 2',
        '  - Task 12: Status: To do → Done',
        '',
        'Fields and the process',
        '  launch · Passes complete again. Changes of the interruption are emitted.',
        '',
      ].join('\n'),
    );
  });

  it('can be told of whatever events hold, as text, as CSV and as JSON', () => {
    fc.assert(
      fc.property(fc.array(hostileEvent, { maxLength: 8 }), events => {
        const entries = events.map(entryOf);
        const summary = summaryOf(entries);
        expect(summary.count).toBeGreaterThanOrEqual(summary.projects.length + summary.others.length);
        expect(summaryText(summary, 'Title')).toMatch(/^Title\n/);
        for (const row of csvRows(entries)) expect(row.length).toBe(CSV_HEAD.length);
        expect(csv(CSV_HEAD, csvRows(entries))).toMatch(/^\uFEFF"committed"/);
        expect(JSON.parse(historyJson(entries))).toHaveLength(events.length);
      }),
    );
  });
});

describe('what is saved', () => {
  it('has a row for each changed field, with whole values', () => {
    const long = 'x'.repeat(5_000);
    const rows = csvRows([
      updated(1, fieldChange('status', 'To do', long), fieldChange('teams', ['a', 'b'], { id: '1' })),
    ]);
    expect(rows.map(row => row.slice(6, 13))).toEqual([
      ['1', 'Onboarding', '12', 'Task 12', 'Status', 'To do', long],
      ['1', 'Onboarding', '12', 'Task 12', 'Teams', 'a, b', '{"id":"1"}'],
    ]);
  });

  it('says in each row who made the change', () => {
    const changes = [fieldChange('status', 'To do', 'Done'), fieldChange('due', null, '1')];
    const actors = [{ id: 'u-1', name: 'Ann Lee' }, { id: 'u-2' }];
    const rows = csvRows([entryOf(taskEvent({ task, changes, actors })), entryOf(taskEvent({ task }))]);
    expect(rows.map(row => row[CSV_HEAD.indexOf('made by')])).toEqual(['Ann Lee, u-2', 'Ann Lee, u-2', '']);
  });

  it('has one row for a record that came or went', () => {
    const rows = csvRows([
      ofTask(1, 'task.created', [fieldChange('a', null, '1'), fieldChange('b', null, '2')]),
    ]);
    expect(rows.map(row => row.slice(10, 13))).toEqual([['', '', 'created']]);
  });

  it('leaves whole records out of the JSON', () => {
    const record = { id: '12', secret: 'long' };
    const saved = JSON.parse(historyJson([entryOf(taskEvent({ task: { ...task, record } }))]));
    expect(saved[0].event.data.task).toEqual(task);
  });
});
