import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { PollDependencies } from '../../functions/handlers/workspace-run.ts';
import type { ServiceConnection } from '../../functions/service/service.ts';
import { openStage } from '../kit/stage.ts';

const stage = openStage();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const TASKS = 20;
const PROJECTS = 8;
const CONCURRENCY = 2;

/** Counts the task records that are still alive, whenever a page has come and whenever a pass says how far it is. */
function aliveTasks() {
  const records: WeakRef<object>[] = [];
  let most = 0;
  let asked = 0;
  const count = () => {
    // It takes long in the heap of a worker that ran other tests before.
    if (asked++ % 3 > 0) return;
    collectGarbage();
    most = Math.max(most, records.filter(record => record.deref() !== undefined).length);
  };
  return {
    most: () => most,
    seen: () => records.length,
    watch: (connection: ServiceConnection): ServiceConnection => ({
      probe: async () => undefined,
      close: () => connection.close(),
      open: pass => {
        const service = connection.open(pass);
        return {
          ...service,
          async *tasks(processId, projectId) {
            for await (const page of service.tasks(processId, projectId)) {
              records.push(...page.items.map(({ fields }) => new WeakRef(fields)));
              // What a WeakRef was made of lives until its turn of the event loop is over.
              await new Promise(resolve => setImmediate(resolve));
              // Here some are alive for certain: a count that finds none measures nothing.
              count();
              yield page;
            }
          },
        };
      },
    }),
    count,
  };
}

it.each(['baseline', 'sweep'] as const)(
  'invariant 7: a %s holds the tasks of the projects that are being worked on, and no more',
  async kind => {
    const alive = aliveTasks();
    const sizes = { projects: PROJECTS, tasksPerProject: TASKS, settings: { concurrency: CONCURRENCY } };
    const world = await stage.create(sizes);
    if (kind === 'sweep') await world.run();
    const dependencies: Partial<PollDependencies> = {
      connect: target => alive.watch(world.connect(target)),
      onProgress: alive.count,
    };
    await world.run('sweep', { poll: world.poller(dependencies) });
    expect(alive.seen()).toBe(PROJECTS * TASKS);
    expect(alive.most()).toBeGreaterThan(0);
    expect(alive.most()).toBeLessThanOrEqual((CONCURRENCY + 2) * TASKS);
  },
);
