import { describe, expect, it } from 'vitest';
import type { DueEvent } from '../../functions/model/event.ts';
import type { Snapshot } from '../../functions/model/snapshot.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

interface Configured {
  readonly rules?: readonly object[];
  readonly timeZone?: string;
  readonly changes?: object;
}

const OVERDUE = { event: 'task.overdue', field: 'dueDate' };
const [HOUR, DAY] = [3_600_000, 86_400_000];

function settingsOf({ rules, timeZone, changes }: Configured): NonNullable<WorldOptions['settings']> {
  const more = { ...(rules && { rules }), ...(timeZone && { timeZone }), ...(changes && { changes }) };
  return { processes: [{ id: PROCESS, ...more }] } as never;
}

/** Ten minutes after a baseline with these settings: on 21 November, at 12:10 UTC. */
async function settledWith(configured: Configured): Promise<void> {
  world = await stage.settled({ settings: settingsOf(configured) });
}

/** A pass under other settings. */
async function passWith({ rules, timeZone }: Configured, mode: 'changes' | 'sweep' = 'changes') {
  const [process] = world.workspace.processes;
  const changed = { ...process, rules, ...(timeZone && { timeZone }) };
  const workspace = { ...world.workspace, processes: [changed] } as never;
  return world.run(mode, { poll: world.poller({ workspaces: [workspace] }) });
}

const until = (time: string) => world.pass(Date.parse(time) - world.clock.now);

const dueEvents = async () => {
  const events = await world.events();
  return events.filter((event): event is DueEvent => 'dueAt' in event.data);
};
/** Each as `type record value at`. */
const due = async () =>
  (await dueEvents()).map(({ type, data }) => {
    const { id, name } = 'task' in data ? data.task : data.project;
    return [type, name ?? id, 'value' in data ? data.value : data.since, data.dueAt].join(' ');
  });
const timers = async () =>
  (await world.snapshots.timers(world.process, 100)).map(
    ({ at, projectId }) => `${projectId} ${new Date(at).toISOString()}`,
  );
const task = (dueDate: string, more = {}) =>
  world.edit.createTask(PROCESS, '1001', { name: 'T', dueDate, ...more });

/** A pass has seen a task with this date, which a rule emits the day after. */
const overdue = async (dueDate: string) => {
  await settledWith({ rules: [OVERDUE] });
  task(dueDate);
  await world.later();
};

