import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterOption } from '../../../local/cli/filter-option.ts';
import { UsageError } from '../../../local/cli/usage-error.ts';
import { leakIn, secrets } from '../../support/secret-arbitraries.ts';

describe('--filter', () => {
  test('takes keys with one or several values, which add up', () => {
    expect(filterOption([])).toEqual({});
    expect(
      filterOption([
        'events=task.updated, task.created',
        'fields=dueDate',
        'events=task.deleted',
        'projects=a=b',
      ]),
    ).toEqual({
      events: ['task.updated', 'task.created', 'task.deleted'],
      fields: ['dueDate'],
      projects: ['a=b'],
    });
  });

  test.each([
    [
      'task.updated',
      '--filter takes key=value, such as --filter events=task.updated,task.created --filter fields=dueDate.',
    ],
    [
      '=task.updated',
      '--filter takes key=value, such as --filter events=task.updated,task.created --filter fields=dueDate.',
    ],
    [
      'event=task.updated',
      '--filter knows events, workspaces, processes, projects, fields, and no "event". Did you mean events?',
    ],
    ['colour=red', '--filter knows events, workspaces, processes, projects, fields, and no "colour".'],
    [
      'constructor=x',
      '--filter knows events, workspaces, processes, projects, fields, and no "constructor".',
    ],
    ['fields=', '--filter fields=: found ""; allowed: text of 1 to 256 characters.'],
    ['fields=a,,b', '--filter fields=: found ""; allowed: text of 1 to 256 characters.'],
  ])('refuses %j with what is allowed', (option, message) => {
    expect(() => filterOption([option])).toThrow(new UsageError(message));
  });

  test('refuses an event type that there is none of, with those that there are', () => {
    expect(() => filterOption(['events=task.created,task.change'])).toThrow(
      /^--filter events=: found "task\.change"; allowed: .*"?task\.updated/,
    );
  });

  test('shows no secret that stands in the wrong place', () => {
    const glue = fc.constantFrom('', 'events=', 'fields=,', 'events=task.updated,', '=');
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
