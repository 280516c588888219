import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/basics/json.ts';
import { factsOf, type Place, placesIn } from '../../../functions/pass/audit-log/entry-facts.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const usersIn = (entry: JsonObject) => factsOf(entry, NOW).users.flat();
const timeIn = (entry: JsonObject) => factsOf(entry, NOW).time;

describe('the users whom an entry names as those who did it', () => {
  it.each<[shape: string, entry: JsonObject, users: string[]]>([
    ['flat', { userId: 'u1', projectId: 'p1' }, ['u1']],
    ['flat, as a number', { user_id: 7, projectId: 12 }, ['7']],
    ['flat, by its role', { createdBy: 'u1', object: 'p1' }, ['u1']],
    ['nested', { user: { id: 'u1', name: 'Ann', email: 'u2' }, entity: { id: 'p1' } }, ['u1']],
    ['nested deeply', { meta: { context: { actor: { id: 'u1' } } } }, ['u1']],
    ['by reference', { links: { author: '/v1/users/u%201' } }, ['v1', 'users', 'u 1']],
    [
      'by reference, with a query',
      { author: '/users?id=u1&of=%zz#a' },
      ['users', 'id', 'u1', 'of', '%zz', 'a'],
    ],
    ['with signs that stand in addresses, too', { by: 'u?1=a&b#c%20' }, ['u?1=a&b#c%20']],
    ['under a key without a letter', { by: { '': { _: 'u1' } } }, ['u1']],
    ['with several', { actors: [{ id: 'u2' }, { id: 'u1' }] }, ['u1', 'u2']],
    ['without a word that says who', { kind: 'edit', key: 'p1', account: 'u1' }, ['u1', 'p1', 'edit']],
    ['without one, but with numbers', { id: 1, accountId: 2, version: 3, at: '2026-11-21T09:04:05Z' }, ['2']],
    ['by null', { user: null, account: 'u1' }, []],
    ['by nothing', { user: {}, accounts: ['u1'] }, []],
  ])('%s', (_shape, entry, users) => {
    expect(new Set(usersIn(entry))).toEqual(new Set(users));
  });

  it('are not those in values, in texts, in other roles, or in copies of records', () => {
    const by = { user: 'u1' };
    for (const other of [
      { changes: [{ field: 'lead', from: { user: 'u2' }, to: { user: 'u3' } }] },
      { oldUser: 'u2', newValue: { by: 'u3' } },
      { entity: { createdBy: 'u2' }, task: { user: 'u3' } },
      { assignedTo: { user: 'u2' }, owner: 'u3', mentionedUsers: ['u4'] },
      { comment: { user: 'u2' }, userName: 'u3' },
      { affectedUserId: 'u2', responsibleUser: 'u3', onBehalfOf: { user: 'u4' } },
    ])
      expect(usersIn({ ...by, ...other })).toEqual(['u1']);
  });

  it('are of a user the identifier alone', () => {
    const user = { id: 'u1', managerId: 'u2', createdBy: 'u3', departmentId: 5 };
    expect(usersIn({ user })).toEqual(['u1']);
  });

  it('are kept apart by the keys under which they stand', () => {
    const { users } = factsOf({ updatedBy: ['u1', 'u2'], createdBy: 'u3' }, NOW);
    expect(users).toEqual([['u1', 'u2'], ['u3']]);
  });

  it('come in the order in which the entry names them', () => {
    expect(usersIn({ users: [{ id: 'u2' }, { id: 'u1' }], by: ['u4', 'u3'] })).toEqual([
      'u2',
      'u1',
      'u4',
      'u3',
    ]);
  });

  it('are the outermost ones, where keys at several depths say who', () => {
    expect(usersIn({ user: { id: 'u1' }, session: { user: { id: 'u2' } } })).toEqual(['u1']);
    expect(usersIn({ session: { user: 'u2' }, by: { who: { id: 'u1' } } })).toEqual(['u1']);
  });

  it('are never words of a sentence', () => {
    expect(usersIn({ by: 'user u1 or u2' })).toEqual([]);
  });
});

