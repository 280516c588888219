import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csv } from '../../../console/model/csv.ts';
import {
  CSV_HEAD,
  changeGroups,
  changesOf,
  csvRows,
  entriesOf,
  entryOf,
  exportMark,
  historyJson,
  historyText,
  matchingGroups,
  watchedTexts,
} from '../../../console/model/history.ts';
import { EVERYTHING, lineMatcher } from '../../../console/model/line-filter.ts';
import { lineText } from '../../../console/model/line-text.ts';
import { fieldChange, hostileEvent, taskEvent } from '../../kit/console/events.ts';

const task = { id: '12', name: 'Task 12' };
const at = (minute: number) => `2026-11-22T10:${String(minute).padStart(2, '0')}:00.000Z`;
/** An entry of this minute; of the task, unless it is of another or of a project. */
const entryAt = (minute: number, part: Parameters<typeof taskEvent>[0]) =>
  entryOf(taskEvent({ id: `e${minute}`, at: at(minute), ...part }));
const ofTask = (minute: number, type: string, changes: object[] = []) =>
  entryAt(minute, { type, task, changes });
const updated = (minute: number, ...changes: object[]) => ofTask(minute, 'task.updated', changes);

const ann = { id: 'u-1', name: 'Ann Lee' };
const bob = { id: 'u-2', name: 'Bob' };
const linesOf = (entries: Parameters<typeof changeGroups>[0]) =>
  changeGroups(entries).flatMap(({ lines }) => lines);

