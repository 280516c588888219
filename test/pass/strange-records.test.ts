import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../functions/basics/json.ts';
import { openStage } from '../kit/stage.ts';
import { isRecordEvent } from '../kit/told.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

/** Records that nobody would send. Each is told rightly, or stops its own project and no other one. */
const stage = openStage();
let world: World;
/** What is told of projects and tasks. */
const told = async () => (await stage.told()).filter(line => /^(project|task)\./.test(line));

type Records = JsonObject[];
const isListing = ({ path }: { path: string }) => path.includes('/projects?');
const isTasks = ({ path }: { path: string }) => path.includes('/tasks?');

/** Rewrites what every listing shows, from now on. */
function projects(rewrite: (records: Records) => Json) {
  const change = (body: JsonObject) => ({ ...body, projects: rewrite(body.projects as Records) });
  return world.service.fail({ when: isListing, times: 10_000, fault: { change } });
}
function tasks(rewrite: (records: Records) => Json) {
  const change = (body: JsonObject) => ({ ...body, tasks: rewrite(body.tasks as Records) });
  return world.service.fail({ when: isTasks, times: 10_000, fault: { change } });
}

async function baselined(options: WorldOptions = {}): Promise<void> {
  world = await stage.create({ projects: 3, tasksPerProject: 1, ...options });
  await world.run();
  await world.later('changes', 600_000);
}
/** What is told of one field of projects and tasks, with the event's type. */
const changesOf = async (field: string) =>
  (await world.events())
    .filter(isRecordEvent)
    .flatMap(({ type, data }) => data.changes.map(change => ({ ...change, type })))
    .filter(change => change.field === field);
const failed = () => JSON.stringify(world.said);
const quietly = (run: Promise<unknown>) => run.catch(() => undefined);

const NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'length',
  '',
  ' ',
  'a.b',
  '\u0000',
  '\ud800',
];