describe('a rule', () => {
  it('emits each date once, at its time in the time zone, with a version of its own', async () => {
    const rules = [{ event: 'task.due', field: 'dueDate', before: '2d' }, OVERDUE];
    await settledWith({ rules, timeZone: 'Europe/Berlin' });
    task('2026-11-24');
    await world.later();
    expect(await due()).toEqual([]);
    expect(await timers()).toEqual(['1001 2026-11-21T23:00:00.000Z']);
    until('2026-11-21T22:59:59.999Z');
    await world.run();
    expect(await due()).toEqual([]);
    until('2026-11-21T23:00:00Z');
    for (let pass = 0; pass < 3; pass++) await world.later('changes', 0);
    expect(await due()).toEqual(['task.due T 2026-11-24 2026-11-21T23:00:00.000Z']);
    expect(await timers()).toEqual(['1001 2026-11-24T23:00:00.000Z']);
    until('2026-11-24T23:00:30Z');
    await world.run();
    await world.later('sweep');
    expect(await due()).toHaveLength(2);
    expect(await timers()).toEqual([]);
    const [first, second] = await dueEvents();
    const { version } = (await world.snapshots.load(world.process, '1001')) ?? {};
    expect(Number(second?.sequence)).toBe(version);
    expect(Number(first?.sequence)).toBe(Date.parse('2026-11-21T23:00:00Z'));
    expect(first?.data).toMatchObject({ rule: { field: 'dueDate', before: '2d' }, value: '2026-11-24' });
    expect(await stage.mismatches()).toEqual([]);
  });

  it('asks of the record as it is when its time comes', async () => {
    await settledWith({ rules: [{ ...OVERDUE, where: [{ status: { not: { in: ['Done'] } } }] }] });
    const [done] = [task('2026-11-21', { name: 'done' }), task('2026-11-21', { name: 'open' })];
    await world.later();
    until('2026-11-22T00:00:10Z');
    world.edit.updateTask(PROCESS, '1001', done, { status: 'Done' });
    await world.run();
    world.edit.updateTask(PROCESS, '1001', done, { status: 'Open' });
    await world.later();
    expect(await due()).toEqual(['task.overdue open 2026-11-21 2026-11-22T00:00:00.000Z']);
  });

  it('finds a field by its displayed name, and reports values that are no dates once', async () => {
    await settledWith({ rules: [{ ...OVERDUE, field: 'Due date' }] });
    const custom = { externalId: 'due-day', name: 'Due date', type: 'date' };
    world.edit.addField(PROCESS, 'task', custom as never);
    world.edit.createTask(PROCESS, '1001', { name: 'T', dueDay: '2026-11-21' });
    for (let pass = 0; pass < 2; pass++) await world.later();
    expect(stage.warned(/A rule ignores/)).toEqual([]);
    world.edit.createTask(PROCESS, '1001', { name: 'U', dueDay: 'soon' });
    await world.later();
    world.edit.createTask(PROCESS, '1001', { name: 'V', dueDay: 'later' });
    await world.later();
    until('2026-11-22T00:00:10Z');
    await world.run();
    expect(await due()).toEqual(['task.overdue T 2026-11-21 2026-11-22T00:00:00.000Z']);
    expect(stage.warned(/A rule ignores values that are no dates/)).toHaveLength(1);
  });

  it('by a displayed name reads no archived field while another has that name, and stays the same rule', async () => {
    await settledWith({ rules: [{ ...OVERDUE, field: 'Deadline', since: '2026-11-01' }] });
    const add = (externalId: string) =>
      world.edit.addField(PROCESS, 'task', { externalId, name: 'Deadline', type: 'date' } as never);
    for (const externalId of ['deadline', 'deadline2']) add(externalId);
    const id = world.edit.createTask(PROCESS, '1001', { name: 'T', deadline: '2026-11-21' });
    world.edit.createTask(PROCESS, '1001', { name: 'U', deadline2: '2026-11-19' });
    await world.later();
    world.edit.archiveField(PROCESS, 'task', 'deadline');
    world.edit.updateTask(PROCESS, '1001', id, { deadline2: '2026-11-22' });
    for (let pass = 0; pass < 2; pass++) await world.later();
    until('2026-11-23T00:00:10Z');
    await world.run();
    const emitted = [
      'task.overdue U 2026-11-19 2026-11-20T00:00:00.000Z',
      'task.overdue T 2026-11-22 2026-11-23T00:00:00.000Z',
    ];
    expect(await due()).toEqual(emitted);
  });

  it('of silence counts from the last change of the project or a task, and its event does not count', async () => {
    await settledWith({ rules: [{ event: 'project.unchanged', after: '2d' }] });
    until('2026-11-22T10:00:00Z');
    stage.budget('1002');
    await world.run();
    until('2026-11-24T09:59:59Z');
    await world.run();
    const others = await due();
    expect(others.filter(one => one.includes('Project 2'))).toEqual([]);
    until('2026-11-24T10:00:00Z');
    for (let day = 0; day < 5; day++) await world.later('changes', day === 0 ? 0 : DAY);
    const all = await due();
    const second = all.filter(one => one.startsWith('project.unchanged Project 2'));
    expect(second).toEqual(['project.unchanged Project 2 2026-11-22T10:00:00.000Z 2026-11-24T10:00:00.000Z']);
    expect(all).toHaveLength(3);
  });
});

