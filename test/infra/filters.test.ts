import { describe, expect, test } from 'vitest';
import { readExamples } from '../../docs/read-examples.ts';
import { EVENT_TYPES, endpointFilter, FILTER_TYPES, mayCarry } from '../../functions/config/filter.ts';
import { type ChangeEvent, eventSchemas } from '../../functions/model/event.ts';
import { FILTER_KEYS, HEALTH_TYPES } from '../../functions/model/filter.ts';
import { messageOf } from '../../functions/topic/send-batch.ts';
import { config, endpoint, problemsOf, subscription } from '../kit/infra/config-examples.ts';

describe('what a filter may ask for', () => {
  test('is every type of event that there is, and what their messages carry', () => {
    expect(EVENT_TYPES).toEqual(Object.keys(eventSchemas));
    const { events } = readExamples();
    for (const type of EVENT_TYPES) {
      const { MessageAttributes } = messageOf(events[type] as ChangeEvent);
      for (const attribute of ['eventType', 'workspace', 'processId', 'projectId', 'changedFields'] as const)
        expect(mayCarry(type, attribute), `${type} ${attribute}`).toBe(attribute in MessageAttributes);
    }
  });

  test.each([
    ['audit.x', ''],
    ['source.anything', ''],
    ['source.stall', '; did you mean "source.stalled"?'],
    ['task.update', '; did you mean "task.updated"?'],
    ['Project.Created', '; did you mean "project.created"?'],
    ['task.*', ''],
  ])('is no event %s: the error lists those that there are, and the nearest', (type, hint) => {
    const asked = ['task.created', type];
    for (const [path, types, input] of [
      ['subscriptions[0].filter.eventType[1]', EVENT_TYPES, subscription({ filter: { eventType: asked } })],
      ['endpoints[0].filter.events[1]', FILTER_TYPES, endpoint({ filter: { events: asked } })],
    ] as const)
      expect(problemsOf(config(input))).toEqual([
        `changewire.${path}: found "${type}"; allowed: one of ${types.map(each => `"${each}"`).join(', ')}${hint}`,
      ]);
  });

  test.each(HEALTH_TYPES)('is %s of an endpoint alone, without keys that it has no part for', type => {
    const endpointOf = (filter: object) => problemsOf(config(endpoint({ filter })));
    expect(endpointOf({ events: [type], exceptActors: ['CRM sync'] })).toEqual([]);
    const [refused, ...others] = problemsOf(config(subscription({ filter: { eventType: [type] } })));
    expect([refused?.split('; ').at(-1), others]).toEqual(['SNS does not get it: make it an endpoint', []]);
    for (const key of ['workspaces', 'processes', 'projects', 'fields', 'actors'])
      expect(endpointOf({ events: [type], [key]: ['eu'] }).join()).toContain(
        `filter.events[0]: found "${type}", which never matches changewire.endpoints[0].filter.${key}`,
      );
  });
});

describe('a filter for actors', () => {
  test('may be asked of the types that can have some, or users of an audit entry', () => {
    for (const type of EVENT_TYPES) {
      const { shape } = eventSchemas[type].shape.data;
      expect([type, mayCarry(type, 'actors')]).toEqual([type, 'actors' in shape || 'users' in shape]);
    }
  });

  test('is taken for an endpoint', () => {
    const filter = { actors: ['Ann Lee', 'u-2'], exceptActors: ['CRM sync'] };
    expect(problemsOf(config(endpoint({ filter })))).toEqual([]);
    const found = { filter: { actors: [], exceptActors: [''] } };
    expect(problemsOf(config(endpoint(found)))).toEqual([
      "changewire.endpoints[0].filter.actors: found an empty list; allowed: a list of at least one of actors' ids or names",
      'changewire.endpoints[0].filter.exceptActors[0]: found ""; allowed: text of 1 to 256 characters',
    ]);
  });

  test.each(['actors', 'exceptActors', 'values', 'where'])('is refused for a subscription: %s', key => {
    expect(problemsOf(config(subscription({ filter: { [key]: ['Ann Lee'] } })))).toEqual([
      `changewire.subscriptions[0].filter.${key}: unknown key (a list of 1); allowed keys: eventType, workspace, ` +
        "processId, projectId, changedFields; SNS can't filter by that: make it an endpoint, whose filter has this key",
    ]);
  });

  test('has nothing to say of a key that nobody expects there, whatever it is called', () => {
    expect(problemsOf(config(subscription({ filter: { constructor: 'x' } })))).toEqual([
      'changewire.subscriptions[0].filter.constructor: unknown key (text of 1 characters); ' +
        'allowed keys: eventType, workspace, processId, projectId, changedFields',
    ]);
  });
});