describe('the time of an entry', () => {
  it.each<[string, JsonObject[string]]>([
    ['ISO 8601', '2026-11-21T10:00:00.500Z'],
    ['with an offset', '2026-11-21T11:00:00.5+01:00'],
    ['with a space', '2026-11-21 10:00:00.500Z'],
    ['with a comma', '2026-11-21T10:00:00,500Z'],
    ['milliseconds', NOW - 7_199_500],
    ['milliseconds as text', String(NOW - 7_199_500)],
  ])('is read as %s', (_form, at) => {
    expect(timeIn({ at })).toEqual({ first: NOW - 7_199_500, last: NOW - 7_199_500 });
  });

  it('is read as seconds', () => {
    expect(timeIn({ at: NOW / 1000 - 60 })).toEqual({ first: NOW - 60_000, last: NOW - 60_000 });
  });

  it.each(['2026-11-21T10:00Z', '2026-11-21T11:00:00+0100'])('is read of %s', at => {
    expect(timeIn({ at })).toEqual({ first: NOW - 7_200_000, last: NOW - 7_200_000 });
  });

  it('lies between the earliest and the latest that stand in it, of the past', () => {
    const [first, last, future] = [NOW - 5_000, NOW, NOW + 1];
    expect(timeIn({ a: last, b: { c: [first] }, dueDate: future, to: first - 1 })).toEqual({ first, last });
  });

  it.each<[string, JsonObject]>([
    ['no time', { user: 'u1' }],
    ['a date alone', { at: '2026-11-21' }],
    ['a time without zone', { at: '2026-11-21T10:00:00' }],
    ['a time that is none', { at: '2026-13-41T10:00:00Z' }],
    ['a number that is too small', { at: '0000000001' }],
    ['a longer number', { at: 17_637_264_000_000 }],
    ['a time in a changed value', { changes: [{ from: '2026-11-21T10:00:00Z' }] }],
    ['a time in a sentence', { at: 'on 2026-11-21T10:00:00Z' }],
  ])('is none for %s', (_what, entry) => {
    expect(timeIn(entry)).toBeUndefined();
  });
});

describe('what an entry is about', () => {
  const recordsIn = (entry: JsonObject) => {
    const { projects, tasks } = factsOf(entry, NOW);
    return { projects: [...projects].sort(), tasks: [...tasks].sort() };
  };

  it('are the projects and tasks that its keys call so', () => {
    const entry = { id: 7, projectId: 12, details: { taskIds: ['t1', 3] }, project: { parent: 'p2' } };
    expect(recordsIn(entry)).toEqual({ projects: ['12', 'p2'], tasks: ['3', 't1'] });
  });

  it('are, where no key says so, whatever may identify them, also in paths', () => {
    const entry = { target: '/projects/p%2F1/tasks/t1', entity: { id: 5 } };
    const names = ['5', 'p/1', 'projects', 't1', 'tasks'];
    expect(recordsIn(entry)).toEqual({ projects: names, tasks: names });
  });

  it.each(['17637180370', '11763718037', '17637180370001', '11763718037000'])(
    'are those of %s, which has a digit too many or too few for a time',
    id => {
      expect(recordsIn({ entity: { id } }).projects).toEqual([id]);
    },
  );

  it('are not in values, texts, times, counts, the entry’s own identifier, or those who did it', () => {
    const entry = {
      ...{ id: 37, at: '2026-11-21T09:37:12.037Z', time: 1_763_718_037_000, version: 37 },
      ...{ user: { id: 37 }, title: '37', changes: [{ from: 37, to: '37', days: 37 }], text: 'of 37' },
    };
    expect(recordsIn(entry)).toEqual({ projects: [], tasks: [] });
  });

  it('is the project too from which a task was moved', () => {
    expect(recordsIn({ taskId: 't1', fromProjectId: 'p1', projectId: 'p2' })).toEqual({
      projects: ['p1', 'p2'],
      tasks: ['t1'],
    });
  });

  it.each<[JsonObject, boolean]>([
    [{ projectId: 'p1', taskId: 't1' }, true],
    [{ projectId: 'p1', action: 'task.updated' }, true],
    [{ project: { id: 'p1' }, entityType: 'SUBTASK' }, true],
    [{ href: '/projects/p1/tasks/9' }, true],
    [{ projectId: 'p1', taskId: null }, false],
    [{ projectId: 'p1', name: 'A task force' }, false],
    [{ projectId: 'p1', multitasking: 'yes' }, false],
  ])('is a task where it speaks of one: %j', (entry, expected) => {
    expect(factsOf(entry, NOW).isOfTask).toBe(expected);
  });

  it('is looked for no further in an entry that is larger than any', () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => index);
    expect(factsOf({ ids }, NOW).projects.size).toBe(10_000);
  });
});