describe('a rule that is added', () => {
  it('emits nothing of what was due before, and is in time for all projects from the next pass on', async () => {
    await settledWith({});
    task('2026-11-20');
    world.edit.createTask(PROCESS, '1002', { name: 'U', dueDate: '2026-11-21' });
    await world.later();
    expect(await passWith({ rules: [OVERDUE] })).toMatchObject({ events: 0 });
    expect(await timers()).toEqual(['1002 2026-11-22T00:00:00.000Z']);
    until('2026-11-22T00:01:00Z');
    await passWith({ rules: [OVERDUE] });
    await passWith({ rules: [OVERDUE] }, 'sweep');
    await passWith({ rules: [OVERDUE] });
    expect(await due()).toEqual(['task.overdue U 2026-11-21 2026-11-22T00:00:00.000Z']);
  });

  it('emits what fell due since the day that it names, also by a baseline', async () => {
    const rules = [{ ...OVERDUE, since: '2026-11-20' }];
    world = await stage.create({ settings: settingsOf({ rules }) });
    task('2026-11-18');
    task('2026-11-19', { name: 'U' });
    await world.run();
    expect(await world.events()).toEqual([]);
    for (let pass = 0; pass < 2; pass++) await world.later();
    expect(await due()).toEqual(['task.overdue U 2026-11-19 2026-11-20T00:00:00.000Z']);
    for (let pass = 0; pass < 2; pass++) await passWith({ rules: [{ ...OVERDUE, since: '2026-11-19' }] });
    expect((await due()).slice(1)).toEqual([
      'task.overdue T 2026-11-18 2026-11-19T00:00:00.000Z',
      'task.overdue U 2026-11-19 2026-11-20T00:00:00.000Z',
    ]);
  });

  it('holds up nothing that falls due by another one, however many snapshots there are to read', async () => {
    await overdue('2026-11-21');
    until('2026-11-22T00:00:30Z');
    const rules = [OVERDUE, { event: 'project.unchanged', after: '90d' }];
    const heads: World['snapshots']['heads'] = async function* (process, after) {
      for await (const page of world.snapshots.heads(process, after)) {
        world.pass(60_000);
        yield page.slice(0, 1);
        return;
      }
    };
    const processes = world.workspace.processes.map(process => ({ ...process, rules }));
    const slow = world.poller({
      workspaces: [{ ...world.workspace, processes }] as never,
      snapshots: { ...world.snapshots, heads },
    });
    await world.run('changes', { poll: slow });
    expect(await due()).toHaveLength(1);
    expect((await stage.state()).rulesWalk).toEqual({ after: '1001' });
    await passWith({ rules });
    expect((await stage.state()).rulesWalk).toBeUndefined();
    expect(await timers()).toHaveLength(3);
  });

  it('and goes leaves nothing to read', async () => {
    await overdue('2026-11-21');
    until('2026-11-22T00:01:00Z');
    await passWith({});
    expect((await stage.state()).rules).toBeUndefined();
    stage.budget('1001');
    await passWith({});
    expect([await due(), await timers()]).toEqual([[], []]);
  });
});

it('another time zone moves what is to come, and repeats nothing', async () => {
  await settledWith({ rules: [OVERDUE], timeZone: 'Pacific/Kiritimati' });
  task('2026-11-21', { name: 'early' });
  task('2026-11-22', { name: 'late' });
  await world.later();
  expect(await due()).toEqual(['task.overdue early 2026-11-21 2026-11-21T10:00:00.000Z']);
  await passWith({ rules: [OVERDUE], timeZone: 'America/New_York' });
  until('2026-11-23T04:59:59Z');
  await passWith({ rules: [OVERDUE], timeZone: 'America/New_York' });
  expect(await due()).toHaveLength(1);
  until('2026-11-23T05:00:00Z');
  await passWith({ rules: [OVERDUE], timeZone: 'America/New_York' });
  expect((await due())[1]).toBe('task.overdue late 2026-11-22 2026-11-23T05:00:00.000Z');
});

