import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  filterOf,
  filterText,
  formOf,
  NO_FILTER,
  NO_VALUES,
  savedFilterOf,
} from '../../../console/model/filter-form.ts';
import { readListed, showListed } from '../../../console/model/listed.ts';
import { NO_CONDITION } from '../../../console/model/where-form.ts';
import { hostileText } from '../../kit/console/events.ts';

describe('values in a field of a form', () => {
  it.each([
    ['Done, In review', ['Done', 'In review']],
    [' , Done,, ', ['Done']],
    ['"a, b", c', ['a, b', 'c']],
    ['""', ['']],
    ['say "hi", x', ['say "hi"', 'x']],
    ['', []],
  ])('%j are %j', (text, values) => {
    expect(readListed(text)).toEqual(values);
  });

  it('are read back as they are shown, whatever they hold', () => {
    fc.assert(
      fc.property(fc.array(hostileText), values => {
        expect(readListed(showListed(values))).toEqual(values);
      }),
    );
  });
});

describe('the form of a filter', () => {
  it('asks for nothing while it is empty: all events', () => {
    expect(filterOf(NO_FILTER)).toBeUndefined();
    expect(filterOf({ ...NO_FILTER, values: [NO_VALUES], projects: ' , ' })).toBeUndefined();
    expect(formOf(undefined)).toEqual(NO_FILTER);
    expect(filterText(null)).toEqual([]);
  });

  const [to, status] = [
    { ...NO_VALUES, to: 'Done' },
    { ...NO_CONDITION, field: 'status', value: 'A' },
  ];
  it.each([
    [{ values: [NO_VALUES], where: [[NO_CONDITION]] }, ''],
    [{ values: [to] }, 'filter.values: Enter its field, or remove the condition.'],
    [{ where: [[{ ...status, field: ' ' }]] }, 'filter.where: Enter its field, or remove the condition.'],
    [{ where: [[status], [status, { ...status, value: 'B' }]] }, 'filter.where: Remove one of the two'],
    [{ values: [{ ...to, field: 'Status' }], where: [[status], [status]] }, ''],
  ])('is not saved without a condition that is filled in: %j', (part, refusal) => {
    const form = { ...NO_FILTER, ...part };
    if (refusal === '') expect(savedFilterOf(form)).toEqual(filterOf(form));
    else expect(() => savedFilterOf(form)).toThrow(refusal);
  });

  it('asks for what is filled in', () => {
    const events = ['task.updated'];
    const values = [{ ...NO_VALUES, field: ' Status ', to: 'Done, ""' }];
    const filter = { events, values: [{ field: 'Status', to: ['Done', ''] }] };
    expect(filterOf({ ...NO_FILTER, events, values })).toEqual(filter);
  });

  it('is filled in from a filter such that it asks for the same again', () => {
    const filled = hostileText.filter(text => text !== '');
    const texts = fc.array(filled, { minLength: 1, maxLength: 3 });
    const field = hostileText.map(text => text.trim()).filter(text => text !== '');
    const value = fc.record(
      { field, from: texts, to: texts, added: texts, removed: texts },
      { requiredKeys: ['field'] },
    );
    const lists = fc.record({ in: texts, contains: texts, exists: fc.boolean() }, { requiredKeys: ['in'] });
    const limits = fc.record({ above: fc.constantFrom('1', '-2.5'), before: fc.constant('today') });
    const tests = fc.oneof(
      lists,
      limits,
      fc.record({ not: lists, became: fc.record({ not: limits, exists: fc.boolean() }) }),
      fc.record({ moved: fc.constantFrom('later', 'less') }),
    );
    const filter = fc.record(
      {
        events: fc.constant(['task.updated']),
        ...{ workspaces: texts, processes: texts, projects: texts, fields: texts },
        ...{ actors: texts, exceptActors: texts },
        values: fc.array(value, { minLength: 1, maxLength: 3 }),
        where: fc.array(fc.dictionary(field, tests, { minKeys: 1, maxKeys: 3, noNullPrototype: true }), {
          ...{ minLength: 1, maxLength: 2 },
        }),
      },
      { requiredKeys: ['events'] },
    );
    fc.assert(
      fc.property(filter, given => {
        expect(filterOf(formOf(given))).toEqual(given);
      }),
    );
  });

  it('is told in words, a line for each key', () => {
    const filter = {
      processes: ['launch'],
      values: [{ field: 'Status', from: ['To do'], to: ['Done', 'Gone'] }],
      where: [
        { dueDate: { became: { before: 'today' } }, status: { not: { in: ['Done', 'Gone'] } } },
        { 'project.phase': { in: ['Build'], exists: true }, effort: { moved: 'more' } },
      ],
      actors: ['Ann Lee', 'u-2'],
      exceptActors: ['Lee, Ann'],
    };
    expect(filterText(filter)).toEqual([
      ['Processes', 'launch'],
      ['Change of', 'Status, from To do, to Done, Gone'],
      [
        'Where',
        'dueDate became true is before today and status not is Done, Gone, or project.phase is Build and project.phase has a value true and effort moved more',
      ],
      ['Made by', 'Ann Lee, u-2'],
      ['Not made by', '"Lee, Ann"'],
    ]);
  });
});
