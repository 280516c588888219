import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/basics/json.ts';
import type { ProjectContent } from '../../../functions/model/snapshot.ts';
import { Actors } from '../../../functions/pass/audit-log/actors.ts';
import { namesIn } from '../../../functions/pass/audit-log/names.ts';
import { Users } from '../../../functions/pass/reading/users.ts';
import { passContext } from '../../kit/pass/context.ts';

type ProjectChange = Parameters<Actors['of']>[0];

/** No whole second: what happens then is told to the millisecond. */
const AT = Date.UTC(2026, 10, 21, 12) + 7;
const iso = (time: number) => new Date(time).toISOString();

const KNOWN = ['u1', 'u2', 'u3', 'a', 'bc', 'ab', 'c', 'p2', 't1', 't2'];

/** The actors that these entries of a log tell, which was read at AT. All users are known but `u8`, `u9`; `u3` has no name. */
function actors(entries: readonly JsonObject[], projects = ['p1', 'p2'], known = KNOWN, wasUntimed = false) {
  const counts = { asked: 0 };
  const users = {
    names: known.map((id): [string, string?] => (id === 'u3' ? [id] : [id, `Name of ${id}`])),
    askedAt: AT,
    unknownIds: ['u8', 'u9'],
  };
  const context = passContext({
    snapshots: {
      users: async () => {
        counts.asked += 1;
        return users;
      },
    },
  });
  const namesByEntry = entries.map(entry => namesIn([entry]));
  const read = { entries, namesByEntry, readAt: AT, position: undefined, wasUntimed };
  return { actors: new Actors(read, new Set(projects), new Users(context)), counts };
}

const contentOf = (...tasks: string[]): ProjectContent => ({
  record: { id: 'p1' },
  tasks: new Map(tasks.map(id => [id, { id }])),
});
const changed = (
  entity: 'project' | 'task',
  id: string,
  action: ProjectChange['changes'][number]['action'] = 'updated',
) => ({
  ...{ entity, id, action },
});
/** An edit of p1 and its task t1, whose last readings show what was there a minute ago. */
const EDIT: ProjectChange = {
  projectId: 'p1',
  snapshot: { content: contentOf('t1'), readUntil: { record: AT - 60_000, tasks: AT - 50_000 } },
  content: contentOf('t1'),
  changes: [changed('project', 'p1'), changed('task', 't1')],
  source: { record: { id: 'p1' }, readAt: AT },
  tasks: {},
};
const PROJECT = { entity: 'project', id: 'p1' } as const;
const TASK = { entity: 'task', id: 't1' } as const;

/** The ids of those who changed the project, and its task, by these entries; undefined for nobody. */
async function whoBy(
  entries: readonly JsonObject[],
  change: Partial<ProjectChange> = {},
  seenUpTo = AT - 90_000,
) {
  const of = await actors(entries).actors.of({ ...EDIT, ...change }, seenUpTo);
  return [PROJECT, TASK].map(record => of?.(record)?.map(({ id }) => id));
}
const at = (before: number) => iso(AT - before);
const ofProject = (user: string, before = 10_000) => ({ projectId: 'p1', by: user, at: at(before) });
const ofTask = (user: string, before = 10_000) => ({ ...ofProject(user, before), taskId: 't1' });