describe('what fell due', () => {
  it('costs a request to the table where the process has rules, and none where it has none', async () => {
    await settledWith({});
    let asked = 0;
    const counting = async () => {
      asked += 1;
      return [];
    };
    await stage.runOver({ timers: counting });
    expect(asked).toBe(0);
    await world.stop();
    await settledWith({ rules: [OVERDUE] });
    await stage.runOver({ timers: counting });
    expect(asked).toBe(1);
  });

  it('of thousands of tasks at once is emitted completely, a part in each commit', async () => {
    await settledWith({ rules: [OVERDUE] });
    for (let index = 0; index < 250; index++) task('2026-11-20', { name: `T${index}` });
    const later = Array.from({ length: 130 }, (_, index) => task('2026-11-21', { name: `U${index}` }));
    await world.later();
    expect(await due()).toHaveLength(250);
    until('2026-11-22T00:00:30Z');
    await world.run();
    const all = await due();
    expect(all).toHaveLength(380);
    expect(new Set(all).size).toBe(380);
    expect(later).toHaveLength(130);
    expect(await stage.mismatches()).toEqual([]);
  });

  it('invariant 1: is emitted once, wherever a run is killed', async () => {
    await settledWith({ rules: [OVERDUE] });
    for (const id of ['1001', '1002', '1003'])
      world.edit.createTask(PROCESS, id, { name: id, dueDate: '2026-11-21' });
    await world.later();
    until('2026-11-22T00:00:00Z');
    for (const isWritten of [false, true, false, true]) {
      let isKilled = false;
      const commit: World['snapshots']['commit'] = async (process, request) => {
        if (isKilled || !isWritten) throw new Error('killed');
        isKilled = true;
        await world.snapshots.commit(process, request);
        throw new Error('killed');
      };
      await expect(stage.runOver({ commit })).rejects.toThrow('killed');
    }
    await world.later();
    expect((await due()).toSorted()).toEqual(
      ['1001', '1002', '1003'].map(id => `task.overdue ${id} 2026-11-21 2026-11-22T00:00:00.000Z`),
    );
    expect(await timers()).toEqual([]);
  });

  it('invariant 8: is emitted once by two pollers at the same time', async () => {
    await overdue('2026-11-21');
    until('2026-11-22T00:00:30Z');
    await Promise.all([world.run(), world.run(), world.run()]);
    expect(await due()).toHaveLength(1);
  });

  it('is committed in halves while a commit is too large, and again after a conflict; not one event lost', async () => {
    await settledWith({ rules: [OVERDUE] });
    for (const id of ['1001', '1002'])
      for (const name of ['a', 'b', 'c'])
        world.edit.createTask(PROCESS, id, { name: `${id} ${name}`, dueDate: '2026-11-21' });
    await world.later();
    until('2026-11-22T00:00:30Z');
    const sizes: number[] = [];
    const commit: World['snapshots']['commit'] = async (process, request) => {
      const size = request.events.length;
      if (request.projectId === '1002' || size > 1) return 'too-large';
      sizes.push(size);
      // Of the last one, behind which no part is left.
      return sizes.length === 3 ? 'conflict' : world.snapshots.commit(process, request);
    };
    const result = await stage.runOver({ commit });
    expect(sizes).toEqual([1, 1, 1, 1]);
    expect(result).toMatchObject({ events: 3 });
    expect(stage.warned(/What fell due in a project cannot be emitted/)).toMatchObject([
      { code: 'due.project-failed', projectId: '1002', error: expect.stringContaining('too large') },
    ]);
    expect(await due()).toHaveLength(3);
    await world.later('changes', 0);
    expect(await due()).toHaveLength(6);
    expect(await timers()).toEqual([]);
  });

  it('waits for a project that cannot be loaded, and holds up no other', async () => {
    await settledWith({ rules: [OVERDUE] });
    for (const id of ['1001', '1002'])
      world.edit.createTask(PROCESS, id, { name: id, dueDate: '2026-11-21' });
    await world.later();
    until('2026-11-22T00:00:30Z');
    const { TornSnapshotError } = await import('../../functions/store/store.ts');
    const load: World['snapshots']['load'] = async (process, id) => {
      if (id !== '1002') throw new TornSnapshotError('torn');
      return world.snapshots.load(process, id);
    };
    // More than one request brings.
    const torn = Array.from({ length: 120 }, (_, index) => ({ at: 0, projectId: `torn${index}` }));
    const read: World['snapshots']['timers'] = async (process, limit) =>
      [...torn, ...(await world.snapshots.timers(process, limit))].slice(0, limit);
    await stage.runOver({ load, timers: read });
    expect(await due()).toEqual(['task.overdue 1002 2026-11-21 2026-11-22T00:00:00.000Z']);
    expect(stage.warned(/What fell due in a project cannot be emitted/)).toHaveLength(121);
    await world.later();
    expect(await due()).toHaveLength(2);
  });

  it('comes with the pass that an adaptive interval makes sooner for it', async () => {
    const changes = { fastest: 30_000, slowest: 8 * HOUR };
    await settledWith({ rules: [{ ...OVERDUE, field: 'dueAt' }] });
    const processes = world.workspace.processes.map(process => ({ ...process, changes }));
    const poll = world.poller({ workspaces: [{ ...world.workspace, processes }] });
    world.edit.createTask(PROCESS, '1001', { name: 'T', dueAt: '2026-11-21T20:00:00Z' });
    for (let pass = 0; pass < 9; pass++) {
      world.pass(2 * 60_000);
      await world.run('changes', { poll });
    }
    until('2026-11-21T19:00:00Z');
    const { idle } = await world.run('changes', { poll });
    expect(idle?.pace?.dueAt).toBe(Date.parse('2026-11-21T20:00:00Z'));
  });
});