describe('what changed since a time', () => {
  it('has each field once, from its first value to its last, with the last event and all who changed it', () => {
    const by = (minute: number, actors: object[], from: string, to: string) =>
      entryAt(minute, { task, actors, changes: [fieldChange('status', from, to)] });
    const lines = linesOf([
      by(1, [ann], 'To do', 'In progress'),
      by(2, [bob], 'In progress', 'Blocked'),
      by(3, [ann], 'Blocked', 'Done'),
      updated(4, fieldChange('dueDate', '1', '2')),
    ]);
    expect(lines).toMatchObject([
      {
        ...{ id: 'e3', at: Date.parse(at(3)), by: 'Ann Lee and Bob' },
        changes: [{ label: 'Status', from: 'To do', to: 'Done' }],
      },
      { id: 'e4', by: undefined, changes: [{ label: 'Due date', from: '1', to: '2' }] },
    ]);
  });

  it('leaves out a field that has its first value again', () => {
    const back = [
      updated(1, fieldChange('status', 'To do', 'Done')),
      updated(2, fieldChange('status', 'Done', 'To do')),
    ];
    expect(changeGroups(back)).toEqual([]);
  });

  it('has a new task in one line, with its last values', () => {
    const lines = linesOf([
      ofTask(1, 'task.created', [fieldChange('status', null, 'To do'), fieldChange('position', null, 4)]),
      updated(2, fieldChange('status', 'To do', 'Done')),
    ]);
    const changes = [{ label: 'Status', to: 'Done' }];
    expect(lines).toMatchObject([{ id: 'e1', action: 'created', changes }]);
    expect(historyText([], 'Title')).toBe('Title\n\nNothing changed.\n');
  });

  it('has a line for each change: a field, or a new or deleted record, as a chat counts', () => {
    const project = { id: '3', name: 'Project 3' };
    const [status, due] = [fieldChange('status', 'To do', 'Done'), fieldChange('dueDate', '1', '2')];
    const groups = changeGroups([
      updated(1, fieldChange('status', 'To do', 'In progress'), due, fieldChange('name', 'a', 'b')),
      updated(2, fieldChange('status', 'In progress', 'Done')),
      entryAt(3, {
        ...{ type: 'task.created', task: { id: '13', name: 'New' } },
        changes: [fieldChange('status', null, 'To do'), fieldChange('dueDate', null, '1')],
      }),
      entryAt(4, { project, changes: [status] }),
      entryAt(5, { type: 'task.due', task }),
    ]);
    expect(groups.map(({ lines }) => lines.length)).toEqual([5, 1]);
    expect(changesOf(updated(1, status, due).line)).toBe(2);
    expect(changesOf(ofTask(1, 'task.created', [fieldChange('status', null, '1')]).line)).toBe(1);
    const many = Array.from({ length: 11 }, (_, n) => fieldChange(`f${n}`, '1', '2'));
    expect(changesOf(updated(1, ...many).line)).toBe(11);
  });

  it('is filtered by a field, a person and words, and loses the groups that have nothing left', () => {
    const groups = changeGroups([
      updated(1, fieldChange('status', 'To do', 'Done'), fieldChange('dueDate', '1', '2')),
      entryAt(2, {
        ...{ project: { id: '3', name: 'Project 3' }, actors: [ann, bob] },
        changes: [fieldChange('status', 'To do', 'Done')],
      }),
    ]);
    const found = (part: object) =>
      matchingGroups(groups, lineMatcher({ ...EVERYTHING, ...part })).map(
        ({ project, lines }) => `${project?.id}: ${lines.map(({ changes }) => changes[0]?.field)}`,
      );
    expect(found({ field: 'due' })).toEqual(['1: dueDate']);
    expect(found({ person: ' bob' })).toEqual(['3: status']);
    expect(found({ words: 'done task 12' })).toEqual(['1: status']);
    expect(found({ type: 'project' })).toEqual([]);
    expect(found({ type: 'task.updated' })).toEqual(['3: status', '1: status,dueDate']);
  });

  it('names since when processes have been polled, if that is later', () => {
    const since = new Date(2026, 10, 23).getTime();
    const watched = (process: string, hour: number, day = 23) => ({
      process,
      watchedSince: new Date(2026, 10, day, hour, 12).toISOString(),
    });
    const now = new Date(2026, 10, 23, 20).getTime();
    const before = [watched('c', 19, 22), { process: 'd' }];
    expect(watchedTexts([watched('a', 19), watched('b', 19), ...before], since, now)).toEqual([
      'a and b have been polled since today 19:12.',
    ]);
    expect(watchedTexts([watched('a', 19), watched('b', 7)], since, now + 86_400_000)).toEqual([
      'a has been polled since 2026-11-23 19:12.',
      'b has been polled since 2026-11-23 07:12.',
    ]);
    expect(watchedTexts(before, since, now)).toEqual([]);
  });

  it('has one line for a task that was deleted, or created and deleted; two for one that was created again', () => {
    const open = [fieldChange('status', null, 'Open'), fieldChange('position', null, 4)];
    const results = (...types: string[]) =>
      linesOf(types.map((type, index) => ofTask(index, type, type === 'task.created' ? open : []))).map(
        ({ id, action, note }) => [id, action, note],
      );
    expect(results('task.updated', 'task.deleted')).toEqual([['e1', 'deleted', undefined]]);
    expect(results('task.created', 'task.deleted')).toEqual([['e1', 'deleted', 'created and deleted']]);
    expect(results('task.created', 'task.deleted', 'task.created')).toEqual([['e2', 'created', undefined]]);
    const again = results('task.deleted', 'task.created');
    expect(again.map(([id, action]) => [id, action])).toEqual([
      ['e0', 'deleted'],
      ['e1', 'created'],
    ]);
    const status = fieldChange('status', 'Open', 'Done');
    const before = [updated(0, fieldChange('dueDate', '1', '2')), ofTask(1, 'task.deleted')];
    const lines = linesOf([...before, ofTask(2, 'task.created', open), updated(3, status)]);
    expect(lines.map(lineText)).toEqual([
      'Onboarding › Task 12 · deleted',
      'Onboarding › Task 12 · created, Status: Done',
    ]);
  });

  it('has the project that changed last on top, those of different processes apart', () => {
    const changes = [fieldChange('a', '1', '2')];
    const of = (id: string, minute: number, process = 'launch') =>
      entryAt(minute, { process, task, project: { id, name: `P${id}` }, changes });
    const groups = changeGroups([of('1', 1), of('2', 2), of('1', 3), of('1', 4, 'onboarding')]);
    expect(groups.map(({ process, project }) => `${process} ${project?.id}`)).toEqual([
      ...['onboarding 1', 'launch 1', 'launch 2'],
    ]);
  });

  it('is text for a mail, a line for each change', () => {
    const recovered = { id: 'e2', type: 'source.recovered', data: { process: { id: 'launch' } } };
    const changes = [fieldChange('budget', '1', '2')];
    const entries = [
      entryAt(0, { type: 'project.updated', actors: [ann], changes }),
      updated(1, fieldChange('status', 'To do', 'Done'), fieldChange('name', 'a', 'b')),
      entryOf({ committedAt: at(2), event: recovered }),
    ];
    expect(historyText(changeGroups(entries), 'What changed since Monday', true)).toBe(
      [
        'What changed since Monday',
        '',
        'Fields and the process (launch)',
        '  launch · Passes complete again. Changes of the interruption are emitted.',
        '',
        'Onboarding (onboarding)',
        '  Budget: 1 → 2 · by Ann Lee',
        '  - Task 12: Status: To do → Done',
        '  - Task 12: Name: a → b',
        '',
      ].join('\n'),
    );
  });

  it('has a line of its own for each change, whatever events hold; and text, CSV and JSON', () => {
    fc.assert(
      fc.property(fc.array(hostileEvent, { maxLength: 8 }), events => {
        const entries = events.map(entryOf);
        const groups = changeGroups(entries);
        for (const { lines } of groups) {
          expect(lines).not.toEqual([]);
          for (const { id } of lines) expect(events.map(({ event }) => event.id)).toContain(id);
        }
        expect(matchingGroups(groups, lineMatcher(EVERYTHING))).toEqual(groups);
        expect(historyText(groups, 'Title')).toMatch(/^Title\n/);
        for (const row of csvRows(entries)) expect(row.length).toBe(CSV_HEAD.length);
        expect(csv(CSV_HEAD, csvRows(entries))).toMatch(/^\uFEFF"committed"/);
        expect(JSON.parse(historyJson(entries))).toHaveLength(events.length);
      }),
    );
  });
});

