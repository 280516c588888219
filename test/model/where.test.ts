import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../functions/basics/json.ts';
import { buildEvents } from '../../functions/changes/build-events.ts';
import { compareProject, rulesOf } from '../../functions/changes/compare-project.ts';
import { withoutRecords } from '../../functions/changes/fit-event.ts';
import { ignoredFields } from '../../functions/changes/ignored-fields.ts';
import { checkEndpoint } from '../../functions/config/endpoint.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { type EndpointFilter, leftOutBy, wants } from '../../functions/model/filter.ts';
import { type Conditions, type FieldTests, unmet, type ValueTests } from '../../functions/model/where.ts';
import { checkEvents } from '../kit/check-event.ts';

const AT = Date.UTC(2026, 2, 10, 12);
const observed = { after: AT - 60_000, before: AT };
const RULES = rulesOf(
  {
    project: [
      { externalId: 'phase', name: 'Phase', type: 'single-choice' },
      { externalId: 'former', name: 'Phase', type: 'single-choice', archived: true },
      { externalId: 'contractValue', name: 'Contract value', type: 'number' },
      { externalId: 'budget', name: 'Budget (EUR)', type: 'number' },
    ],
    task: [
      { externalId: 'due-date', name: 'Due date', type: 'date' },
      { externalId: 'effort', name: 'Effort', type: 'number' },
      { externalId: 'risk', name: 'Risk', type: 'single-choice' },
      { externalId: 'teams', name: 'Teams', type: 'multiple-choice' },
      { externalId: 'impact', name: 'Risk', type: 'single-choice' },
    ],
  },
  ignoredFields(['progress']),
);
const PROJECT = { projectId: 'p1', name: 'Acme', phase: 'Build', contractValue: '120000.00', budget: '500' };
const TASK = {
  ...{ taskId: 't1', title: 'Sign the Contract', status: 'Open', assignee: { id: 'u1', name: 'Ann Lee' } },
  ...{ dueDate: '2026-03-20', effort: '10', teams: ['Legal', 'Sales'], goLive: '2026-05-01T10:00:00Z' },
};

/** What differs from the usual records, before and after the change. */
interface Change {
  readonly project?: readonly [JsonObject, JsonObject];
  readonly task?: readonly [JsonObject, JsonObject] | 'created' | 'deleted';
}

/** The event of a change of the project, or else of its task, as a pass builds it. */
function eventOf({ project = [{}, {}], task = [{}, {}] }: Change): ChangeEvent {
  const content = (at: 0 | 1) => {
    const isThere = task !== (at === 0 ? 'created' : 'deleted');
    const own: JsonObject = typeof task === 'string' ? {} : task[at];
    const tasks = new Map(isThere ? [['t1', { ...TASK, ...own }]] : []);
    return { record: { ...PROJECT, ...project[at] } as JsonObject, tasks };
  };
  const changes = compareProject('p1', content(0), content(1), RULES);
  const key = { workspace: 'eu', processId: 'launch', projectId: 'p1', version: AT };
  const commit = { ...key, projectRecord: content(1).record, rules: RULES };
  const [event] = checkEvents(
    buildEvents({ ...commit, observed: { project: observed, task: observed } }, changes),
  );
  return event as ChangeEvent;
}

const filtersPage = readFileSync(new URL('../../docs/filters.md', import.meta.url), 'utf8');
const SENTENCES = new Map(
  [...filtersPage.matchAll(/^\| (.+?) \| `(\{.+\})` \|$/gm)].map(([, sentence = '', json = '']) => [
    sentence,
    JSON.parse(json) as JsonObject,
  ]),
);

/** The filter as an endpoint has it. */
function filterOf(filter: unknown): EndpointFilter {
  const checked = checkEndpoint({ name: 'a', kind: 'webhook', filter });
  if ('problems' in checked) throw new Error(checked.problems.join('\n'));
  return checked.settings.filter ?? {};
}

const whyNot = (filter: EndpointFilter, event: ChangeEvent) => {
  const key = leftOutBy(filter, event);
  return key === 'where' ? unmet(filter.where ?? [], event) : key;
};

/** The title of a task changes, which makes an event. */
const titled = (before: JsonObject = {}, after = before): Change => ({
  task: [
    { ...before, title: 'Old' },
    { title: 'New', ...after },
  ],
});

