import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../local/basics/usage-error.ts';
import { filterOption } from '../../../local/settings/endpoint-options.ts';
import { leakIn, secrets } from '../../kit/secret-arbitraries.ts';

describe('--filter', () => {
  test('takes keys with one or several values, which add up', () => {
    expect(filterOption([])).toEqual({});
    expect(
      filterOption([
        'events=task.updated, task.created',
        'fields=dueDate',
        'events=project.updated',
        'projects=a=b',
      ]),
    ).toEqual({
      events: ['task.updated', 'task.created', 'project.updated'],
      fields: ['dueDate'],
      projects: ['a=b'],
    });
  });

  test('takes conditions on values, those on one field as one', () => {
    expect(
      filterOption(['from:status=Open, In work', 'to:status=Done', 'to:Due date=', 'to:status=Gone']),
    ).toEqual({
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

  test.each([
    ['task.updated', SYNTAX],
    ['=task.updated', SYNTAX],
    ['event=task.updated', `--filter: unknown key "event"; ${KEYS} Did you mean events?`],
    ['colour=red', `--filter: unknown key "colour"; ${KEYS}`],
    ['constructor=x', `--filter: unknown key "constructor"; ${KEYS}`],
    ['fields=', `--filter fields=: found ""; ${LENGTH}`],
    ['exceptActors=', `--filter exceptActors=: found ""; ${LENGTH}`],
    ['to:=Done', `--filter: unknown key text of 3 characters; ${KEYS} Did you mean to:FIELD?`],
    ['until:status=Done', `--filter: unknown key "until:status"; ${KEYS}`],
    [
      `to:status=Open,${LONG}`,
      '--filter to:status=: found text of 257 characters; allowed: text of at most 256 characters, a number, true or false.',
    ],
    [`added:${LONG}=x`, `--filter added:FIELD=: found text of 257 characters; ${LENGTH}`],
    [
      'where=status:Done',
      '--filter where takes JSON, such as --filter \'where={"dueDate": {"moved": "later"}}\'.',
    ],
    [
      'where={"dueDate": {"moved": "latter"}}',
      '--filter where.dueDate.moved: found "latter"; allowed: one of "later", "earlier", "more", "less"; did you mean "later"?.',
    ],
    ['fields=a,,b', `--filter fields=: found ""; ${LENGTH}`],
  ])('refuses %.30j with what is allowed', (option, message) => {
    expect(() => filterOption([option])).toThrow(new UsageError(message));
  });

  test.each([
    [
      ['from:status=Done', 'to:status=Done'],
      '--filter: values[0]: found the same value in "from" and "to", which no change has; allowed: two different values.',
    ],
    [
      ['events=task.deleted', 'fields=status'],
      '--filter: events[0]: found "task.deleted", which never matches fields; ' +
        'allowed with it: project.created, project.updated, task.created, task.updated.',
    ],
    [
      ['events=source.skipped', 'where={"status": "Done"}'],
      '--filter: events[0]: found "source.skipped", which never matches where; allowed with it: ' +
        'project.created, project.updated, project.deleted, task.created, task.updated, task.deleted, ' +
        'task.due, task.overdue, project.due, project.overdue, project.unchanged.',
    ],
    [
      ['events=task.deleted,field.updated', 'actors=u-1'],
      '--filter: events[1]: found "field.updated", which never matches actors; allowed with it: ' +
        'project.created, project.updated, project.deleted, task.created, task.updated, task.deleted, audit.recorded.',
    ],
  ])('refuses what no event ever fits: %j', (options, message) => {
    expect(() => filterOption(options)).toThrow(new UsageError(message));
  });

  test('refuses an event type that there is none of, with those that there are', () => {
    expect(() => filterOption(['events=task.created,task.change'])).toThrow(
      /^--filter events=: found "task\.change"; allowed: .*"?task\.updated/,
    );
  });

  test('shows no secret that stands in the wrong place', () => {
    const glue = fc.constantFrom(
      '',
      'events=',
      'fields=,',
      'events=task.updated,',
      '=',
      'where=',
      'where={"a":"',
    );
    const tail = fc.constantFrom('', '=x', '=task.updated');
    fc.assert(
      fc.property(secrets, glue, tail, ({ text, secret }, before, behind) => {
        try {
          filterOption([before + text + behind]);
        } catch (error) {
          if (!(error instanceof UsageError)) throw error;
          expect(leakIn(error.message, secret)).toBe(undefined);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