describe('who changed a record', () => {
  it('is said by the entries that name it, each of project and task by its own, with names where there are some', async () => {
    const { actors: told } = actors([ofProject('u1'), ofTask('u3')]);
    const of = await told.of(EDIT, AT - 90_000);
    expect([of?.(PROJECT), of?.(TASK)]).toStrictEqual([[{ id: 'u1', name: 'Name of u1' }], [{ id: 'u3' }]]);
    expect(of?.({ entity: 'task', id: 't2' })).toBeUndefined();
  });

  it('is each user once, by the times of the entries', async () => {
    const entries = [ofTask('u2', 5_000), ofTask('u1', 9_000), ofTask('u2', 7_000), ofTask('u3', 8_000)];
    expect(await whoBy(entries)).toEqual([undefined, ['u1', 'u3', 'u2']]);
  });

  it('is nobody where no entry names the project, or only beside another one that its keys call so', async () => {
    expect(await whoBy([])).toEqual([undefined, undefined]);
    expect(await actors([], []).actors.of(EDIT, 0)).toBeUndefined();
    expect(await whoBy([{ ...ofTask('u1'), projectId: 'p2', ref: 'p1' }])).toEqual([undefined, undefined]);
  });

  it('is nobody by an entry without a time, or of what passes have seen', async () => {
    expect(await whoBy([{ projectId: 'p1', by: 'u1' }])).toEqual([undefined, undefined]);
    expect(await whoBy([ofProject('u1')], {}, AT - 10_001)).toEqual([['u1'], undefined]);
    expect(await whoBy([ofProject('u1')], {}, AT - 10_000)).toEqual([undefined, undefined]);
  });

  it('takes an entry of the second in which the log was read, and none of later', async () => {
    const source = { ...EDIT.source, readAt: AT + 5_000 };
    expect(await whoBy([ofTask('u1', -1_000)], { source })).toEqual([undefined, ['u1']]);
    expect(await whoBy([ofTask('u1', -1_001)], { source })).toEqual([undefined, undefined]);
  });

  it('is of the record and of the tasks what came behind the reading that the snapshot holds of each', async () => {
    expect(await whoBy([ofProject('u1', 59_999), ofTask('u2', 49_999)])).toEqual([['u1'], ['u2']]);
    expect(await whoBy([ofProject('u1', 60_000), ofTask('u2', 50_000)])).toEqual([undefined, undefined]);
  });

  it('is nobody of a project that was never known, where the service once told no time: nobody knows when the last sweep was', async () => {
    const made = { ...EDIT, snapshot: undefined, changes: [changed('project', 'p1', 'created')] };
    const who = async (wasUntimed: boolean, change: ProjectChange) => {
      const { actors: told } = actors([ofProject('u1')], undefined, undefined, wasUntimed);
      return (await told.of(change, AT - 90_000))?.(PROJECT)?.map(({ id }) => id);
    };
    expect([await who(false, made), await who(true, made)]).toEqual([['u1'], undefined]);
    expect(await who(true, EDIT)).toEqual(['u1']);
  });

  it('is nobody where only our clock tells when something was read, or nothing changed: then nobody is asked for', async () => {
    const snapshot = { content: contentOf('t1') };
    const tombstone = { version: 1, readAt: AT - 60_000 };
    for (const change of [
      { snapshot },
      { snapshot: undefined, tombstone },
      { source: { ...EDIT.source, untimed: true } },
      { tasks: { untimed: true } },
      { changes: [] },
    ]) {
      const { actors: told, counts } = actors([ofProject('u1'), ofTask('u2')]);
      expect(await told.of({ ...EDIT, ...change }, 0)).toBeUndefined();
      expect(counts.asked).toBe(0);
    }
  });

  it('of a project that was never known is whoever made it, and nobody where no sweep listed all projects: it may be older than the log', async () => {
    const change = { snapshot: undefined, changes: [changed('project', 'p1', 'created')] };
    expect(await whoBy([ofProject('u1', 80_000)], change)).toEqual([['u1'], undefined]);
    expect(await whoBy([ofProject('u1', 80_000)], change, 0)).toEqual([undefined, undefined]);
  });

  it('of the tasks that come or go with their project is nobody', async () => {
    const entries = [ofProject('u1'), ofTask('u2')];
    for (const action of ['created', 'deleted'] as const) {
      const changes = [changed('project', 'p1', action), changed('task', 't1', action)];
      expect(await whoBy(entries, { changes })).toEqual([['u1'], undefined]);
    }
    expect(await whoBy(entries, { changes: [changed('task', 't1', 'deleted')] })).toEqual([['u1'], ['u2']]);
  });

  it('of a project is nobody by an entry that speaks of a task, of now or of before', async () => {
    expect(await whoBy([{ ...ofProject('u1'), action: 'task.updated' }])).toEqual([undefined, undefined]);
    const entry = { item: 't1', ref: 'p1', by: 'u1', at: at(10_000) };
    const [before, now] = [{ content: contentOf('t2') }, { content: contentOf('t1') }];
    const readUntil = { record: AT - 60_000, tasks: AT - 60_000 };
    for (const [was, is] of [
      [now, before],
      [before, now],
    ] as const) {
      const change = { snapshot: { ...was, readUntil }, ...is };
      expect(await whoBy([entry], change)).toEqual([undefined, ['u1']]);
    }
    expect(await whoBy([entry], { snapshot: { ...before, readUntil }, ...before })).toEqual([['u1'], ['u1']]);
  });

  it('is nobody whose identifier is that of a project or of one of its tasks, too', async () => {
    expect(await whoBy([ofProject('p2')])).toEqual([undefined, undefined]);
    const readUntil = { record: 0, tasks: 0 };
    for (const [was, is] of [
      ['t2', 't1'],
      ['t1', 't2'],
    ] as const) {
      const change = { snapshot: { content: contentOf(was), readUntil }, content: contentOf(is) };
      expect(await whoBy([ofProject('t2')], change)).toEqual([undefined, undefined]);
    }
    expect(await whoBy([ofProject('t2')])).toEqual([['t2'], undefined]);
  });

  it('is nobody where one entry about it names nobody who is known', async () => {
    expect(await whoBy([ofTask('u1'), ofTask('u9', 9_000)])).toEqual([undefined, undefined]);
    expect(await whoBy([ofTask('u9')])).toEqual([undefined, undefined]);
  });

  it('is nobody where one entry names different users under different keys', async () => {
    const { by: _, ...entry } = ofTask('');
    const differ = { ...entry, createdBy: ['a', 'bc'], updatedBy: ['ab', 'c'] };
    expect(await whoBy([differ])).toEqual([undefined, undefined]);
    const both = ['u1', 'u2'];
    expect(await whoBy([{ ...entry, createdBy: both, updatedBy: both }])).toEqual([undefined, both]);
    expect(await whoBy([{ ...entry, createdBy: ['u8', 'u1'], updatedBy: 'u9' }])).toEqual([
      undefined,
      ['u1'],
    ]);
    const three = { ...entry, createdBy: 'u1', updatedBy: 'u1', editedBy: 'u2' };
    expect(await whoBy([three])).toEqual([undefined, undefined]);
  });

  it('is not told where they are more than fifty', async () => {
    const many = Array.from({ length: 51 }, (_, index) => `m${index}`);
    const entries = many.map(id => ofTask(id));
    for (const [count, told] of [
      [50, 50],
      [51, undefined],
    ]) {
      const of = await actors(entries.slice(0, count), ['p1'], many).actors.of(EDIT, 0);
      expect(of?.(TASK)?.length).toBe(told);
    }
  });
});

