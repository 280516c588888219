import type { Coverage } from './faults.ts';
import { judge } from './judge.ts';
import type { Plan } from './plan.ts';
import { Restores, restore } from './restores.ts';
import { virtualTimers } from './scheduler.ts';
import { World } from './world.ts';

/** Lives through one plan, and judges it.
 *  @throws Violation when an invariant does not hold, Stuck when something never ends. */
export async function run(plan: Plan, coverage: Coverage): Promise<World> {
  const world = new World(plan, coverage);
  const restores = new Restores(plan);
  const realTimers = virtualTimers(world.scheduler);
  try {
    for (const [index, step] of plan.steps.entries()) {
      await world.pass(step.gap);
      world.reach(index);
      restores.reach(index, world);
      if (step.do === 'edit') world.service.edit(step);
      else if (step.do === 'run') void world.pollers.run(step);
      else if (step.do === 'meet') await world.meet(step);
      else if (step.do === 'clock') world.clocks.set(step);
      else if (step.do === 'date') world.service.sendDate(step.header);
      else if (step.do === 'operate') await world.operate(step);
      else await restore(world, restores.backupOf(index), step);
    }
    await world.until(() => world.pollers.areIdle, 'every run ends');
    world.calm();
    await judge(world, plan);
    return world;
  } finally {
    realTimers();
  }
}