describe('a filter that can never match', () => {
  const withFields = 'project.created, project.updated, task.created, task.updated';
  const records =
    'project.created, project.updated, project.deleted, task.created, task.updated, task.deleted';
  const ofProjects = `${records}, task.due, task.overdue, project.due, project.overdue, project.unchanged, source.skipped`;

  test.each([
    ['fields', ['status'], 'source.held', withFields],
    ['values', [{ field: 'status', to: 'Done' }], 'task.deleted', withFields],
    ['actors', ['Ann Lee'], 'field.updated', `${records}, audit.recorded`],
    ['projects', ['7'], 'source.stalled', ofProjects],
  ])(
    'because it asks by %s for %j, which no %s has, is refused with the types that have one',
    (key, wanted, type, fitting) => {
      const filter = { events: ['task.updated', type], [key]: wanted };
      expect(problemsOf(config(endpoint({ filter })))).toEqual([
        `changewire.endpoints[0].filter.events[1]: found "${type}", which never matches ` +
          `changewire.endpoints[0].filter.${key}; allowed with it: ${fitting}`,
      ]);
    },
  );

  test('is refused for a subscription, too, by its own keys', () => {
    const filter = { eventType: ['task.deleted'], changedFields: ['status'] };
    expect(problemsOf(config(subscription({ filter })))).toEqual([
      'changewire.subscriptions[0].filter.eventType[0]: found "task.deleted", which never matches ' +
        `changewire.subscriptions[0].filter.changedFields; allowed with it: ${withFields}`,
    ]);
  });

  const two = {
    workspaces: ['eu', 'us'].map(name => ({
      ...config().workspaces[0],
      name,
      processes: [{ id: `${name}-one` }, { id: `${name}-two` }],
    })),
  };

  test('because workspace and process do not belong together is refused; but for a typo it gets the nearest', () => {
    const between = (processes: string[]) =>
      problemsOf({ ...two, ...endpoint({ filter: { workspaces: ['eu'], processes } }) });
    expect(between(['us-one', 'eu-one'])).toEqual([
      'changewire.endpoints[0].filter.processes[0]: found "us-one", which belongs to none of ' +
        'changewire.endpoints[0].filter.workspaces; allowed: a value that does, or omit one of the two keys',
    ]);
    const filter = { workspace: ['eu', 'us'], processId: ['us-one'] };
    expect(problemsOf({ ...two, ...subscription({ filter }) })).toEqual([
      expect.stringMatching(/^changewire\.subscriptions\[0\]\.filter\.workspace\[0\]: found "eu", which/),
    ]);
    expect(between(['eu-on'])).toEqual([
      'changewire.endpoints[0].filter.processes[0]: found "eu-on"; allowed: eu-one, eu-two, us-one, us-two; ' +
        'did you mean "eu-one"?',
    ]);
  });
});

test.each([
  { events: ['task.updated', 'project.created'], fields: ['status'], projects: ['1'] },
  { events: ['source.skipped', 'task.deleted'], projects: ['1'] },
  { fields: ['status'] },
  { events: ['source.held', 'field.deleted'], workspaces: ['eu'], processes: ['p1'] },
])('a filter that can match is right: %j', filter => {
  expect(problemsOf(config(endpoint({ filter })))).toEqual([]);
});

const at = 'changewire.endpoints[0].filter';
/** The problems of an endpoint with this part in its filter, for these events. */
const asking = (part: object, events?: readonly string[]) =>
  problemsOf(config(endpoint({ filter: { ...part, ...(events && { events }) } })));

describe('a condition on values', () => {
  const withValues = (values: unknown, events?: readonly string[]) => asking({ values }, events);
  const VALUES =
    'allowed: text of at most 256 characters, a number, true or false, or a list of at least one of these';

  test.each([
    [[{ field: 'status', to: 'Done' }]],
    [[{ field: 'Status', from: ['', 'Open'], to: ['Done', 3, false] }]],
    [
      [
        { field: 'teams', added: 'Legal' },
        { field: 'teams', removed: ['Sales'] },
      ],
    ],
    [[{ field: 'status', from: 'Open', to: ['Open', 'Done'] }]],
  ])('is taken: %j', values => {
    expect(withValues(values)).toEqual([]);
    expect(withValues(values, ['task.updated', 'task.created'])).toEqual([]);
  });

  test.each([
    [[], 'values: found an empty list; allowed: a list of at least one of conditions on values'],
    [[{ to: 'Done' }], 'values[0].field: found nothing; allowed: text of 1 to 256 characters'],
    [
      [{ field: 'status' }],
      'values[0]: found an object; allowed: in addition to "field", at least one of from, to, added, removed',
    ],
    [[{ field: 'status', to: [] }], `values[0].to: found an empty list; ${VALUES}`],
    [[{ field: 'status', to: { name: 'Done' } }], `values[0].to: found an object; ${VALUES}`],
    [
      [{ field: 'status', is: 'Done' }],
      'values[0].is: unknown key (text of 4 characters); allowed keys: field, from, to, added, removed',
    ],
    [
      [{ field: 'status', from: 'Done', to: ['Done'] }],
      'values[0]: found the same value in "from" and "to", which no change has; allowed: two different values',
    ],
  ])('is refused with what is allowed: %j', (values, problem) => {
    expect(withValues(values)).toContain(`${at}.${problem}`);
  });

  test('on what was before is refused where only what is created is asked for', () => {
    const problem = (key: string) =>
      `${at}.values[0].${key}: found a value before the change, but ${at}.events lists only ` +
      'created events, which have none; allowed: add "project.updated" or "task.updated" there';
    const created = ['task.created', 'project.created'];
    expect(withValues([{ field: 'status', from: 'Open' }], created)).toEqual([problem('from')]);
    expect(withValues([{ field: 'teams', removed: 'Sales' }], created)).toEqual([problem('removed')]);
    expect(withValues([{ field: 'status', from: ['', 'Open'] }], created)).toEqual([]);
    expect(withValues([{ field: 'status', to: 'Open' }], created)).toEqual([]);
    expect(withValues([{ field: 'status', from: 'Open' }])).toEqual([]);
  });
});

