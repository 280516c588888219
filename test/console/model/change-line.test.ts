import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changeLine } from '../../../console/model/change-line.ts';
import { lineText } from '../../../console/model/line-text.ts';
import { fieldChange, hostileEvent, taskEvent } from '../../kit/console/events.ts';
import { exampleEvent } from '../../kit/examples/receiver.ts';

const task = { id: '12', name: 'Task 12' };

const teams = { name: 'Teams', kind: 'custom', added: ['Legal'], removed: ['Sales'] };
const moved = [fieldChange('teams', ['Sales', 'IT'], ['IT', 'Legal'], teams)];
const filled = [fieldChange('teams', null, ['Legal'], { ...teams, removed: [] })];
const hours = { name: 'EFFORT (hours)', kind: 'custom', type: 'number' };

describe('a change in a line', () => {
  it.each([
    ['project, task, field, from and to', [fieldChange('status', 'To do', 'Done')], 'Status: To do → Done'],
    ['a custom field as it is named', [fieldChange('e', '', '7.5', hours)], 'EFFORT (hours): empty → 7.5'],
    ['of a list the choices that came and went', moved, 'Teams: +Legal, −Sales'],
    ['of a list that was empty what it has', filled, 'Teams: empty → Legal'],
  ])('shows %s', (_, changes, text) => {
    expect(lineText(changeLine(taskEvent({ task, changes })))).toBe(`Onboarding › Task 12 · ${text}`);
  });

  it('shows what falls due by a rule', () => {
    const types = ['task.due', 'task.overdue', 'project.unchanged'] as const;
    const lines = types.map(type => {
      const event = exampleEvent(type) as never;
      return lineText(changeLine({ committedAt: '2026-03-03T00:00:20.000Z', event }));
    });
    expect(lines).toEqual([
      'Sequoia Foods › Agree on the scope · Due: 2026-03-05',
      'Sequoia Foods › Agree on the scope · Overdue since 2026-03-05',
      'Project 13 · Unchanged for 7d, since 2026-03-02T09:09:00.000Z',
    ]);
  });

  it('shows of a new record what people ask first, and of one without a name its identifier', () => {
    const fields = { position: 3, status: 'To do', blocked: false };
    const changes = Object.entries(fields).map(([field, to]) => fieldChange(field, null, to));
    const created = changeLine(taskEvent({ type: 'task.created', task, changes }));
    expect(lineText(created)).toBe('Onboarding › Task 12 · created, Status: To do');
    const deleted = changeLine(taskEvent({ project: { id: '77' }, type: 'project.deleted' }));
    expect(lineText(deleted)).toBe('#77 · deleted');
  });

  it('says that the contents of an event were erased', () => {
    const { event, ...rest } = taskEvent({ type: 'task.created', project: { id: '77' }, task: { id: '12' } });
    const erased = { ...rest, event: { ...event, erased: true as const } };
    expect(lineText(changeLine(erased))).toBe('#77 › #12 · created, contents erased');
  });

  it('says who made it, by name or else by id, and is found by that', () => {
    const changes = [fieldChange('status', 'To do', 'Done')];
    const lineBy = (...actors: object[]) => changeLine(taskEvent({ task, changes, actors }));
    const line = lineBy({ id: 'u-1', name: 'Ann  Lee' }, { id: 'u-2', name: ' \u200B' });
    expect(lineText(line)).toBe('Onboarding › Task 12 · Status: To do → Done · by Ann Lee and u-2');
    expect(line.words).toContain('ann lee\nu-2');
    expect(lineBy({ id: 'u', name: 'x'.repeat(90) }).by).toBe(`${'x'.repeat(39)}…`);
    expect(lineBy().by).toBeUndefined();
    expect(lineBy({ name: 'No id' }, { id: 7 }, { id: 'u', name: 7 }).by).toBeUndefined();
  });

  it('tells an entry of the audit log as JSON, or as the text that it was cut to', () => {
    const line = (entry: unknown) => {
      const event = { id: 'p..a.0', type: 'audit.recorded', data: { process: { id: 'p' }, entry } };
      return lineText(changeLine({ committedAt: '2026-11-21T12:00:00.000Z', event }));
    };
    expect(line({ action: 'updated' })).toBe('p · Audit log: {"action":"updated"}');
    expect(line('{"action":…')).toBe('p · Audit log: {"action":…');
    expect(line(undefined)).toBe('p · Audit log: ');
  });

  it('begins with what people ask first, whatever order the event has', () => {
    const changes = [
      fieldChange('completedOn', null, '2026-11-22'),
      fieldChange('dueDate', '2026-12-01', '2026-12-02'),
      fieldChange('assignee', null, { id: '1', name: 'Anna' }),
      fieldChange('status', 'To do', 'Done'),
    ];
    const labels = changeLine(taskEvent({ task, changes })).changes.map(({ label }) => label);
    expect(labels).toEqual(['Status', 'Assignee', 'Due date', 'Completed on']);
  });

  it('says how many more fields changed than it shows', () => {
    const changes = Array.from({ length: 11 }, (_, index) => fieldChange(`f${index}`, '1', '2'));
    const line = changeLine(taskEvent({ task, changes }));
    expect([line.changes.length, line.more]).toEqual([8, 3]);
    expect(lineText(line)).toMatch(/ and 3 more$/);
  });

  it('shows what differs in long values, which begin alike', () => {
    const start = 'The same beginning. '.repeat(50);
    const changes = [fieldChange('note', `${start}old`, `${start}new`)];
    const [change] = changeLine(taskEvent({ task, changes })).changes;
    expect(change?.from).toMatch(/^….*old$/);
    expect(change?.to).toMatch(/^….*new$/);
  });

  it('tells apart what reads alike', () => {
    const [change] = changeLine(taskEvent({ task, changes: [fieldChange('count', '1', 1)] })).changes;
    expect(change).toMatchObject({ from: '"1"', to: '1' });
  });

  it('is short and harmless whatever an event holds: one line of text, no control or direction characters', () => {
    fc.assert(
      fc.property(hostileEvent, committed => {
        const line = changeLine(committed);
        expect(line.changes.length).toBeLessThanOrEqual(8);
        expect(JSON.stringify(line).length).toBeLessThan(30_000);
        const named = [line.project?.name, line.task?.name, line.definition, line.note];
        const ofFields = line.changes.flatMap(({ label, from, to, choices = [] }) => [
          ...[label, from, to, ...choices.map(({ text }) => text)],
        ]);
        for (const text of [...named, ...ofFields])
          expect(text ?? '').not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069\u200E\u200F]/u);
      }),
    );
  });
});
