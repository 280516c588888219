import type { Coverage } from './faults.ts';
import { judge } from './judge.ts';
import type { Plan, Step } from './plan.ts';
import { type Backup, Restores, restore } from './restores.ts';
import { virtualTimers } from './scheduler.ts';
import { World } from './world.ts';

/** Lives through one plan, and judges it.
 *  @throws Violation when an invariant does not hold, Stuck when something never ends. */
export async function run(plan: Plan, coverage: Coverage, check = judge): Promise<World> {
  const world = new World(plan, coverage);
  const restores = new Restores(plan);
  const realTimers = virtualTimers(world.scheduler);
  try {
    for (const [index, step] of plan.steps.entries()) {
      await world.pass(step.gap);
      world.reach(index);
      restores.reach(index, world);
      await take(world, step, () => restores.backupOf(index));
    }
    await world.until(() => world.pollers.areIdle, 'every run ends');
    world.calm();
    await check(world, plan);
    return world;
  } finally {
    realTimers();
  }
}

async function take(world: World, step: Step, backupOf: () => Backup | undefined): Promise<void> {
  switch (step.do) {
    case 'edit':
      return world.service.edit(step);
    case 'run':
      return void world.pollers.run(step);
    case 'meet':
      return await world.meet(step);
    case 'ask':
      return world.passes.ask(step.mode);
    case 'clock':
      return world.setClock(step);
    case 'date':
      return world.service.sendDate(step.header);
    case 'operate':
      return await world.operate(step);
    case 'restore':
      return await restore(world, backupOf(), step);
    case 'schedule':
      world.ticker.isOn = step.isOn;
      return;
    case 'wait':
      return;
  }
}