describe('what is saved', () => {
  it('has the events of the shown changes, also of a field that their lines leave out', () => {
    const many = Array.from({ length: 12 }, (_, n) => fieldChange(`f${n}`, '1', `to ${n}`));
    const status = (from: string, to: string) => fieldChange('status', from, to);
    const ofProcess = (minute: number, name: string) => {
      const { event, ...rest } = taskEvent({ id: `e${minute}`, at: at(minute), type: 'field.created' });
      const field = { externalId: name, name, of: 'project', type: 'text' };
      const data = { process: { id: 'onboarding' }, field };
      return entryOf({ ...rest, event: { ...event, data } } as never);
    };
    const entries = [
      updated(1, ...many),
      updated(2, status('Open', 'Blocked')),
      updated(3, status('Blocked', 'Done')),
      ofProcess(4, 'Budget'),
      ofProcess(5, 'Risk'),
    ];
    const saved = (part: object) => {
      const shown = matchingGroups(changeGroups(entries), lineMatcher({ ...EVERYTHING, ...part }));
      return entriesOf(shown, entries).map(({ line }) => line.id);
    };
    expect(saved({ field: 'f11' })).toEqual(['e1']);
    expect(saved({ words: 'open done' })).toEqual(['e2', 'e3']);
    expect(saved({ words: 'budget' })).toEqual(['e4']);
  });

  it('is complete, or marked: not before all is read', () => {
    expect((['reading', 'all', 'cut'] as const).map(exportMark)).toEqual([undefined, '', 'partial']);
  });

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
    const actors = [ann, { id: 'u-2' }];
    const rows = csvRows([entryOf(taskEvent({ task, changes, actors })), entryOf(taskEvent({ task }))]);
    expect(rows.map(row => row[CSV_HEAD.indexOf('made by')])).toEqual(['Ann Lee, u-2', 'Ann Lee, u-2', '']);
  });

  it('has one row for a record that came or went', () => {
    const changes = [fieldChange('a', null, '1'), fieldChange('b', null, '2')];
    const rows = csvRows([ofTask(1, 'task.created', changes)]);
    expect(rows.map(row => row.slice(10, 13))).toEqual([['', '', 'created']]);
  });

  it('leaves whole records out of the JSON', () => {
    const record = { id: '12', secret: 'long' };
    const saved = JSON.parse(historyJson([entryOf(taskEvent({ task: { ...task, record } }))]));
    expect(saved[0].event.data.task).toEqual(task);
  });
});
