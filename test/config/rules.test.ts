import { describe, expect, it, test } from 'vitest';
import { readConfig } from '../../functions/config/read.ts';
import { workspacesOf } from '../../functions/config/workspace.ts';
import { config, problemsOf } from '../kit/infra/config-examples.ts';

const place = 'changewire.workspaces[0].processes[0].rules[0]';
const DUE = { event: 'task.due', field: 'dueDate', before: '2d' };

describe('the rules of a process', () => {
  it('are read with the time zone of the workspace, which each process has then', () => {
    const rules = [
      { ...DUE, where: { status: { not: 'Done' } }, since: '2026-05-01' },
      { event: 'task.overdue', field: 'Due date' },
      { event: 'project.unchanged', after: '14d' },
    ];
    const read = readConfig(config({}, { timeZone: 'Europe/Berlin' }, { rules }));
    const [workspace] = workspacesOf(read);
    expect(workspace?.processes[0]).toMatchObject({
      timeZone: 'Europe/Berlin',
      rules: [
        { ...DUE, where: [{ status: { not: { in: ['Done'] } } }], since: '2026-05-01' },
        ...rules.slice(1),
      ],
    });
  });

  test.each([
    [{ event: 'task.done' }, '.event', 'found "task.done"; allowed: one of "task.due", "task.overdue"'],
    [{ event: 'task.due' }, '.field', 'the field with the date, which "task.due" needs'],
    [{ event: 'project.unchanged' }, '.after', 'a duration such as "14d", which "project.unchanged" needs'],
    [{ event: 'project.unchanged', after: '14d', before: '2d' }, '.before', '"before" is for "task.due"'],
    [{ event: 'project.unchanged', after: '14d', field: 'x' }, '.field', 'which needs no date'],
    [{ ...DUE, event: 'task.overdue' }, '.before', 'nothing with "task.overdue"'],
    [{ ...DUE, after: '2d' }, '.after', '"after" is for "project.unchanged"'],
    [{ ...DUE, before: '2 days' }, '.before', 'a duration such as "2d", "4h" or "30m"'],
    [{ ...DUE, since: '+012026-01' }, '.since', 'a day of the calendar'],
    [{ ...DUE, since: '2026-02' }, '.since', 'a day of the calendar, such as "2026-05-01"'],
    [{ ...DUE, since: '2026-02-30' }, '.since', 'found "2026-02-30"; allowed: a day of the calendar'],
    [{ ...DUE, where: { start: { before: '2026-02-30' } } }, '.where.start.before', 'a day of the calendar'],
    [{ ...DUE, where: { status: { became: 'Done' } } }, '.where', 'without "became" and "moved"'],
  ])('are refused with what is allowed: %j', (rule, key, words) => {
    const [problem, ...others] = problemsOf(config({}, {}, { rules: [rule] }));
    expect(others).toEqual([]);
    expect(problem).toContain(`${place}${key}: `);
    expect(problem).toContain(words);
  });

  test.each([
    [{ ...DUE, field: 'Due date' }, ['Due date']],
    [DUE, ['Due date']],
    [{ ...DUE, where: { 'project.budget': { above: 7 } } }, ['budget']],
  ])('are refused where they need a field that is withheld: %j', (rule, withhold) => {
    const [problem] = problemsOf(config({}, {}, { rules: [rule], withhold }));
    expect(problem).toContain('processes[0].rules: ');
    expect(problem).toContain('that are not in withhold');
  });

  it('need a time zone that exists', () => {
    const [problem] = problemsOf(config({}, { timeZone: 'Berlin' }));
    expect(problem).toBe(
      'changewire.workspaces[0].timeZone: found "Berlin"; allowed: the name of a time zone, such as "Europe/Berlin"',
    );
  });
});