describe('a timer', () => {
  /** Commits a project as an earlier version does: without what the rules need. */
  const commitByEarlierVersion = async (expected: (rest: Snapshot, known: Snapshot) => Snapshot) => {
    const known = (await world.snapshots.load(world.process, '1001')) as Snapshot;
    const { due: _, ...rest } = known;
    const version = world.clock.now + 1;
    const commit = { projectId: '1001', version, events: [], at: version, expected: expected(rest, known) };
    await world.snapshots.commit(world.process, { ...commit, snapshot: { ...rest, version } });
  };

  it('goes with its project', async () => {
    await overdue('2026-11-28');
    expect(await timers()).toHaveLength(1);
    world.edit.deleteProject(PROCESS, '1001');
    await world.later();
    expect(await timers()).toEqual([]);
  });

  it('that an earlier version left behind, and a snapshot that it wrote, do no harm', async () => {
    await settledWith({ rules: [OVERDUE] });
    const ids = [task('2026-11-21', { name: 'told' }), task('2026-11-23', { name: 'to come' })];
    await world.later();
    until('2026-11-22T00:00:30Z');
    await world.run();
    expect(await timers()).toEqual(['1001 2026-11-24T00:00:00.000Z']);
    await commitByEarlierVersion(rest => rest);
    world.edit.updateTask(PROCESS, '1001', ids[1] as string, { dueDate: '2026-11-22' });
    await world.later();
    expect(await timers()).toEqual(['1001 2026-11-23T00:00:00.000Z', '1001 2026-11-24T00:00:00.000Z']);
    until('2026-11-23T00:00:30Z');
    await world.run();
    until('2026-11-24T00:00:30Z');
    await world.run();
    expect(await due()).toEqual([
      'task.overdue told 2026-11-21 2026-11-22T00:00:00.000Z',
      'task.overdue to come 2026-11-22 2026-11-23T00:00:00.000Z',
    ]);
    expect(await timers()).toEqual([]);
  });

  it('that an earlier version has lost is written after the next sweep', async () => {
    await overdue('2026-11-21');
    await commitByEarlierVersion((_, known) => known);
    expect(await timers()).toEqual([]);
    await world.later('sweep');
    await world.later();
    expect(await timers()).toEqual(['1001 2026-11-22T00:00:00.000Z']);
    expect((await stage.state()).rulesWalk).toBeUndefined();
  });
});
