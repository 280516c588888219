import { describe, expect, it } from 'vitest';
import { owedIn } from '../kit/owed.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

/** A world well behind its baseline. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create(options);
  await world.run();
  await world.later('changes', 600_000);
  return world;
}
const isAudit = ({ path }: { path: string }) => path.includes('/auditlog');
const { told } = stage;

describe('a deletion that an audit entry named', () => {
  it('is told by the pass that goes on after a failure further on', async () => {
    await baselined({ projects: 8, tasksPerProject: 1, settings: { concurrency: 1 } });
    world.edit.deleteProject(PROCESS, '1001');
    world.edit.updateProject(PROCESS, '1008', { budget: '1' });
    world.service.fail({ when: isTasksOf('1008'), times: 40, fault: { status: 429 } });
    await expect(world.later()).rejects.toThrow();
    for (let pass = 0; pass < 8; pass++) await world.later().catch(() => undefined);
    expect(await told()).toContain('project.deleted 1001');
  });
  it('is told by the pass that goes on after time ran out', async () => {
    await baselined({ projects: 8, tasksPerProject: 1, settings: { concurrency: 1 } });
    world.edit.deleteProject(PROCESS, '1001');
    for (let id = 1002; id <= 1008; id++) world.edit.updateProject(PROCESS, String(id), { budget: '1' });
    const slow = world.poller({ onProgress: () => world.pass(200) });
    world.pass(60_000);
    expect(await world.run('changes', { poll: slow, remaining: 700 })).toMatchObject({
      outcome: 'unfinished',
    });
    await world.later();
    await world.later();
    await world.later();
    expect(await told()).toContain('project.deleted 1001');
  });
});

describe('a task list that answers 404 once', () => {
  it('of a project that is still listed loses no audited change', async () => {
    await baselined({ freedoms: { taskEditsTouchProject: false } });
    world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Done' });
    world.service.fail({ when: isTasksOf('1001'), fault: { status: 404 } });
    await world.later();
    await world.later();
    await world.later();
    expect(await told()).toHaveLength(1);
  });
});

describe('an audit log that is refused once', () => {
  it.each([403, 404])('by %i goes on from where it was', async status => {
    await baselined({ freedoms: { taskEditsTouchProject: false } });
    world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Done' });
    world.service.fail({ when: isAudit, fault: { status } });
    await world.later();
    await world.later();
    await world.later();
    expect(await told()).toHaveLength(1);
  });
});

describe('a project whose tasks are refused', () => {
  it.each([403, 500])('by %i does not stop all others', async status => {
    await baselined({ projects: 8, tasksPerProject: 1, settings: { concurrency: 1 } });
    world.service.fail({ when: isTasksOf('1002'), times: 1_000, fault: { status } });
    world.edit.updateProject(PROCESS, '1002', { budget: '1' });
    world.edit.updateProject(PROCESS, '1005', { budget: '1' });
    for (let pass = 0; pass < 5; pass++) await world.later().catch(() => undefined);
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    for (let pass = 0; pass < 5; pass++) await world.later().catch(() => undefined);
    expect(await told()).toEqual([
      'project.updated 1005 budget: "" → "1"',
      'source.skipped 1002',
      'project.updated 1001 budget: "" → "1"',
    ]);
  });
});

describe('source.held', () => {
  it('invariants 3, 8: of two modes that find the same is told by the first of them', async () => {
    await baselined({ projects: 16, tasksPerProject: 0 });
    for (let id = 1001; id <= 1012; id++) world.edit.deleteProject(PROCESS, String(id));
    for (let id = 1013; id <= 1014; id++) world.edit.deleteProject(PROCESS, String(id), { audit: false });
    world.clock.now = Math.floor(world.clock.now / 1000) * 1000 + 60_000;
    const sweep = world.poller({
      snapshots: {
        ...world.snapshots,
        announce: async (...given) => {
          world.pass(100);
          await world.run('changes');
          world.pass(100);
          return world.snapshots.announce(...given);
        },
      },
    });
    await world.run('sweep', { poll: sweep });
    const events = await world.events();
    const contents = new Map<string, Set<string>>();
    for (const event of events)
      contents.set(event.id, (contents.get(event.id) ?? new Set()).add(JSON.stringify(event)));
    for (const set of contents.values()) expect(set.size).toBe(1);
    expect(events).toHaveLength(1);
  });
});

describe('a sweep that finds many projects unlisted', () => {
  it('ends sometime, though one run cannot ask for all', async () => {
    await baselined({ projects: 60, tasksPerProject: 0, settings: { concurrency: 1 } });
    for (let id = 1001; id <= 1055; id++) world.edit.deleteProject(PROCESS, String(id), { audit: false });
    world.service.fail({
      when: ({ path }) => path.includes('/tasks?'),
      times: 100_000,
      fault: { before: () => world.pass(200) },
    });
    let outcome = '';
    // One at a time: the times of requests that are under way together add up on this clock.
    for (let run = 0; run < 11 && outcome !== 'completed'; run++) {
      world.pass(60_000);
      outcome = (await world.run('sweep', { remaining: 10_000 })).outcome;
    }
    expect(outcome).toBe('completed');
  });
});

describe('a task hidden from the baseline by a shift', () => {
  it('is not told as created', async () => {
    world = await stage.create({ projects: 1, tasksPerProject: 6, pageSize: { tasks: 2 } });
    world.service.fail({
      when: request => isTasksOf('1001')(request) && request.path.includes('after='),
      fault: { change: body => ({ ...body, tasks: (body.tasks as object[]).slice(1) as never }) },
    });
    await world.run();
    await world.later();
    await world.later('sweep');
    expect(await told()).toEqual([]);
  });
});

describe('a finish that meets another transaction', () => {
  it('still holds the process', async () => {
    await baselined({ projects: 14, tasksPerProject: 0 });
    for (let id = 1001; id <= 1012; id++) world.edit.deleteProject(PROCESS, String(id));
    let first = true;
    const poll = world.poller({
      snapshots: {
        ...world.snapshots,
        finish: async (...given) => {
          if (first) {
            first = false;
            return false;
          }
          return world.snapshots.finish(...given);
        },
      },
    });
    world.pass(60_000);
    expect(await world.run('changes', { poll })).toMatchObject({ outcome: 'unfinished' });
    for (let n = 0; n < 3; n++) await world.later();
    expect(await told()).toEqual(['source.held']);
  });
});

describe('a project whose task list answers 404 once during the baseline', () => {
  it('is not told as created later', async () => {
    world = await stage.create();
    world.service.fail({ when: isTasksOf('1002'), fault: { status: 404 } });
    world.pass(600_000);
    await world.run();
    await world.later();
    await world.later('sweep');
    expect(await told()).toEqual([]);
  });
});

describe('listed projects whose task lists answer 404 during the baseline', () => {
  const refuse = (times: number) =>
    world.service.fail({ when: isTasksOf('1002'), times, fault: { status: 404 } });

  it('hold it up until the next run, and are not told as created later', async () => {
    world = await stage.create();
    refuse(2);
    await expect(world.run()).rejects.toThrow(
      /^1 project\(s\) cannot be read\. The first, 1002: .*answers 404\. The baseline waits 5 minutes/,
    );
    expect(await world.later()).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    await world.later();
    await world.later('sweep');
    expect(await told()).toEqual([]);
    const { content } = (await world.snapshots.load(world.process, '1002')) ?? {};
    expect(content?.tasks.size).toBe(2);
  });

  it('have no tasks when they do so in two runs: a service may answer so', async () => {
    world = await stage.create();
    const refused = refuse(100);
    await expect(world.run()).rejects.toThrow(/404/);
    expect(await world.later()).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    refused.cancel();
    world.edit.updateProject(PROCESS, '1002', { budget: '1' });
    await world.later();
    expect((await told())[0]).toBe('project.updated 1002 budget: "" → "1"');
  });

  it('are forgotten when they were deleted meanwhile', async () => {
    world = await stage.create();
    world.service.fail({
      when: isTasksOf('1001'),
      fault: { before: () => world.edit.deleteProject(PROCESS, '1002') },
    });
    expect(await world.run()).toMatchObject({ mode: 'baseline', outcome: 'completed' });
    await world.later();
    expect(await told()).toEqual([]);
  });
});

describe('a listed project whose task list is 404 for good', () => {
  it('still tells changes of its own fields', async () => {
    await baselined();
    world.service.fail({ when: isTasksOf('1001'), times: 1000, fault: { status: 404 } });
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    for (let n = 0; n < 4; n++) await world.later();
    await world.later('sweep');
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"', 'source.skipped 1001']);
  });

  it('is told to be skipped in two passes, and its tasks’ changes are told once they can be read', async () => {
    await baselined();
    const refused = world.service.fail({ when: isTasksOf('1001'), times: 1000, fault: { status: 404 } });
    world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Done' });
    for (let n = 0; n < 4; n++) await world.later('changes', 200_000);
    expect(await told()).toEqual(['source.skipped 1001']);
    const [event] = await world.events();
    expect(event?.data).toMatchObject({
      reason: expect.stringMatching(/Project 1001 is listed, but its task list/),
    });
    refused.cancel();
    await world.later();
    expect((await told()).at(-1)).toBe('task.updated 1001/500001 status: "To do" → "Done"');
    expect(await owedIn(world)).toEqual([]);
  });

  it('is no trouble when it had no tasks: a service may answer so', async () => {
    await baselined({ tasksPerProject: 0 });
    world.service.fail({ when: isTasksOf('1001'), times: 1000, fault: { status: 404 } });
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    for (let n = 0; n < 4; n++) await world.later();
    expect(await told()).toHaveLength(1);
  });
});

describe('a process that is empty all at once', () => {
  it('invariant 9: deletes nothing, however few its projects were: a lost permission looks just so', async () => {
    await baselined({ projects: 5 });
    const isListing = ({ path }: { path: string }) => path.includes('/projects?');
    world.service.fail({
      when: isListing,
      times: 10,
      fault: { change: body => ({ ...body, projects: [] }) },
    });
    world.service.fail({ when: ({ path }) => path.includes('/tasks'), times: 100, fault: { status: 404 } });
    await world.later('sweep');
    expect(await told()).toEqual(['source.held']);
  });
});
