import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../functions/basics/json.ts';
import { eraseEvent } from '../../../functions/model/erase.ts';
import type { Actor, ChangeEvent, PropertyChange, TaskEvent } from '../../../functions/model/event.ts';
import { formatEvent } from '../../../local/terminal/print.ts';
import { columns } from '../../../local/terminal/text.ts';
import { ANY_CHARACTER } from '../../kit/any-character.ts';
import { exampleEvent } from '../../kit/examples/receiver.ts';
import {
  change,
  fieldEvent,
  held,
  projectEvent,
  recorded,
  recovered,
  skipped,
  stalled,
  taskUpdated,
} from '../../kit/local/terminal-events.ts';

const plain = (event: ChangeEvent, width = 100) =>
  formatEvent(event, { colour: false, width, timeZone: 'UTC' });
const HEAD = '12:03:11  ~ Acme GmbH › Prepare contract         ';
const BLANK = ' '.repeat(HEAD.length);

describe('a printed event', () => {
  it('shows time, project, task, the field by its name, from and to', () => {
    expect(plain(taskUpdated())).toBe(`${HEAD}Status        "Open" → "In progress"`);
  });

  it.each([
    ['task.due', 'due: 2026-03-05'],
    ['task.overdue', 'overdue: 2026-03-05'],
    ['project.overdue', 'overdue: 2026-03-04'],
    ['project.unchanged', 'unchanged since 2026-03-02T09:09:00.000Z'],
  ] as const)('of a rule shows what falls due: %s', (type, text) => {
    expect(plain(exampleEvent(type)).endsWith(` ${text}`)).toBe(true);
  });

  it('has a line for each field, aligned, and the head once', () => {
    const changes = [
      change('Status', 'single-choice', 'Open', ''),
      change('Due date', 'date', '', '2026-05-12'),
      change('Expected budget', 'number', '1', '12500.00'),
      { ...change('Labels', 'multiple-choice', [], []), added: ['Urgent', 'VIP client'], removed: ['Later'] },
    ];
    expect(plain(taskUpdated(changes)).split('\n')).toEqual([
      `${HEAD}Status           "Open" → empty`,
      `${BLANK}Due date         empty → 2026-05-12`,
      `${BLANK}Expected budget  1 → 12500.00`,
      `${BLANK}Labels           +Urgent  +VIP client  −Later`,
    ]);
  });

  it('says who made the change: behind it where there is room, else below', () => {
    const by = (event: TaskEvent, ...actors: Actor[]) => ({ ...event, data: { ...event.data, actors } });
    const ann = { id: 'u-1', name: 'Ann Lee' };
    expect(plain(by(taskUpdated(), ann))).toBe(`${HEAD}Status        "Open" → "In progress"  by Ann Lee`);
    const unnamed = [{ id: 'u-2' }, { id: 'u-3', name: '' }];
    expect(plain(by(taskUpdated([], 'task.deleted'), ann, ...unnamed))).toMatch(
      /task deleted {2}by Ann Lee, u-2 and u-3$/,
    );
    const many = ['1', '2', '3', '4'].map(id => ({ id }));
    expect(plain(by(taskUpdated(), ...many), 130)).toMatch(/ {2}by 1, 2 and 2 others$/);
    const long = by(taskUpdated([change('Note', 'text', 'x'.repeat(90), 'y'.repeat(90))]), ann);
    expect(plain(long).split('\n').slice(1)).toEqual([`${BLANK}by Ann Lee`]);
    const two = by(taskUpdated([change('A', 'text', '', '1'), change('B', 'text', '', '2')]), ann);
    expect(plain(two).split('\n').slice(2)).toEqual([`${BLANK}by Ann Lee`]);
    expect(plain(by(taskUpdated(), ann), 94)).toMatch(/"In progress" {2}by Ann Lee$/);
    expect(plain(by(taskUpdated(), ann), 93)).toMatch(/"In progress"\n +by Ann Lee$/);
    expect(plain(by(taskUpdated(), { id: 'u', name: '\u001b[2J\n' }))).toContain('by \\u001b[2J\\n');
    const wide = plain(by(taskUpdated(), { id: 'u', name: '漢'.repeat(80) }, ann, ann));
    for (const line of wide.split('\n')) expect(columns(line)).toBeLessThanOrEqual(100);
  });

  it('says that its contents were erased', () => {
    const event = { ...eraseEvent(taskUpdated()), type: 'task.created' } as ChangeEvent;
    expect(plain(event)).toMatch(/^12:03:11 {2}\+ 7 › \S+ +contents erased$/);
  });

  it('makes created and deleted records plain to see', () => {
    const fields = [
      { ...change('title', 'string', null, 'Prepare contract'), kind: 'builtin' as const },
      { ...change('projectId', 'string', null, '7'), field: 'projectId', kind: 'builtin' as const },
      { ...change('owner', 'object', null, { id: 'u', name: 'Eva' }), kind: 'builtin' as const },
      change('Amount', 'number', null, '1200'),
    ];
    const created = plain(taskUpdated(fields, 'task.created'));
    expect(created).toBe(`${HEAD.replace('~', '+')}task created  Amount 1200  owner Eva`);
    const deleted = plain(projectEvent('project.deleted', []));
    expect(deleted).toMatch(/^12:03:11 {2}− Acme GmbH {27,}project deleted$/);
  });

  it.each([
    [held('40 of 60 projects are gone.'), /^12:03:11 {2}! process p +on hold: 40 of 60/],
    [skipped('GET /x: status 403'), /^12:03:11 {2}! 7 +skipped: GET \/x: status 403$/],
    [stalled('GET /x: status 503'), /^12:03:11 {2}! process p +stalled: GET \/x: status 503$/],
    [recovered(), /! process p +recovered: all changes since 2026-05-04T12:02:11.000Z have been published$/],
    [recorded({ a: '\u001b[2J' }), /^12:03:11 {2}· process p +audit log {2}\{"a":"\\u001b\[2J"\}$/],
    [recorded('{"a":…', ['Eva', 'Bo']), /audit log {2}Eva: Bo: \{"a":…$/],
  ])('of a process tells what happened: %#', (event, text) => expect(plain(event)).toMatch(text));

  it('shows what became of a field: which, of what, and what of its definition changed', () => {
    const head = 'process p › Due date                ';
    const properties: PropertyChange[] = [
      { field: 'name', from: null, to: 'Due date' },
      { field: 'options', from: null, to: ['Soon', 'Later'], added: ['Soon', 'Later'], removed: [] },
      { field: 'type', from: null, to: 'single-choice' },
    ];
    const created = fieldEvent('field.created', properties, { entity: 'project' });
    expect(plain(created, 140)).toMatch(
      /\+ process p › Due date +project field created {2}Choices Soon, Later {2}Type "single-choice"$/,
    );
    const updated: PropertyChange[] = [
      { field: 'archived', from: true, to: false },
      { field: 'name', from: 'Due', to: 'Due date' },
      { field: 'options', from: ['a'], to: ['b'], added: ['b'], removed: ['a'] },
    ];
    expect(plain(fieldEvent('field.updated', updated)).split('\n')).toEqual([
      `12:03:11  ~ ${head} Archived      true → false`,
      `${BLANK}Name          "Due" → "Due date"`,
      `${BLANK}Choices       +b  −a`,
    ]);
    const archived: PropertyChange[] = [{ field: 'archived', from: false, to: true }];
    expect(plain(fieldEvent('field.archived', archived))).toBe(`12:03:11  ~ ${head} task field archived`);
    expect(plain(fieldEvent('field.deleted', []))).toBe(`12:03:11  − ${head} task field deleted`);
    const nasty = fieldEvent('field.deleted', [], { name: '\u001b[2J', externalId: 'x' });
    expect(plain(nasty)).toContain('\\u001b[2J');
  });

  it('limits what it tells of a new record, and says how much is left', () => {
    const fields = Array.from({ length: 12 }, (_, n) => change(`Field ${n}`, 'text', null, 'x'.repeat(100)));
    const line = plain(taskUpdated(fields, 'task.created'), 140);
    expect(line).toMatch(/task created {2}Field 0 "x+… {2}… 11 more$/);
    expect(columns(line)).toBeLessThanOrEqual(140);
  });

  it('is shown whole where no terminal bounds it: names, values, choices and every field of a new record', () => {
    const long = (what: string) => `${what} ${'that goes on '.repeat(3_000)}to its end`;
    const changes = [
      change(long('Notes'), 'text', long('old'), long('new')),
      { ...change('Labels', 'multiple-choice', [], []), added: [long('choice')] },
    ];
    const whole = (event: ChangeEvent) => formatEvent(event, { colour: false, timeZone: 'UTC' });
    const project = { id: '7', name: long('Acme') };
    const updated = projectEvent('project.updated', changes, project);
    const values = Array.from({ length: 12 }, (_, n) => `value ${n}`);
    const fields = values.map((value, n) => change(`Field ${n}`, 'text', null, long(value)));
    const created = projectEvent('project.created', fields, project);
    for (const text of ['Acme', 'Notes', 'old', 'new', 'choice'])
      expect(whole(updated)).toContain(long(text));
    for (const text of ['Acme', ...values]) expect(whole(created)).toContain(long(text));
    expect(`${whole(updated)}${whole(created)}`).not.toContain('…');
    expect(whole(taskUpdated())).toBe(`${HEAD}         Status        "Open" → "In progress"`);
  });

  it('uses the id of what has no name', () => {
    expect(plain(projectEvent('project.deleted', [], { id: 'no-name' }))).toContain('− no-name ');
  });

  it('cuts long values where they differ, and shows short ones whole', () => {
    const same = 'A sentence that is long enough to fill the line by itself, '.repeat(3);
    const notes = change('Notes', 'text', `${same}old`, `${same}new`);
    const due = change('Due', 'date', '2026-05-01', '2026-05-12');
    const [text, date] = plain(taskUpdated([notes, due])).split('\n');
    expect(text).toMatch(/…[^→]*old" → …[^→]*new"$/);
    expect(date).toContain('2026-05-01 → 2026-05-12');
  });

  it('shows a built-in object by its name, or whole when only the rest of it differs', () => {
    const toOwner = (name: string) =>
      taskUpdated([change('owner', 'object', { id: '1', name: 'Eva' }, { id: '2', name })]);
    expect(plain(toOwner('Jan'))).toContain('Eva → Jan');
    const ids = '{"id":"1","name":"Eva"} → {"id":"2","name":"Eva"}';
    expect(plain(toOwner('Eva'), 160)).toContain(ids);
    expect(plain(taskUpdated([change('done', 'boolean', false, true)]))).toContain('false → true');
  });

  it('says when the event could not hold every change', () => {
    const event = taskUpdated();
    const truncated = { ...event, data: { ...event.data, truncated: ['record', 'changes'] } } as ChangeEvent;
    expect(plain(truncated)).toMatch(/\n +… more changes than fit into one event$/);
  });

  it('has the same text with colour as without', () => {
    const coloured = formatEvent(taskUpdated(), { colour: true, width: 100, timeZone: 'UTC' });
    expect(coloured).toContain('\u001b[1mAcme GmbH\u001b[22m');
    expect(stripVTControlCharacters(coloured)).toBe(plain(taskUpdated()));
    const task = taskUpdated();
    const event = { ...task, data: { ...task.data, actors: [{ id: 'u-1', name: 'Ann Lee' }] } };
    const by = formatEvent(event, { colour: true, width: 94, timeZone: 'UTC' });
    expect(by).toContain('\u001b[2mby Ann Lee\u001b[22m');
    expect(stripVTControlCharacters(by)).toBe(plain(event, 94));
  });

  it('keeps columns aligned under wide characters', () => {
    const changes = [change('色', 'text', 'あ', 'い'), change('Size', 'number', '1', '2')];
    const event = projectEvent('project.updated', changes, { id: '1', name: '東京 🚀' });
    const lines = plain(event).split('\n');
    expect(columns(lines[0]?.split('"あ"')[0] ?? '')).toBe(lines[1]?.indexOf('1 → 2'));
  });

  it('never lets data write to the terminal but as text', () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom(...'\u001b[2J\u009b\u0007\r\n\u202e\u2028\ud800x'),
        fc.string({ unit: ANY_CHARACTER, maxLength: 1 }),
      ),
      maxLength: 60,
    });
    const value = fc.jsonValue().map(json => json as Json);
    fc.assert(
      fc.property(
        nasty,
        nasty,
        fc.oneof(nasty, value),
        fc.oneof(nasty, value),
        fc.array(nasty, { maxLength: 3 }),
        fc.constantFrom('task.created' as const, 'task.updated' as const, 'task.deleted' as const),
        fc.integer({ min: 1, max: 200 }),
        (name, field, from, to, choices, type, width) => {
          const chosen = { ...change(field, 'multiple-choice', [], []), added: choices, removed: choices };
          const event = taskUpdated([change(field, 'text', from, to), chosen], type);
          const actors = [{ id: name }, { id: field, name: field }];
          const about = { actors, project: { id: 'x', name }, task: { id: name, name: field } };
          const named = { ...event, data: { ...event.data, ...about } };
          const printed = formatEvent(named as ChangeEvent, { colour: false, width, timeZone: 'UTC' });
          expect(printed.split('\n').length).toBeLessThanOrEqual(3);
          expect(printed.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u);
          expect(printed.isWellFormed()).toBe(true);
        },
      ),
    );
    expect(plain(held('\u001b]0;title\u0007'))).toContain('on hold: \\u001b]0;title\\u0007');
    expect(plain(stalled('\u001b]0;title\u0007'))).toContain('stalled: \\u001b]0;title\\u0007');
  });
});
