import { expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { Coverage } from './faults.ts';
import type { Plan } from './plan.ts';
import { virtualTimers } from './scheduler.ts';
import { smallEdit, smallPlan, WALK } from './small-plan.ts';
import { World } from './world.ts';

const MINUTE = 60_000;
const PLAN: Plan = { ...smallPlan('dynamodb', []), workspace: { projects: 5, tasks: 2 } };

it('invariant 11: a receiver that is down for an hour has everything within 15 minutes of its return, in order, without anybody doing anything', async () => {
  const world = new World(PLAN, new Coverage());
  const realTimers = virtualTimers(world.scheduler);
  try {
    world.calm();
    const pass = async (mode: 'changes' | 'sweep'): Promise<void> => {
      void world.pollers.run({ ...WALK, mode });
      await world.pass(MINUTE);
      await world.until(() => world.pollers.areIdle, 'a run ends');
    };
    await pass('sweep');
    const { delivery, commits, scheduler } = world;
    const began = commits.events.length;
    delivery.down.add('webhook');
    for (let minute = 0; minute < 60; minute++) {
      world.service.edit({ ...smallEdit('update project'), a: minute % 5, value: minute, by: [minute] });
      await pass('changes');
    }
    const missed = commits.events.slice(began).map(({ id }) => id);
    expect(missed.length).toBeGreaterThanOrEqual(50);
    const got: string[] = [];
    const receiver = delivery.receivers.get('webhook') as {
      took(by: object, body: string, now: number): void;
    };
    const took = receiver.took.bind(receiver);
    receiver.took = (by, body, now) => {
      got.push((JSON.parse(body) as ChangeEvent).id);
      took(by, body, now);
    };
    delivery.down.clear();
    const returned = scheduler.now;
    await world.until(() => world.isQuiet, 'everything is delivered');
    expect(scheduler.now - returned).toBeLessThan(15 * MINUTE);
    // The probe may be an event that was not the first: those before it were put off.
    expect(new Set(got)).toEqual(new Set(missed));
    const order = got.slice(1).map(id => missed.indexOf(id));
    order.forEach((place, index) => {
      // Posts that are under way at once may overtake each other.
      expect(order.slice(index + 10).filter(later => later < place)).toEqual([]);
    });
  } finally {
    realTimers();
  }
});