describe('an edit of a project counts', () => {
  const second = AT - (AT % 1_000);
  const minute = AT - (AT % 60_000);
  const by = (last: number) => ({ projectId: 'p1', by: 'u1', at: iso(last) });
  const isTold = async (last: number, source: Partial<ProjectChange['source']>) => {
    const [who] = await whoBy([by(last)], { source: { ...EDIT.source, readAt: 0, ...source } }, 0);
    return who !== undefined;
  };

  it.each([
    ['the millisecond', AT - 10_000, 1],
    ['the second', second - 10_000, 1_000],
    ['the minute', minute, 60_000],
  ])('where it is over when the record is read: by %s', async (_, last, tick) => {
    expect(await isTold(last, { readAt: last + tick })).toBe(true);
    expect(await isTold(last, { readAt: last + tick - 1 })).toBe(false);
  });

  it.each([
    ['millisecond', AT - 10_000, true],
    ['second', second - 10_000, false],
    ['minute', minute, false],
  ])('where the record was updated later, or in the same time, if that is a %s', async (_, last, isSame) => {
    const updatedBy = (updatedAt: number) =>
      isTold(last, { record: { id: 'p1', updatedAt: iso(updatedAt) } });
    expect(await updatedBy(last + 1)).toBe(true);
    expect(await updatedBy(last)).toBe(isSame);
    expect(await updatedBy(last - 1)).toBe(false);
  });
});

const NO_TASKS = { tasks: [] };

it('who an entry names as those who acted are the known users in it, whatever it is about', async () => {
  const entries = [{ by: ['u2', 'u1', 'u2'] }, { by: 'u9' }, { by: 'p2' }, { user: null, what: 'nothing' }];
  const { actors: told, counts } = actors(entries);
  const usersIn = await told.ofEntries(new Map(entries.map(entry => [entry, NO_TASKS])));
  expect(entries.map(entry => usersIn(entry).map(({ id }) => id))).toEqual([['u2', 'u1'], [], [], []]);
  expect(counts.asked).toBe(1);
});

it('who an entry names as those who acted is nobody whose identifier is that of a task in it, too', async () => {
  const entry = { by: ['u2', 'u1'] };
  const usersIn = await actors([entry]).actors.ofEntries(new Map([[entry, { tasks: [{ id: 'u2' }] }]]));
  expect(usersIn(entry).map(({ id }) => id)).toEqual(['u1']);
});

it('who an entry names as those who acted are asked for by nothing where none is named', async () => {
  for (const entries of [[], [{ by: null }, { at: iso(AT) }]]) {
    const { actors: told, counts } = actors(entries);
    const usersIn = await told.ofEntries(new Map(entries.map(entry => [entry, NO_TASKS])));
    expect(entries.map(usersIn)).toEqual(entries.map(() => []));
    expect(counts.asked).toBe(0);
  }
});