describe('a field whose name is odd', () => {
  it.each(NAMES)('is told once when it comes, changes and goes: %j', async name => {
    await baselined();
    let value: Json | undefined = 'one';
    const add = (records: Records) =>
      records.map(record => {
        if (record.id !== '1001' && record.id !== '500001') return record;
        return Object.fromEntries([
          ...Object.entries(record),
          ...(value === undefined ? [] : [[name, value]]),
        ]);
      });
    projects(add);
    tasks(add);
    for (const next of ['one', 'two', undefined]) {
      value = next;
      world.edit.updateProject(PROCESS, '1001', { name: `Project ${next}` });
      await world.later();
      await world.later();
      await world.later('sweep');
    }
    const ofField = (await changesOf(name)).map(
      ({ type, from, to }) => `${type} ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
    );
    const steps = ['null → "one"', '"one" → "two"', '"two" → null'];
    expect(ofField.sort()).toEqual(
      ['project.updated', 'task.updated'].flatMap(type => steps.map(step => `${type} ${step}`)).sort(),
    );
  });
});

describe('a definition whose externalId is odd', () => {
  it.each(['__proto__', 'constructor', 'toString'])('makes a custom field of it: %s', async externalId => {
    await baselined();
    world.service.fail({
      when: ({ path }) => path.includes('/coverpage'),
      times: 100,
      fault: { change: () => [{ externalId, name: 'Odd', type: 'number' }] },
    });
    let value = '1.0';
    projects(records =>
      records.map(record => Object.fromEntries([...Object.entries(record), [externalId, value]])),
    );
    world.edit.updateProject(PROCESS, '1001', { name: 'x' });
    await world.later();
    value = '1.00';
    await world.later('sweep');
    await world.later('sweep');
    const odd = await changesOf(externalId);
    expect(odd).toHaveLength(3);
    for (const change of odd) expect(change).toMatchObject({ name: 'Odd', kind: 'custom', from: null });
  });
});

describe('an identifier that is odd', () => {
  it.each([
    '__proto__',
    'constructor',
    'a/b',
    '...',
    '#',
    '%2F',
    'PROJECT#1',
    '\u0000',
    'é'.repeat(150),
    '😀',
  ])('names one project and its task, created, updated and deleted: %j', async id => {
    await baselined();
    let name = '';
    const odd = projects(records =>
      name === '' ? records : [...records, { id, name, updatedAt: '2026-11-21T12:00:00Z' }],
    );
    const list = (status: string) => ({
      status: 200,
      body: { tasks: [{ id, name: status }], paging: { hasNextPage: false } },
    });
    const isOdd = ({ path }: { path: string }) => isTasks({ path }) && !/\/100\d\/tasks/.test(path);
    for (const next of ['first', 'second']) {
      name = next;
      const answer = world.service.fail({ when: isOdd, times: 100, fault: list(next) });
      await world.later('sweep');
      await world.later('sweep');
      answer.cancel();
    }
    odd.cancel();
    await world.later('sweep');
    const events = (await world.events()).map(({ type, data }) => {
      const ids = 'project' in data ? [data.project.id, 'task' in data ? data.task.id : id] : [];
      expect(ids).toEqual([id, id]);
      return type;
    });
    expect(events.sort()).toEqual(
      ['project', 'task'].flatMap(kind => [`${kind}.created`, `${kind}.deleted`, `${kind}.updated`]).sort(),
    );
  });

  it.each([
    ['too long for a key', 'x'.repeat(1_100), 'an identifier of at most 900 characters'],
    ['half a surrogate pair', 'x\ud800', 'an identifier in Unicode'],
    ['one dot', '.', 'an identifier that the path of a request can carry'],
    ['two dots', '..', 'an identifier that the path of a request can carry'],
  ])('that is %s stops its own project and no other one', async (_title, id, message) => {
    await baselined();
    const odd = projects(records => [{ id, name: 'Odd' }, ...records]);
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await quietly(world.later());
    expect(failed()).toContain(message);
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
    world.edit.deleteProject(PROCESS, '1003', { audit: false });
    await quietly(world.later('sweep'));
    expect((await told()).slice(1)).toEqual(['task.deleted 1003/500003', 'project.deleted 1003']);
    odd.cancel();
    expect(await world.later()).toMatchObject({ outcome: 'completed' });
    expect(await told()).toHaveLength(3);
  });

  it('of a task, too long for any event, stops its own project and no other one', async () => {
    await baselined();
    tasks(records =>
      records.map(task => (task.id === '500001' ? { ...task, id: 'x'.repeat(300_000) } : task)),
    );
    for (const id of ['1001', '1002']) world.edit.updateProject(PROCESS, id, { budget: '1' });
    await quietly(world.later());
    expect(await told()).toEqual(['project.updated 1002 budget: "" → "1"']);
    expect(failed()).toContain('$.tasks[0]');
  });

  it('shared by two records that differ stops its own project and no other one', async () => {
    await baselined();
    projects(records => [...records, { id: '1002', name: 'Another' }]);
    for (const id of ['1001', '1002', '1003']) world.edit.updateProject(PROCESS, id, { budget: '1' });
    for (const mode of ['changes', 'sweep', 'changes'] as const) await quietly(world.later(mode));
    expect(await told()).toEqual([1001, 1003].map(id => `project.updated ${id} budget: "" → "1"`));
    expect(failed()).toContain('another record');
  });
});

describe('values that are odd', () => {
  const text = (value: string) => `{"id":"1001","name":"Project 1","odd":${value}}`;
  /** Serves one project whose field `odd` is this JSON, as it stands. */
  function serve(value: string) {
    const body = `{"projects":[${text(value)}],"paging":{"hasNextPage":false}}`;
    return world.service.fail({ when: isListing, times: 10_000, fault: { status: 200, body } });
  }

  it.each([
    ['1e400', '"1e400"'],
    ['9007199254740993', '"9007199254740993"'],
    ['"\\ud800"', '"\\ud800"'],
    ['"\\u0000"', '"\\u0000"'],
    ['{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
    ['{"":[[[]]]}', '{"":[[[]]]}'],
    [`"${'x'.repeat(300_000)}"`, undefined],
  ])('are told once, and never again: %.40s', async (value, expected) => {
    await baselined({ projects: 1, tasksPerProject: 0 });
    serve(value);
    for (const mode of ['sweep', 'sweep', 'changes'] as const) await world.later(mode);
    const odd = await changesOf('odd');
    expect(odd).toHaveLength(1);
    if (expected) expect(JSON.stringify(odd[0]?.to)).toBe(expected);
  });

  it.each([
    ['0', '-0'],
    ['1', '1.0'],
    ['100', '1e2'],
    ['""', 'null'],
  ])('that mean the same are no change: %s and %s', async (before, after) => {
    await baselined({ projects: 1, tasksPerProject: 0 });
    const first = serve(before);
    await world.later('sweep');
    const events = (await world.events()).length;
    first.cancel();
    serve(after);
    await world.later('sweep');
    expect(await world.events()).toHaveLength(events);
  });

  it('nested 10,000 levels deep stop their own project and no other one, and it is told when they are gone', async () => {
    await baselined();
    for (const id of ['1001', '1002']) world.edit.updateProject(PROCESS, id, { budget: '1' });
    await world.later();
    await world.later('changes', 30_000);
    world.edit.updateProject(PROCESS, '1002', { budget: '2' });
    const deep = `"deep":${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    const records = world.edit
      .projects(PROCESS)
      .map(record => JSON.stringify(record).replace(/"id":"1001"/, `$&,${deep}`));
    const body = `{"projects":[${records}],"paging":{"hasNextPage":false}}`;
    const odd = world.service.fail({ when: isListing, times: 10_000, fault: { status: 200, body } });
    await quietly(world.later('changes', 30_000));
    expect((await told()).slice(2)).toEqual(['project.updated 1002 budget: "1" → "2"']);
    expect(failed()).toContain('at most 200 levels of nesting');
    world.edit.updateProject(PROCESS, '1001', { budget: '3' });
    odd.cancel();
    await world.later();
    expect((await told()).slice(3)).toEqual(['project.updated 1001 budget: "1" → "3"']);
  });
});

describe('an identifier as long as an answer', () => {
  it('is skipped and told under a short one, and leaves all others their passes', async () => {
    await baselined();
    projects(records => [...records, { ...records[0], id: 'x'.repeat(2_000_000) }]);
    for (const budget of ['1', '2', '3']) {
      world.edit.updateProject(PROCESS, '1001', { budget });
      expect(await world.later()).toMatchObject({ outcome: 'completed' });
      expect(await world.later('sweep')).toMatchObject({ outcome: 'completed' });
    }
    const events = await world.events();
    const skips = events.flatMap(event => (event.type === 'source.skipped' ? [event.data.project.id] : []));
    expect(skips).toEqual([expect.stringMatching(/^x{60}… [\w-]{16}$/)]);
    expect((await told()).filter(line => line.includes('budget'))).toHaveLength(3);
  });
});
