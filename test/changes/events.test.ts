import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildEvents, dueEvent, testEvent } from '../../functions/changes/build-events.ts';
import type { RecordChange } from '../../functions/changes/compare-project.ts';
import { rulesOf } from '../../functions/changes/compare-project.ts';
import { withoutRecords } from '../../functions/changes/fit-event.ts';
import { ignoredFields } from '../../functions/changes/ignored-fields.ts';
import type { TaskEvent } from '../../functions/model/event.ts';
import { jsonSchemas, unionSchema } from '../../functions/model/event.ts';
import { eventId } from '../../functions/model/event-id.ts';
import { ANY_CHARACTER } from '../kit/any-character.ts';
import { change, commit, field } from '../kit/changes/one-change.ts';
import { checkEvents } from '../kit/check-event.ts';
import { AT } from '../kit/time.ts';

describe('events', () => {
  it('a task event carries its task in full, its project by name, and where and when it happened', () => {
    const [event] = checkEvents(buildEvents(commit, [change()]));
    expect(event).toEqual({
      specversion: '1.0',
      id: `onboarding.p%2E1.${AT}.0`,
      source: '/workspaces/eu/processes/onboarding',
      type: 'task.updated',
      subject: 'projects/p%2E1/tasks/t1',
      time: '2026-11-21T12:00:01.000Z',
      datacontenttype: 'application/json',
      sequence: String(AT),
      data: {
        process: { id: 'onboarding' },
        project: { id: 'p.1', name: 'Acme' },
        task: { id: 't1', name: 'Call', record: { id: 't1', title: 'Call', status: 'Done' } },
        changes: [field()],
        observed: { after: '2026-11-21T11:59:00.000Z', before: '2026-11-21T12:00:01.000Z' },
      },
    });
  });

  it('carry the names of custom fields, those of tasks the short values of their project, as far as there is room', () => {
    const custom = ['b', 'a', 'long', 'same'].map(externalId => ({
      ...{ externalId, name: externalId === 'same' ? 'same' : `Field ${externalId}`, type: 'text' },
    }));
    const rules = rulesOf({ project: custom, task: custom }, ignoredFields(['ignored']));
    const projectRecord = {
      ...{ name: 'Acme', updatedAt: 'x', ignored: 'x', b: 'x', same: ['x'], a: { id: 1 }, none: '' },
      ...{ long: 'x'.repeat(255), edge: 'x'.repeat(254) },
    };
    const record = { id: 't1', a: 'x', b: '', other: 'x', same: 'x' };
    const changes = [change({ record }), change({ entity: 'project', record: projectRecord })];
    const [task, project] = checkEvents(buildEvents({ ...commit, projectRecord, rules }, changes));
    expect(task?.data).toMatchObject({ task: { names: { a: 'Field a' } } });
    expect(JSON.stringify(task?.data.project)).toBe(
      JSON.stringify({
        ...{ id: 'p.1', name: 'Acme' },
        context: { a: { id: 1 }, b: 'x', same: ['x'], edge: 'x'.repeat(254), name: 'Acme' },
        names: { a: 'Field a', b: 'Field b', long: 'Field long', ignored: 'ignored' },
      }),
    );
    expect(project?.data.project).toEqual({
      ...{ id: 'p.1', name: 'Acme', record: projectRecord },
      names: { b: 'Field b', a: 'Field a', long: 'Field long' },
    });
    const long = 'x'.repeat(200);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index + 10}`, long]));
    const [crowded] = buildEvents({ ...commit, projectRecord: { ...many, b: 'x' }, rules }, changes);
    const { context = {}, names = {} } = (crowded as TaskEvent).data.project;
    expect(Object.keys(context).slice(0, 2)).toEqual(['b', 'f10']);
    expect(JSON.stringify(context).length).toBeLessThan(4_300);
    const shown = Object.keys({ ...context, ...names }).toSorted();
    expect(shown).toEqual([...Object.keys(many), 'b'].toSorted());
    const large = change({ record: { ...record, large: 'x'.repeat(250_000) } });
    const [slim] = buildEvents({ ...commit, projectRecord, rules }, [large]);
    expect(slim?.data).toMatchObject({ project: task?.data.project, truncated: ['record'] });
    expect(withoutRecords(slim as TaskEvent).data).toMatchObject({
      ...{ project: { id: 'p.1', name: 'Acme' }, task: { id: 't1' }, truncated: ['record'] },
    });
    expect(JSON.stringify(withoutRecords(task as TaskEvent))).not.toMatch(/Field a|context|names/);
  });

  it.each([
    [{ name: 'Acme', title: 'Other' }, { name: 'Acme' }],
    [{ name: '', title: 'Acme' }, { name: 'Acme' }],
    [{ name: 7, title: 'Acme' }, { name: 'Acme' }],
    [{ name: '', title: '' }, {}],
    [{ name: 7 }, {}],
  ])('names the record %j as %j', (record, named) => {
    const [event] = buildEvents(commit, [change({ entity: 'project', id: 'p.1', record })]);
    expect(event?.data.project).toEqual({ id: 'p.1', record, ...named });
  });

  it('tells who changed each record, where somebody is known', () => {
    const anna = { id: 'u1', name: 'Anna' };
    const ofProjects = ['p.1', 'p.2'].map(id => change({ entity: 'project', id }));
    const changes = [change(), change({ id: 't2' }), ...ofProjects];
    const known = new Set([changes[0], changes[2]]);
    const actorsOf = (each: RecordChange) => (known.has(each) ? [anna] : undefined);
    const events = checkEvents(buildEvents({ ...commit, actorsOf }, changes));
    expect(events.map(({ data }) => data.actors)).toEqual([[anna], undefined, [anna], undefined]);
    expect(events[1]?.data).not.toHaveProperty('actors');
  });

  it('invariant 3: one change has one id and one content: the same commit gives the same bytes', () => {
    const changes = [change(), change({ id: 't2' })];
    expect(JSON.stringify(buildEvents(commit, changes))).toBe(JSON.stringify(buildEvents(commit, changes)));
  });
});

const text = fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 4 }).filter(part => part !== '');
const units = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 3 })
  .map(codes => String.fromCharCode(...codes));
const part = fc.oneof(text, units, fc.constantFrom('a.b', '%2E', '#', '\ud800', '%uD800'));

it('event ids differ for different changes, whatever the identifiers hold', () => {
  fc.assert(
    fc.property(fc.tuple(part, part), fc.tuple(part, part), ([p1, j1], [p2, j2]) => {
      const same = p1 === p2 && j1 === j2;
      expect(eventId(p1, j1, 1, 0) === eventId(p2, j2, 1, 0)).toBe(same);
    }),
  );
});

const folder = join(import.meta.dirname, '../../docs/schemas');

it('the committed JSON Schemas are those of the code: `npm run schemas` makes them anew', () => {
  // That of the configuration stands beside them: test/docs/configuration-schema.test.ts.
  const isOwn = (file: string) => file.endsWith('.json') && file !== 'configuration.schema.json';
  const files = readdirSync(folder).filter(isOwn);
  const committed = files.map(file => [file, readFileSync(join(folder, file), 'utf8')]);
  const made = Object.entries({ ...jsonSchemas(), event: unionSchema() }).map(([name, schema]) => [
    `${name}.json`,
    `${JSON.stringify(schema, null, 2)}\n`,
  ]);
  expect(Object.fromEntries(committed)).toEqual(Object.fromEntries(made));
});

it('an event of what falls due has its rule, the record with the names of its fields, and is cut if it is too long', () => {
  const custom = { externalId: 'a', name: 'Field a', type: 'text' };
  const rules = rulesOf({ project: [custom], task: [custom] }, ignoredFields([]));
  const name = 'Long '.repeat(300);
  const due = (id: string, rule: object, record: object) => {
    const falling = { rule: rule as never, record: id, value: '2026-11-20', at: AT + 1 };
    const records = id === '' ? { ...record, name } : { name, a: 'x' };
    const task = id === '' ? undefined : { ...record, id };
    return dueEvent({ ...commit, rules, at: AT, projectRecord: records }, falling, task, 2).data;
  };
  const [names, project] = [{ a: 'Field a' }, { id: 'p.1', name }];
  const rest = { process: { id: 'onboarding' }, dueAt: '2026-11-21T12:00:00.001Z' };
  const soon = { event: 'task.due', field: 'a', before: '2d' };
  const { event: _, ...shown } = soon;
  const task = { ...rest, project: { ...project, context: { a: 'x' }, names: { ...names, name: 'name' } } };
  const value = '2026-11-20';
  const record = { a: 'x', id: 't1' };
  expect(due('t1', soon, { a: 'x' })).toEqual({
    ...task,
    task: { id: 't1', record, names },
    rule: shown,
    value,
  });
  const long = { a: 'x'.repeat(250_000) };
  expect(due('t1', soon, long)).toEqual({
    ...task,
    task: { id: 't1' },
    rule: shown,
    truncated: ['record'],
    value,
  });
  const still = { event: 'project.unchanged', after: '90d' };
  const silence = { ...rest, rule: { after: '90d' }, since: value };
  const whole = { ...project, record: { a: 'x', name }, names };
  expect(due('', still, { a: 'x' })).toEqual({ ...silence, project: whole });
  const cut = { id: 'p.1', name: expect.stringMatching(/^Long .{1000,1020}…$/) };
  expect(due('', still, long)).toEqual({ ...silence, project: cut, truncated: ['record'] });
});

it('a test event names its endpoint and its time, and says that nothing changed', () => {
  expect(testEvent('crm', { at: AT, tag: 'x1' })).toEqual({
    specversion: '1.0',
    id: `changewire.test.${AT}.x1`,
    source: '/endpoints/crm',
    type: 'changewire.test',
    time: '2026-11-21T12:00:00.000Z',
    datacontenttype: 'application/json',
    sequence: String(AT),
    data: {
      endpoint: { name: 'crm' },
      message: 'This is a test: events of Changewire arrive here. Nothing changed.',
    },
  });
});
