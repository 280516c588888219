import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { killFunction } from '../emulator/workers.ts';
import { until } from '../until.ts';
import { type OwnEmulator, untilTold, type World } from '../world.ts';
import { AddedEndpoint } from './added-endpoint.ts';

/** So late at most a row that was added is known everywhere: the registry is read every 10 s. */
const KNOWN_MS = 11_000;

/** Endpoints that come and go while all runs: nothing is deployed. `meanwhile` is what else is tested while one of them fails, and
 *  while the time of a killed run goes by. */
export async function endpoints(
  world: World,
  own: OwnEmulator,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const { report, aws, stack, edits } = world;
  report.part('Endpoints that no deployment knows');
  const operator = aws.endpointOperator(name => stack.output(name));
  const added = new AddedEndpoint('added', own.receivers.added, operator, edits);
  const flaky = new AddedEndpoint('flaky', own.receivers.flaky, operator, edits);
  await add(world, [added, flaky]);
  await pauseAndResume(world, added);
  await killInDrain(world, own, added, flaky);
  await failAndRecover(world, flaky, meanwhile);
  await report.check(
    'nothing of the drain is lost: the rest arrives when the time of the killed run is over',
    () => until(240, () => added.hasAll()),
  );
  await report.check('the oldest first', () => added.inOrder());
  await report.check('no row is left', async () => {
    for (const endpoint of [added, flaky]) assert.equal(await endpoint.pending(), 0, endpoint.name);
  });
  await remove(world, added, flaky);
}

async function add(world: World, added: readonly AddedEndpoint[]): Promise<void> {
  const { report, edits } = world;
  const began = Date.now();
  for (const endpoint of added) await endpoint.add();
  await report.check('two endpoints are added as rows, and reached within 30 s', () =>
    until(30, async () => {
      edits.updateEach('note', `after-${Date.now() - began}-ms`);
      await untilTold(world, 30, 'start');
      await sleep(1000);
      for (const { arrived, name } of added) assert.ok(arrived > 0, `${name} got nothing`);
    }),
  );
  // Until then one of the functions that route may not know them.
  await sleep(Math.max(0, began + KNOWN_MS - Date.now()));
  await quiet(world);
}

/** Waits until nobody has anything to deliver. */
async function quiet({ aws, stack }: World): Promise<void> {
  await until(60, async () => {
    for (const name of ['Events', 'Deliveries', 'Chat'])
      assert.equal(await aws.queueLength(stack.output(`${name}QueueUrl`)), 0, `${name} is not empty`);
  });
}

/** Some events of different commits, which all others were told. */
async function editMuch(world: World, label: string): Promise<void> {
  for (const field of ['note', 'name', 'note']) {
    world.edits.updateEach(field, `${label}-${world.edits.expected.length}`);
    await untilTold(world, 60, 'start');
  }
}

async function editPaused(world: World, endpoint: AddedEndpoint, label: string): Promise<void> {
  endpoint.begin();
  await endpoint.pause();
  await world.report.check(
    `it is paused: what happens ${label} waits in rows, and none of it arrives`,
    async () => {
      await editMuch(world, label);
      await until(30, async () => assert.equal(await endpoint.pending(), endpoint.awaited));
      assert.equal(endpoint.arrived, 0);
      return `${endpoint.awaited} events wait`;
    },
  );
}

async function pauseAndResume(world: World, added: AddedEndpoint): Promise<void> {
  const { report } = world;
  await editPaused(world, added, 'while-paused');
  await report.check('it is resumed: all of it arrives, signed', async () => {
    await added.resume();
    const said = await until(60, () => added.hasAll());
    assert.deepEqual(added.receiver.problems, []);
    return said;
  });
  await report.check('the oldest first', () => added.inOrder());
}

/** Kills while nothing else is under way: what the function holds comes back after 18 minutes, and is not waited for. */
async function killInDrain(world: World, own: OwnEmulator, added: AddedEndpoint, flaky: AddedEndpoint) {
  const { report, stack } = world;
  flaky.begin();
  await editPaused(world, added, 'before-the-kill');
  await until(60, () => flaky.hasAll());
  await quiet(world);
  let killed = 0;
  added.receiver.afterTaking(5, () => {
    killed = killFunction(own.emulator.pid, stack.output('DeliverFunction'));
  });
  await report.check('the deliver function is killed while it sends what waited', async () => {
    await added.resume();
    await until(30, () => assert.ok(killed > 0));
    const [pending, all] = [await added.pending(), added.awaited];
    assert.ok(pending >= all - added.arrived, 'what did not arrive has no row');
    assert.ok(added.arrived < all, 'everything had arrived already');
    return `${added.arrived} of ${all} arrived, ${pending} rows are there`;
  });
}

/** It answers 500 until it counts as failing. */
async function failAndRecover(
  { report }: World,
  flaky: AddedEndpoint,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  flaky.begin();
  flaky.receiver.refuse(500, Number.POSITIVE_INFINITY);
  const failing = untilFailing(flaky, stop.signal);
  // It is awaited below; until then its failure is nobody's.
  failing.catch(() => undefined);
  try {
    await meanwhile();
  } catch (error) {
    stop.abort();
    throw error;
  }
  report.part('Endpoints that no deployment knows, afterwards');
  await report.check('one answered 500 meanwhile: it counted as failing after a minute', () => failing);
  await report.check('it answers again, and gets all that it had missed', () =>
    until(240, () => flaky.hasAll()),
  );
  await report.check('it counts as well again', async () => {
    const { failing, failures, waiting } = await flaky.health();
    assert.deepEqual(
      { failing, failures, waiting },
      { failing: undefined, failures: undefined, waiting: undefined },
    );
  });
}

async function untilFailing(flaky: AddedEndpoint, signal: AbortSignal): Promise<string> {
  const said = await until(
    180,
    async () => {
      const { failing } = await flaky.health();
      assert.ok(failing, 'it does not count as failing');
      const pending = await flaky.pending();
      assert.ok(pending > 0, 'nothing waits in rows');
      return `${flaky.receiver.refused} tries failed, ${pending} events waited in rows`;
    },
    signal,
  );
  flaky.receiver.refuse(500, 0);
  return said;
}

async function remove(world: World, added: AddedEndpoint, flaky: AddedEndpoint): Promise<void> {
  const { report } = world;
  await report.check('one is removed: nothing more is sent to it, and all others go on', async () => {
    await added.remove();
    added.begin();
    flaky.begin();
    await editMuch(world, 'after-the-removal');
    await until(30, () => flaky.hasAll());
    assert.equal(added.arrived, 0);
    assert.equal(await added.pending(), 0);
  });
  await flaky.remove();
}
