import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { filterOption } from '../../../local/settings/endpoint-options.ts';

describe('--filter', () => {
  test('takes keys with one or several values, which add up', () => {
    expect(filterOption([])).toEqual({});
    const events = ['events=task.updated, task.created', 'events=project.updated'];
    expect(filterOption(['fields=dueDate', ...events, 'projects=a=b'])).toEqual({
      events: ['task.updated', 'task.created', 'project.updated'],
      ...{ fields: ['dueDate'], projects: ['a=b'] },
    });
  });

  test('takes conditions on values, those on one field as one', () => {
    const options = ['from:status=Open, In work', 'to:status=Done', 'to:Due date=', 'to:status=Gone'];
    expect(filterOption(options)).toEqual({
      values: [
        { field: 'status', from: ['Open', 'In work'], to: ['Done', 'Gone'] },
        { field: 'Due date', to: [''] },
      ],
    });
    expect(filterOption(['added:teams=Legal', 'removed:teams=Sales', 'events=task.updated'])).toEqual({
      events: ['task.updated'],
      values: [{ field: 'teams', added: ['Legal'], removed: ['Sales'] }],
    });
  });

  test('takes those who made the change, and those whose changes are left out', () => {
    expect(filterOption(['actors=Ann Lee, u-2', 'exceptActors=CRM sync'])).toEqual({
      actors: ['Ann Lee', 'u-2'],
      exceptActors: ['CRM sync'],
    });
  });

  test('takes conditions as JSON, which are alternatives if there are several', () => {
    expect(
      filterOption([
        'where={"project.phase": "Build, test", "dueDate": {"moved": "later"}}',
        'where=[{"status": {"not": ["Done", 3]}}]',
        'events=task.updated',
      ]),
    ).toEqual({
      events: ['task.updated'],
      where: [
        { 'project.phase': { in: ['Build, test'] }, dueDate: { moved: 'later' } },
        { status: { not: { in: ['Done', 3] } } },
      ],
    });
  });

  const SYNTAX =
    '--filter takes key=value, such as --filter events=task.updated,task.created --filter to:status=Done.';
  const KEYS =
    'allowed keys: events, workspaces, processes, projects, fields, actors, exceptActors, from:FIELD, to:FIELD, added:FIELD, removed:FIELD, where.';
  const LENGTH = 'allowed: text of 1 to 256 characters.';
  const LONG = 'a'.repeat(257);
  const REFUSED: Record<string, string> = {
    'task.updated': SYNTAX,
    'fields=a,,b': `--filter fields=: found ""; ${LENGTH}`,
    'event=task.updated': `--filter: unknown key "event"; ${KEYS} Did you mean events?`,
    'constructor=x': `--filter: unknown key "constructor"; ${KEYS}`,
    'to:=Done': `--filter: unknown key text of 3 characters; ${KEYS} Did you mean to:FIELD?`,
    'until:status=Done': `--filter: unknown key "until:status"; ${KEYS}`,
    [`to:status=Open,${LONG}`]:
      '--filter to:status=: found text of 257 characters; allowed: text of at most 256 characters, a number, true or false.',
    [`added:${LONG}=x`]: `--filter added:FIELD=: found text of 257 characters; ${LENGTH}`,
    'where=status:Done':
      '--filter where takes JSON, such as --filter \'where={"dueDate": {"moved": "later"}}\'.',
    'where={"dueDate": {"moved": "latter"}}':
      '--filter where.dueDate.moved: found "latter"; allowed: one of "later", "earlier", "more", "less"; did you mean "later"?.',
  };
  test.each(Object.entries(REFUSED))('refuses %.30j with what is allowed', (option, message) => {
    expect(() => filterOption([option])).toThrow(new UsageError(message));
  });

  test('refuses what no event ever fits', () => {
    expect(() => filterOption(['events=task.deleted', 'fields=status'])).toThrow(
      new UsageError(
        '--filter: events[0]: found "task.deleted", which never matches fields; ' +
          'allowed with it: project.created, project.updated, task.created, task.updated.',
      ),
    );
  });
});