const CASES: readonly (readonly [sentence: string, fitting: Change, other: Change, reason: string])[] = [
  [
    'Contract value above 100,000',
    { project: [{}, { phase: 'Close' }] },
    { project: [{}, { contractValue: '1E+5' }] },
    '`Contract value` is 1E+5, not above 100000',
  ],
  [
    'Due date moved later',
    { task: [{}, { dueDate: '2026-03-21' }] },
    { task: [{}, { dueDate: '2026-03-19' }] },
    '`dueDate` went from 2026-03-20 to 2026-03-19, not later',
  ],
  [
    'Tasks of projects in phase Build assigned to Ann',
    titled(),
    { project: [{ phase: 'Plan' }, { phase: 'Plan' }], ...titled() },
    '`project.phase` is Plan, not Build',
  ],
  [
    "Edited to be overdue, isn't done",
    { task: [{}, { dueDate: '2026-03-09' }] },
    { task: [{ status: 'Done' }, { status: 'Done', dueDate: '2026-03-09' }] },
    '`status` is Done, which is excluded',
  ],
  [
    "Edited to be overdue, isn't done",
    { task: [{ dueDate: null }, { dueDate: '2026-03-09' }] },
    { task: [{ dueDate: '2026-03-01' }, { dueDate: '2026-03-09' }] },
    '`dueDate` was 2026-03-01, which fits already',
  ],
  [
    'Due in the next seven days',
    titled({ dueDate: '2026-03-17' }),
    titled({ dueDate: '2026-03-18' }),
    '`dueDate` is 2026-03-18, not before 2026-03-18',
  ],
  [
    'Effort grew beyond 40 hours',
    { task: [{}, { effort: '40.5' }] },
    { task: [{}, { effort: '40.0' }] },
    '`Effort` is 40.0, not above 40',
  ],
  ['Budget was cut', { project: [{}, { budget: '499.99' }] }, titled(), '`budget` did not change'],
  [
    'Title mentions a contract',
    { task: [{ title: 'x' }, {}] },
    { task: [{}, { title: 'Call' }] },
    '`title` is Call, without contract',
  ],
  [
    'Lost its assignee',
    { task: [{}, { assignee: null }] },
    { task: [{ assignee: null }, {}] },
    '`assignee` is Ann Lee',
  ],
  [
    'High or critical risk, or a later go-live',
    titled({ impact: 'Critical', risk: 'Low' }),
    titled({ risk: 'Low', goLive: '2026-05-01' }),
    '`Risk` is Low, not High or Critical; `goLive` did not change',
  ],
  [
    'High or critical risk, or a later go-live',
    { task: [{}, { goLive: '2026-05-01T10:00:01Z' }] },
    { task: [{}, { goLive: '2026-05-01T11:00:00+01:00' }] },
    '`Risk` is empty, not High or Critical; `goLive` went from 2026-05-01T10:00:00Z to 2026-05-01T11:00:00+01:00, not later',
  ],
  [
    "Done in a project that isn't closed",
    { task: [{}, { status: 'Done' }] },
    { project: [{ phase: 'Closed' }, { phase: 'Closed' }], task: [{}, { status: 'Done' }] },
    '`project.phase` is Closed, which is excluded',
  ],
  [
    'Legal takes part, without a due date',
    titled({ dueDate: '' }),
    titled({ dueDate: '', teams: ['Sales'] }),
    '`Teams` is Sales, not Legal',
  ],
];

it('a sentence that teams ask for, as a filter, is one of twelve on the page, each tried here', () => {
  expect(SENTENCES.size).toBe(12);
  expect(new Set(CASES.map(([sentence]) => sentence))).toEqual(new Set(SENTENCES.keys()));
});

it.each(CASES)('a sentence that teams ask for, as a filter: %s', (sentence, fitting, other, reason) => {
  const filter = filterOf(SENTENCES.get(sentence));
  expect(whyNot(filter, eventOf(fitting))).toBeUndefined();
  expect(whyNot(filter, eventOf(other))).toBe(reason);
});

const why = (where: unknown, change: Change) => unmet(filterOf({ where }).where ?? [], eventOf(change));

