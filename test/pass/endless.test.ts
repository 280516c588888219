import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

/** Lists without an end, and of ten million rows: both are refused before they fill the memory. Of a process, a pass
 *  holds the listing, so what a listing may be long is what can be held: 128 MiB of JSON, some 130,000 projects of
 *  1,000 characters. The limits here are smaller by a factor, and so is the heap that is measured: it grows with the
 *  limit, not with the list. */
const stage = openStage();
let world: World;
const { told } = stage;
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const LIMIT = 8 * 2 ** 20;

async function baselined(options: WorldOptions = {}): Promise<void> {
  world = await stage.create({ projects: 3, tasksPerProject: 1, ...options });
  await world.run();
  await world.later('changes', 600_000);
}

/** A poller with small limits. */
const limited = () =>
  world.poller({
    connect: target => world.connect({ ...target, ...{ maxListBytes: { projects: LIMIT, tasks: LIMIT } } }),
  });

/** A cursor that the simulated service takes for one of its own. */
function cursorOf(list: 'projects' | 'tasks', page: number): string {
  const name = list === 'tasks' ? `tasks/${PROCESS}/1002` : `projects/${PROCESS}`;
  return Buffer.from(JSON.stringify([name, 1_000_000 + page])).toString('base64url');
}

/** Serves page after page of new records, 500 at a time, for ever; `grown` is how much heap they took at most. */
function endless(list: 'projects' | 'tasks', isPage: (path: string) => boolean) {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const seen = { pages: 0, grown: 0 };
  const active = world.service.fail({
    when: ({ path }) => isPage(path),
    times: 1_000_000,
    fault: {
      change: () => {
        seen.pages += 1;
        if (seen.pages % 10 === 0) {
          collectGarbage();
          seen.grown = Math.max(seen.grown, process.memoryUsage().heapUsed - before);
        }
        const records = Array.from({ length: 500 }, (_, index) => ({
          id: `${seen.pages}-${index}`,
          name: `Row ${index} of page ${seen.pages}`,
          text: String(index).repeat(60),
        }));
        return { [list]: records, paging: { hasNextPage: true, endCursor: cursorOf(list, seen.pages) } };
      },
    },
  });
  return { seen, cancel: () => active.cancel() };
}

describe('a listing that never ends', () => {
  it.each(['changes', 'sweep'] as const)(
    'is refused in a %s pass at the limit, in bounded memory, and the next pass goes on',
    async mode => {
      await baselined();
      world.edit.updateProject(PROCESS, '1001', { budget: '1' });
      const { seen, cancel } = endless('projects', path => path.includes('/projects?'));
      const poll = limited();
      world.pass(60_000);
      await expect(world.run(mode, { poll })).rejects.toThrow(
        /projects\?.*at \$\.projects: expected a list of at most 8388608 bytes.*found \d+ bytes in \d+ items on \d+ pages/,
      );
      expect(seen.pages).toBeGreaterThan(50);
      expect(seen.grown).toBeLessThan(4 * LIMIT);
      expect(await told()).toEqual([]);
      cancel();
      world.pass(60_000);
      await world.run(mode, { poll });
      expect(await told()).toEqual(['project.updated 1001 budget: "" → "1"']);
    },
  );

  it('that takes a whole run says so, rather than begin anew for ever', async () => {
    await baselined();
    endless('projects', path => path.includes('/projects?'));
    const slow = world.poller({
      snapshots: {
        ...world.snapshots,
        takeLease: (...given) => {
          const lease = world.snapshots.takeLease(...given);
          world.pass(650_000);
          return lease;
        },
      },
    });
    world.pass(60_000);
    await expect(world.run('sweep', { poll: slow, remaining: 700_000 })).rejects.toThrow(
      /GET \/processes\/onboarding\/projects: the listing did not end within the time of one run: 500 projects on 1 pages/,
    );
  });
});

describe('a task list that never ends', () => {
  it('stops its own project and no other one, in bounded memory', async () => {
    await baselined();
    for (const id of ['1001', '1002', '1003']) world.edit.updateProject(PROCESS, id, { budget: '1' });
    const { seen, cancel } = endless('tasks', path => isTasksOf('1002')({ path }));
    const poll = limited();
    world.pass(60_000);
    await world.run('changes', { poll }).catch(() => undefined);
    expect(JSON.stringify(world.said)).toContain('/1002/tasks');
    expect(seen.grown).toBeLessThan(4 * LIMIT);
    const updated = async () => (await told()).filter(line => line.startsWith('project.'));
    expect(await updated()).toEqual([1001, 1003].map(id => `project.updated ${id} budget: "" → "1"`));
    cancel();
    world.pass(60_000);
    await world.run('changes', { poll });
    expect((await updated()).sort()).toEqual(
      [1001, 1002, 1003].map(id => `project.updated ${id} budget: "" → "1"`),
    );
  });
});
