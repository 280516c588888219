import type { Coverage } from './faults.ts';
import { judge } from './judge.ts';
import type { Plan } from './plan.ts';
import { virtualTimers } from './scheduler.ts';
import { World } from './world.ts';

/** Lives through one plan, and judges it.
 *  @throws Violation when an invariant does not hold, Stuck when something never ends. */
export async function run(plan: Plan, coverage: Coverage): Promise<World> {
  const world = new World(plan, coverage);
  const restore = virtualTimers(world.scheduler);
  try {
    for (const [index, step] of plan.steps.entries()) {
      await world.pass(step.gap);
      world.service.reach(index);
      if (step.do === 'edit') world.service.edit(step);
      else if (step.do === 'meet') await world.meet(step);
      else void world.pollers.run(step);
    }
    await world.until(() => world.pollers.areIdle, 'every run ends');
    world.calm();
    await judge(world, plan);
    return world;
  } finally {
    restore();
  }
}
