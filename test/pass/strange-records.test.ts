import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../functions/basics/json.ts';
import { openStage } from '../kit/stage.ts';
import { isRecordEvent } from '../kit/told.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

/** Odd records. Each is emitted as it is, or stops its own project and no other one. */
const stage = openStage();
const { budget } = stage;
let world: World;
const told = async () => (await stage.told()).filter(line => /^(project|task)\./.test(line));
const updated = (id: string, from = '', to = '1') => `project.updated ${id} budget: "${from}" → "${to}"`;
const isListing = ({ path }: { path: string }) => path.includes('/projects?');

/** Rewrites what every list of this kind shows, from now on. */
const rewrite = (list: 'projects' | 'tasks', change: (records: JsonObject[]) => Json) =>
  world.service.fail({
    when: ({ path }) => path.includes(`/${list}?`),
    times: 10_000,
    fault: { change: body => ({ ...body, [list]: change(body[list] as JsonObject[]) }) },
  });
const settled = async (options: WorldOptions = {}) => {
  world = await stage.settled({ projects: 3, tasksPerProject: 1, ...options });
};
/** What was emitted of one field of projects and tasks, with the event's type. */
const changesOf = async (field: string) =>
  (await world.events())
    .filter(isRecordEvent)
    .flatMap(({ type, data }) => data.changes.map(change => ({ ...change, type })))
    .filter(change => change.field === field);
const quietly = (run: Promise<unknown>) => run.catch(() => undefined);

it('fields whose names are odd are emitted once when they come, change and go', async () => {
  const NAMES = ['__proto__', 'constructor', 'length', '', 'a.b', '\u0000', '\ud800'];
  await settled();
  let value: Json | undefined;
  const add = (records: JsonObject[]) =>
    records.map(record =>
      /^(1001|500001)$/.test(String(record.id)) && value !== undefined
        ? Object.fromEntries([...Object.entries(record), ...NAMES.map(name => [name, value])])
        : record,
    );
  for (const list of ['projects', 'tasks'] as const) rewrite(list, add);
  for (const next of ['one', 'two', undefined]) {
    value = next;
    world.edit.updateProject(PROCESS, '1001', { name: `Project ${next}` });
    for (const mode of ['changes', 'changes', 'sweep'] as const) await world.later(mode);
  }
  const steps = ['null → one', 'one → two', 'two → null'];
  const expected = ['project.updated', 'task.updated'].flatMap(type => steps.map(step => `${type} ${step}`));
  for (const name of NAMES) {
    const emitted = (await changesOf(name)).map(({ type, from, to }) => `${type} ${from} → ${to}`);
    expect(emitted.sort(), name).toEqual(expected);
  }
});

describe('an identifier that is odd', () => {
  it('names one project and its task, created, updated and deleted', async () => {
    const ODD = ['__proto__', 'a/b', '...', '#', '%2F', 'PROJECT#1', '\u0000', 'é'.repeat(150), '😀'];
    await settled();
    let name = '';
    const odd = rewrite('projects', records =>
      name === ''
        ? records
        : [...records, ...ODD.map(id => ({ id, name, updatedAt: '2026-11-21T12:00:00Z' }))],
    );
    const idIn = ({ path }: { path: string }) =>
      decodeURIComponent(/projects\/([^/]+)\/tasks\?/.exec(path)?.[1] ?? '');
    for (const next of ['first', 'second']) {
      name = next;
      const answers = ODD.map(id => {
        const body = { tasks: [{ id, name }], paging: { hasNextPage: false } };
        const when = (request: { path: string }) => idIn(request) === id;
        return world.service.fail({ when, times: 100, fault: { status: 200, body } });
      });
      for (let sweep = 0; sweep < 2; sweep++) await world.later('sweep');
      for (const { cancel } of answers) cancel();
    }
    odd.cancel();
    await world.later('sweep');
    const events = (await world.events()).flatMap(({ type, data }) => {
      const project = 'project' in data && data.project.id;
      return [`${type} ${project} ${'task' in data ? data.task.id : project}`];
    });
    const types = ['project', 'task'].flatMap(kind =>
      ['created', 'deleted', 'updated'].map(what => `${kind}.${what}`),
    );
    expect(events.sort()).toEqual(types.flatMap(type => ODD.map(id => `${type} ${id} ${id}`)).sort());
  });

  it.each([
    ['too long for a key', 'x'.repeat(1_100), 'an identifier of at most 900 characters'],
    ['half a surrogate pair', 'x\ud800', 'an identifier in Unicode'],
    ['one dot', '.', 'an identifier that the path of a request can carry'],
    ['two dots', '..', 'an identifier that the path of a request can carry'],
  ])('%s, stops its own project and no other one', async (_title, id, message) => {
    await settled();
    const odd = rewrite('projects', records => [...records, { id, name: 'Odd' }]);
    budget('1001');
    await quietly(world.later());
    expect(JSON.stringify(world.said)).toContain(message);
    expect(await told()).toEqual([updated('1001')]);
    world.edit.deleteProject(PROCESS, '1003', { audit: false });
    await quietly(world.later('sweep'));
    expect((await told()).slice(1)).toEqual(['task.deleted 1003/500003', 'project.deleted 1003']);
    odd.cancel();
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(await told()).toHaveLength(3);
  });

  it('because it is as long as an answer, is skipped, which is emitted under a short one', async () => {
    await settled();
    rewrite('projects', records => [...records, { ...records[0], id: 'x'.repeat(2_000_000) }]);
    for (const value of ['1', '2']) {
      budget('1001', value);
      for (const mode of ['changes', 'sweep'] as const)
        expect(await world.later(mode)).toMatchObject({ outcome: 'completed' });
    }
    const events = await world.events();
    const skips = events.flatMap(event => (event.type === 'source.skipped' ? [event.data.project.id] : []));
    expect(skips).toEqual([expect.stringMatching(/^x{60}… [\w-]{16}$/)]);
    expect(await told()).toHaveLength(2);
  });
});

it('values nested 10,000 levels deep stop their own project and no other one, and it is emitted when they are gone', async () => {
  await settled();
  budget(['1001', '1002']);
  await world.later();
  budget('1002', '2');
  const deep = `"deep":${'['.repeat(10_000)}${']'.repeat(10_000)}`;
  const records = world.edit
    .projects(PROCESS)
    .map(record => JSON.stringify(record).replace(/"id":"1001"/, `$&,${deep}`));
  const body = `{"projects":[${records}],"paging":{"hasNextPage":false}}`;
  const odd = world.service.fail({ when: isListing, times: 10_000, fault: { status: 200, body } });
  await quietly(world.later('changes', 30_000));
  expect((await told()).slice(2)).toEqual([updated('1002', '1', '2')]);
  expect(JSON.stringify(world.said)).toContain('at most 200 levels of nesting');
  budget('1001', '3');
  odd.cancel();
  await world.later();
  expect((await told()).slice(3)).toEqual([updated('1001', '1', '3')]);
});