describe('a condition', () => {
  it.each<[where: JsonObject, change: Change, reason: string | undefined]>([
    [{ dueDate: { above: 5 } }, titled(), '`dueDate` is a date; `above` needs a number'],
    [{ effort: { before: 'today' } }, titled(), '`effort` is a number; `before` needs a date'],
    [
      { status: { moved: 'more' } },
      { task: [{}, { status: 'x' }] },
      '`status` was a text; `more` needs a number',
    ],
    [
      { dueDate: { moved: 'later' } },
      { task: [{ dueDate: '' }, {}] },
      '`dueDate` was empty; `later` needs a date',
    ],
    [
      { dueDate: { moved: 'later' } },
      { task: [{}, { dueDate: null }] },
      '`dueDate` is empty; `later` needs a date',
    ],
    [{ 'Due date': { before: '2026-03-20' } }, titled(), '`Due date` is 2026-03-20, not before 2026-03-20'],
    [{ goLive: { after: '2026-05-01' } }, titled(), '`goLive` is 2026-05-01T10:00:00Z, not after 2026-05-01'],
    [{ goLive: { after: '2026-05-01T11:59:59+02:00' } }, titled(), undefined],
    [{ goLive: { before: '2026-05-01T10:00:01' } }, titled(), undefined],
    [{ effort: 10 }, titled({ effort: '10.0' }), undefined],
    [{ effort: { below: '-1e3' } }, titled({ effort: '-1000.01' }), undefined],
    [{ effort: { below: '-1e3' } }, titled({ effort: '-1000.00' }), '`effort` is -1000.00, not below -1e3'],
    [{ assignee: 'u1', teams: 'Sales' }, titled(), undefined],
    [{ assignee: { contains: 'LEE' } }, titled(), undefined],
    [{ status: { not: { contains: ['op', 'x'] } } }, titled(), '`status` is Open, which is excluded'],
    [{ status: { became: { not: 'Open' } } }, { task: [{}, { status: 'Done' }] }, undefined],
    [{ status: { became: { not: 'Open' } } }, { task: 'created' }, '`status` is Open, which is excluded'],
    [{ status: { became: 'Open' } }, { task: 'created' }, undefined],
    [{ status: 'Open' }, { task: 'deleted' }, undefined],
    [{ status: { became: 'Open' } }, { task: 'deleted' }, '`status` did not change'],
    [{ unknown: { not: 'x' }, dueDate: { exists: true } }, titled(), undefined],
    [{ 'project.Phase': 'Build' }, titled(), undefined],
    [
      { 'project.Phase': 'Plan' },
      { project: [{ former: 'Plan', state: 'a' }, { former: 'Plan' }] },
      '`project.Phase` is Build, not Plan',
    ],
    [
      { 'project.Phase': 'Plan' },
      { project: [{ former: 'Plan' }, { former: 'Plan' }], ...titled() },
      '`project.Phase` is Build, not Plan',
    ],
    [{ 'project.unset': { exists: false } }, titled(), undefined],
    [{ 'project.phase': { became: 'Build' } }, { project: [{ phase: 'Plan' }, {}] }, undefined],
    [{ 'project.phase': { became: 'Build' } }, titled(), '`project.phase` did not change'],
    [{ constructor: { exists: true } }, titled(), '`constructor` is empty'],
  ])('%j of %j: %s', (where, change, reason) => {
    expect(why(where, change)).toBe(reason);
  });

  it('is met by no event that does not show the field', () => {
    const [first, second, ignored] = ['long', 'short', 'progress'].map(name => `project.${name}`);
    const long = { long: 'x'.repeat(300), short: 'x', progress: 40 };
    const event = eventOf({ project: [long, long], ...titled() });
    const asks = (where: Conditions, of: object) => unmet([where], of as ChangeEvent);
    expect(asks({ [`${second}`]: { in: ['x'] } }, event)).toBeUndefined();
    for (const field of [first, ignored])
      for (const tests of [{ exists: true }, { exists: false }, { not: { in: ['a'] } }])
        expect(asks({ [`${field}`]: tests }, event)).toBe(
          `\`${field}\` has a value that is not in the event`,
        );
    const cut = eventOf({ task: [{ note: 'a' }, { note: 'x'.repeat(250_000) }] });
    for (const tests of [{ contains: ['x'] }, { became: { contains: ['x'] } }])
      expect(asks({ note: tests }, cut)).toBe('`note` has a value that is not in the event');
    const slim = withoutRecords(event);
    const unseen = (field: string) => `the event does not show \`${field}\``;
    expect(asks({ 'project.updatedAt': { exists: false } }, event)).toBe(unseen('project.updatedAt'));
    for (const field of ['status', 'project.phase', 'Due date'])
      expect(asks({ [field]: { not: { in: ['a'] } } }, slim)).toBe(unseen(field));
    expect(asks({ title: { in: ['New'] } }, slim)).toBeUndefined();
    // As events of an earlier version are: with the record, without names.
    const { project, task, ...data } = (event as ChangeEvent & { type: 'task.updated' }).data;
    const old = {
      ...event,
      data: { ...data, project: { id: project.id }, task: { ...task, names: undefined } },
    };
    expect(asks({ status: { in: ['Open'] } }, old)).toBeUndefined();
    for (const field of ['Due date', 'project.phase'])
      expect(asks({ [field]: { exists: false } }, old)).toBe(`the event does not show \`${field}\``);
    expect(asks({ status: { exists: false } }, { ...event, data: { process: data.process } })).toBe(
      'the event is of no project or task',
    );
  });

  it('has the same answer for the same event whenever it is asked', () => {
    const event = eventOf(titled({ dueDate: '2026-03-10' }));
    const later = { ...event, time: '2026-03-11T00:00:00.000Z' };
    const where = filterOf({ where: { dueDate: { before: 'today' } } });
    expect([wants(where, event), wants(where, later)]).toEqual([false, true]);
  });
});