describe('the keys that lead to a value in an entry', () => {
  const placeIn = (...keys: string[]) =>
    placesIn(keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), 'x') as JsonObject)[0] as Place;
  const PLAIN = { user: undefined, isOfOthers: false, isContent: false, isOfProject: false, isOfTask: false };
  const by = (key: string, depth = 0) => ({ user: { key, depth } });
  const others = { isOfOthers: true };

  it.each<[keys: string, meaning: object]>([
    ['_', {}],
    ...['user_id', 'USER-ID', 'createdBy', 'who', 'Actor', 'lastEDITOR'].map(
      key => [`data ${key}`, by(key, 1)] as [string, object],
    ),
    ...['superuser', 'bystander', 'useful', 'user2'].map(key => [key, {}] as [string, object]),
    ['by user id', by('by')],
    ['projectId any', { ...others, isOfProject: true }],
    ['subtasks', { ...others, isOfTask: true }],
    ['projectTask', { ...others, isOfProject: true, isOfTask: true }],
    ['target', others],
    ['assignee any id', others],
    ['onBehalfOf', others],
    ['user userId', by('user')],
    ['user departmentId id', { ...by('user'), ...others }],
    ['departmentId', {}],
    ['newValue', { isContent: true }],
    ['comment id', { isContent: true }],
    ['oldTaskId', { ...others, isOfTask: true }],
    ['fromProject', { ...others, isOfProject: true, isContent: true }],
    ['fromId', { isContent: true }],
    ['from projectId', { ...others, isOfProject: true, isContent: true }],
  ])('%s give it this meaning: %j', (keys, meaning) => {
    expect(placeIn(...keys.split(' '))).toEqual({ text: 'x', mayIdentify: true, ...PLAIN, ...meaning });
  });

  it('show what may be an identifier: any text, a number by its key alone, the entry’s own by none', () => {
    const entry = { n: 7, a: { id: 'x' }, ids: 7, ref: 7, user: 7, projects: 7, task: 7, target: 7, id: 'x' };
    expect(placesIn(entry).map(({ mayIdentify }) => mayIdentify)).toEqual([
      false,
      ...Array(7).fill(true),
      false,
    ]);
  });

  it('are in the entry’s order, from lists and objects alike, as far as 10,000 values', () => {
    const entry = { a: 'one', b: [2, { c: 'three' }, ['four']], d: null, e: true, f: {}, g: [] };
    expect(placesIn(entry).map(({ text }) => text)).toEqual(['one', '2', 'three', 'four', '', '', '', '']);
    expect(placesIn({})).toMatchObject([{ text: '' }]);
    const many = Array.from({ length: 10_001 }, (_, index) => index);
    expect(placesIn({ many }).map(({ text }) => text)).toEqual(many.slice(0, 10_000).map(String));
  });
});
