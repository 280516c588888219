import { describe, expect, it, vi } from 'vitest';
import { verifyService } from '../../../functions/operations/verify/walk-service.ts';
import { readService } from '../../../functions/operations/verify-service.ts';
import { openStage } from '../../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../../kit/world.ts';

const stage = openStage();
let world: World;
let slices = 0;

/** Verifies the process of the world. `meanwhile`: what happens before each further reading. */
async function verify(meanwhile: () => unknown = () => undefined) {
  const context = {
    snapshots: world.snapshots,
    processes: async () => [{ ...world.process, interval: 60_000, ignoreFields: ['rank'] }],
    connectService: () => world.connect(world.workspace),
    clock: () => world.clock.now,
  };
  slices = 0;
  return verifyService(
    async asked => {
      slices += 1;
      const slice = await readService(context, world.process, asked);
      const at = new Date(world.clock.now).toISOString();
      const head = { workspace: world.process.workspace, process: PROCESS, at, isBaselined: true };
      return { ...head, changes: [], snapshots: [], ...slice };
    },
    { process: PROCESS },
    { wait: async () => meanwhile() },
  );
}

const settled = async (options: WorldOptions = {}) => {
  world = await stage.settled(options);
};
const same = { unreadable: [], differences: [], unsettled: 0 };

describe('the service, compared with the snapshots', () => {
  it('is the same after a pass, in as many slices as it takes', async () => {
    await settled({ pageSize: { projects: 2 } });
    expect(await verify()).toEqual({ projects: 3, ...same });
    expect(slices).toBe(2);
    const slow = { before: () => world.pass(16_000) };
    world.service.fail({ when: ({ path }) => path.includes('/tasks'), times: 3, fault: slow });
    expect(await verify()).toEqual({ projects: 3, ...same });
    expect(slices).toBe(5);
  });

  it('differs in each record that no pass has read, by field, and in missing ones', async () => {
    await settled();
    world.edit.updateProject(PROCESS, '1001', { name: 'New', rank: 3 });
    const added = world.edit.createTask(PROCESS, '1002', { name: 'Added' });
    world.edit.deleteTask(PROCESS, '1002', '500003');
    world.edit.deleteProject(PROCESS, '1003');
    const created = world.edit.createProject(PROCESS, { name: 'Created' });
    const missing = { service: 'present', snapshot: 'absent' };
    const gone = { service: 'absent', snapshot: 'present' };
    expect((await verify()).differences).toEqual([
      { record: 'projects/1001', field: 'name', service: '"New"', snapshot: expect.any(String) },
      { record: `projects/1002/tasks/500003`, ...gone },
      { record: `projects/1002/tasks/${added}`, ...missing },
      { record: `projects/${created}`, ...missing },
      { record: 'projects/1003', ...gone },
    ]);
    await world.later('sweep');
    expect(await verify()).toEqual({ projects: 3, ...same });
  });

  it('has at most 2,001 differences in a slice, also of projects that are not listed', async () => {
    await settled();
    const ids = Array.from({ length: 2_002 }, (_, index) => `gone${1_000 + index}`);
    vi.spyOn(world.snapshots, 'heads').mockImplementation(async function* (_, after = '') {
      yield ids.filter(id => id > after).map(projectId => ({ projectId })) as never;
    });
    expect((await verify()).differences).toHaveLength(2_002);
    // Twice more, in parts of 100 projects.
    expect(slices).toBe(3 + 2 * 21 * 2);
  });

  it('does not differ in what the next pass reads, nor counts what changes in each reading', async () => {
    await settled();
    world.edit.updateProject(PROCESS, '1001', { budget: '7' });
    expect(await verify(() => world.later())).toEqual({ projects: 3, ...same });
    let budget = 8;
    const edit = () => world.edit.updateProject(PROCESS, '1001', { budget: String(budget++) });
    edit();
    expect(await verify(edit)).toEqual({ projects: 3, ...same, unsettled: 1 });
  });

  it('names the projects that cannot be compared, and refuses when nothing can be read', async () => {
    await settled();
    stage.refuse('1002');
    const unreadable = [{ project: '1002', reason: expect.stringContaining('403') }];
    expect(await verify()).toMatchObject({ projects: 3, unreadable, differences: [] });
    const isOfProjects = ({ path }: { path: string }) => path.includes('/projects?');
    world.service.fail({ when: isOfProjects, times: 99, fault: { status: 403 } });
    await expect(verify()).rejects.toThrow(/^The service cannot be read: GET .*403/);
  });

  it('is not read before the baseline', async () => {
    world = await stage.create();
    expect(await verify()).toEqual({ projects: 0, ...same });
    expect(world.service.requests).toEqual([]);
  });
});
