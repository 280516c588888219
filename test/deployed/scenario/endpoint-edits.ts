import assert from 'node:assert/strict';
import { until } from '../until.ts';
import { untilTold, type World } from '../world.ts';
import type { AddedEndpoint } from './added-endpoint.ts';

/** Events of several commits, which all others were told. */
export async function editMuch(world: World, label: string): Promise<void> {
  for (const field of ['note', 'name', 'note']) {
    world.edits.updateEach(field, `${label}-${world.edits.expected.length}`);
    await untilTold(world, 60, 'start');
  }
}

/** Pauses the endpoint, and has much to tell it. */
export async function editPaused(world: World, endpoint: AddedEndpoint, label: string): Promise<void> {
  endpoint.begin();
  await endpoint.pause();
  await world.report.check(
    `it is paused: what is edited ${label} waits in rows, and none of it arrives`,
    async () => {
      await editMuch(world, label);
      await until(30, async () => assert.equal(await endpoint.pending(), endpoint.awaited));
      assert.equal(endpoint.arrived, 0);
      return `${endpoint.awaited} events wait`;
    },
  );
}

/** Waits until nothing is to be delivered out of these queues. */
export async function quiet(
  { aws, stack }: World,
  queues: readonly string[] = ['Events', 'Deliveries', 'Chat', 'Drains'],
): Promise<void> {
  await until(60, async () => {
    for (const name of queues)
      assert.equal(await aws.queueLength(stack.output(`${name}QueueUrl`)), 0, `${name} is not empty`);
  });
}