describe('conditions on the record', () => {
  const withWhere = (where: unknown, events?: readonly string[]) => asking({ where }, events);
  const number = 'allowed: a number';
  const date =
    'allowed: a day of the calendar such as "2026-05-01", a time in ISO 8601, or a day from that of the event such as "today", "+7d" or "-1d"';
  const tests = 'in, contains, above, below, before, after, exists';
  const conditions = 'allowed: an object with conditions by field, or a list of such objects';

  test.each([
    ['Done', { status: 'Done' }],
    [0, { effort: ['', 0, false] }],
    [1, { dueDate: { before: '+7d', after: '2026-05-01T10:00:00Z' }, effort: { above: '1e3', below: -2.5 } }],
    [2, [{ 'project.phase': { not: ['Plan'] } }, { status: { became: { not: { contains: 'x' } } } }]],
    [3, { 'Due date': { moved: 'later', exists: true } }],
  ])('are taken: %s', (_, where) => {
    expect(withWhere(where)).toEqual([]);
    expect(withWhere(where, ['task.updated'])).toEqual([]);
  });

  test.each<[where: unknown, problem: string]>([
    [{}, 'where: found an empty object; allowed: an object with at least one field, each with its condition'],
    [[], `where: found an empty list; ${conditions}`],
    ['Done', `where: found "Done"; ${conditions}`],
    [{ dueDate: { above: '2026-05-01' } }, `where.dueDate.above: found "2026-05-01"; ${number}`],
    [{ dueDate: { before: 'soon' } }, `where.dueDate.before: found "soon"; ${date}`],
    [{ dueDate: { after: '2026-02-30' } }, `where.dueDate.after: found "2026-02-30"; ${date}`],
    [
      { dueDate: { before: '2026-02-30T08:00:00+01:00' } },
      `where.dueDate.before: found "2026-02-30T08:00:00+01:00"; ${date}`,
    ],
    [{ dueDate: { became: { after: 7 } } }, `where.dueDate.became.after: found 7; ${date}`],
    [[{ effort: { not: { below: 'a' } } }], `where[0].effort.not.below: found "a"; ${number}`],
    [
      { dueDate: { moved: 'up' } },
      'where.dueDate.moved: found "up"; allowed: one of "later", "earlier", "more", "less"',
    ],
    [
      { effort: {} },
      `where.effort: found an empty object; allowed: a value, a list of values, or an object with at least one of ${tests}, not, became, moved`,
    ],
    [
      { effort: { abov: 7 } },
      `where.effort.abov: unknown key (7); allowed keys: ${tests}, not, became, moved; did you mean "above"?`,
    ],
    [{ effort: { not: { became: 7 } } }, `where.effort.not.became: unknown key (7); allowed keys: ${tests}`],
    [
      { dueDate: { moves: 'later' } },
      `where.dueDate.moves: unknown key (text of 5 characters); allowed keys: ${tests}, not, became, moved; did you mean "moved"?`,
    ],
  ])('are refused with what is allowed, by one problem: %j', (where, problem) => {
    expect(withWhere(where)).toEqual([`${at}.${problem}`]);
  });

  test('are refused beside an event that has no record, or no change if each group needs one', () => {
    const never = 'found "task.deleted", which never matches';
    const change = { dueDate: { moved: 'later' } };
    expect(withWhere([change, { status: 'Done' }], ['task.deleted'])).toEqual([]);
    expect(withWhere(change, ['task.deleted'])).toEqual([
      `${at}.events[0]: ${never} ${at}.where; allowed with it: project.created, project.updated, task.created, task.updated`,
    ]);
    expect(withWhere({ status: 'Done' }, ['field.updated'])).toEqual([
      `${at}.events[0]: found "field.updated", which never matches ${at}.where; allowed with it: ` +
        'project.created, project.updated, project.deleted, task.created, task.updated, task.deleted, ' +
        'task.due, task.overdue, project.due, project.overdue, project.unchanged',
    ]);
  });
});

test('an endpoint filters by the keys that its filter has', () => {
  expect(Object.keys(endpointFilter.shape)).toEqual(FILTER_KEYS);
});