/** The conditions as their table reads, for whole numbers, days and short texts. */
function holds(tests: FieldTests, now: Json, change?: readonly [Json, Json]): boolean {
  const { became, moved, not, ...rest } = tests;
  const number = (value: Json | undefined) => (/^-?\d+$/.test(String(value)) ? Number(value) : Number.NaN);
  const day = (value: Json | undefined) =>
    /^\d{4}-/.test(String(value)) ? Date.parse(String(value)) : Number.NaN;
  const empty = now === null || now === '' || (Array.isArray(now) && now.length === 0);
  const all = Array.isArray(now) ? now : [now];
  const same = (one: unknown, other: unknown) => String(one) === String(other);
  const plain: Record<keyof ValueTests, () => boolean> = {
    in: () => (rest.in ?? []).some(one => (empty ? one === '' : all.some(each => same(each, one)))),
    contains: () => (rest.contains ?? []).some(one => all.some(each => `${each ?? ''}`.includes(`${one}`))),
    above: () => number(now) > number(rest.above),
    below: () => number(now) < number(rest.below),
    before: () => day(now) < day(rest.before),
    after: () => day(now) > day(rest.after),
    exists: () => empty !== rest.exists,
  };
  const isNow =
    Object.keys(rest).every(key => plain[key as keyof ValueTests]()) && (!not || !holds(not, now, change));
  if (!change) return isNow && !became && !moved;
  const [from, to] = change;
  const went = { later: day(to) > day(from), earlier: day(to) < day(from) };
  const grew = { more: number(to) > number(from), less: number(to) < number(from) };
  return (
    isNow &&
    (!moved || { ...went, ...grew }[moved]) &&
    (!became || (holds(became, to) && !holds(became, from)))
  );
}

it('conditions hold as their table reads', () => {
  const text = fc.constantFrom('a', 'ab', 'b');
  const number = fc.integer({ min: -3, max: 3 });
  const day = fc.constantFrom('2026-03-01', '2026-03-02', '2026-03-03');
  const one = fc.oneof(text, day, number, number.map(String));
  const value: fc.Arbitrary<Json> = fc.oneof(
    one,
    fc.constantFrom(null, ''),
    fc.array(text, { maxLength: 2 }),
  );
  const some = fc.array(fc.oneof(one, fc.constant('')), { minLength: 1, maxLength: 2 });
  const plain = { in: some, contains: fc.array(text, { minLength: 1 }), exists: fc.boolean() };
  const all = { ...plain, above: number, below: number, before: day, after: day };
  const tests = (more: Record<string, fc.Arbitrary<unknown>>) => {
    const keyed: Record<string, fc.Arbitrary<unknown>> = { ...all, ...more };
    return fc
      .subarray(Object.keys(keyed), { minLength: 1, maxLength: 2 })
      .chain(keys =>
        fc.record(Object.fromEntries(keys.map(key => [key, keyed[key] as fc.Arbitrary<unknown>]))),
      );
  };
  const negated = tests({ not: tests({}) });
  const moved = fc.constantFrom('later', 'earlier', 'more', 'less');
  const field = tests({ not: tests({}), became: negated, moved }) as fc.Arbitrary<FieldTests>;
  const group = fc.dictionary(fc.constantFrom('one', 'two', 'project.one'), field, {
    minKeys: 1,
    maxKeys: 2,
  });
  const record = fc.record({ one: value, two: value });
  let met = 0;
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 2 }), record, record, (where, from, to) => {
      const event = eventOf({ project: [to, to], task: [from, { ...to, title: `${Math.PI}` }] });
      const changes = 'changes' in event.data ? event.data.changes : [];
      const changed = (name: string): readonly [Json, Json] | undefined => {
        const found = changes.find(change => change.field === name);
        return found && [found.from as Json, found.to as Json];
      };
      const expected = where.some(each =>
        Object.entries(each).every(([name, asked]) => {
          const property = name.replace('project.', '') as 'one' | 'two';
          return holds(asked, to[property], property === name ? changed(name) : undefined);
        }),
      );
      met += Number(expected);
      const filter = filterOf({ where });
      expect(unmet(filter.where ?? [], event) === undefined).toBe(expected);
    }),
    { numRuns: 2_000 },
  );
  expect(met).toBeGreaterThan(100);
});
