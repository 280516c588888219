import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { stateOf } from '../../kit/copied.ts';
import { killFunction } from '../emulator/start.ts';
import { until } from '../until.ts';
import { type OwnEmulator, PROCESS, untilTold, type World } from '../world.ts';
import { AddedEndpoint, editMuch, editPaused, quiet } from './added-endpoint.ts';

/** So late at most a row that was added is known everywhere: the registry is read every 10 s. */
const KNOWN_MS = 11_000;

/** Endpoints that come and go while all runs: nothing is deployed. `meanwhile` is what else is tested while one of them fails, and
 *  while the time of a killed run goes by. */
export async function endpoints(
  world: World,
  own: OwnEmulator,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const { report, edits } = world;
  report.part('Endpoints that no deployment knows');
  const { act } = await world.operators();
  const added = new AddedEndpoint('added', own.receivers.added, act, edits);
  const flaky = new AddedEndpoint('flaky', own.receivers.flaky, act, edits);
  await add(world, [added, flaky]);
  await pauseAndResume(world, added);
  await sendOnceMore(world, added);
  await fillCopy(world, added);
  await killInDrain(world, own, added, flaky);
  await failAndRecover(world, flaky, meanwhile);
  await restArrives(world, added);
  // The run takes the row of the last one away once that is answered.
  await report.check('no row is left', () =>
    until(30, async () => {
      for (const endpoint of [added, flaky]) assert.equal(await endpoint.pending(), 0, endpoint.name);
    }),
  );
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
  await report.check('each takes a test event, and its answer is shown', async () => {
    for (const endpoint of added) {
      const { status } = await endpoint.test();
      assert.deepEqual([status, endpoint.receiver.tests], [204, 1], endpoint.name);
    }
  });
  // Until then one of the functions that route may not know them.
  await sleep(Math.max(0, began + KNOWN_MS - Date.now()));
  await quiet(world);
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
  await report.check('the oldest came first', () => added.inOrder());
}

/** One event, and then a time. */
async function sendOnceMore({ report, operators }: World, added: AddedEndpoint): Promise<void> {
  const { act } = await operators();
  const { events } = added.receiver;
  await report.check('one event is sent to it once more, by its id', async () => {
    const { repeated } = events;
    const eventId = events.events.at(-1)?.id ?? '';
    const { result } = await act.ask({ operation: 'resend', eventId, to: added.name });
    await until(60, () => assert.equal(events.repeated, repeated + 1));
    const { endpoints } = await act.ask({ operation: 'trace', eventId });
    const delivery = endpoints.find(each => each.endpoint === added.name);
    assert.deepEqual([result, delivery?.state, delivery?.attempts.length], ['sent', 'delivered', 2]);
  });
  await report.check('all events of the last half hour are replayed to it, and to nobody else', async () => {
    const { repeated } = events;
    const since = new Date(Date.now() - 30 * 60_000).toISOString();
    const count = (await act.ask({ operation: 'replay', to: added.name, since, dryRun: true })).events;
    await act.ask({ operation: 'replay', to: added.name, since });
    // Those of before it was added are new to it.
    const known = events.events.length;
    await until(90, () =>
      assert.ok(events.repeated - repeated + events.events.length - known >= (count?.atLeast ?? 1)),
    );
    return `${count?.atLeast} events`;
  });
}

/** The endpoint was added long after the first events: only a snapshot tells it of most records. */
async function fillCopy(world: World, added: AddedEndpoint): Promise<void> {
  const { report, operators, edits } = world;
  const { act } = await operators();
  const { copy } = added.receiver;
  await report.check('a snapshot fills its copy, which then equals the service', async () => {
    assert.notDeepEqual(stateOf(copy), edits.served);
    await act.ask({ operation: 'snapshot', to: added.name, process: PROCESS });
    edits.updateEach('note', 'during-the-snapshot');
    await untilTold(world, 90, 'start');
    await until(180, () => assert.deepEqual(stateOf(copy), edits.served));
    return `${copy.records().size} records`;
  });
}

async function remove(world: World, added: AddedEndpoint, flaky: AddedEndpoint): Promise<void> {
  const { report } = world;
  await report.check('one is removed: nothing more is sent to it, and all others go on', async () => {
    await added.remove();
    added.begin();
    flaky.begin();
    await editMuch(world, 'after-the-removal');
    await until(30, () => flaky.hasAll());
    await quiet(world, ['Events']);
    assert.equal(added.arrived, 0);
    await assert.rejects(added.status(), /There is no endpoint with this name/);
    return `${flaky.awaited} events`;
  });
  await flaky.remove();
}

/** So many that they are more than the first probes. */
const SEVERAL = 5;
/** The drain takes ten rows at once by default, and sends the first of them alone: this is the first of the second ten, and the
 *  others of these are in nobody's hands but the killed run's. */
const KILLING = 11;

/** Kills while nothing else is under way: a message that the function holds comes back after 18 minutes, and is not waited for. */
async function killInDrain(
  world: World,
  own: OwnEmulator,
  added: AddedEndpoint,
  flaky: AddedEndpoint,
): Promise<void> {
  const { report, stack } = world;
  flaky.begin();
  await editPaused(world, added, 'before-the-kill');
  await until(60, () => flaky.hasAll());
  await quiet(world);
  let killed = 0;
  added.receiver.afterTaking(KILLING, () => {
    killed = killFunction(own.emulator.pid, stack.output('DeliverFunction'));
  });
  await report.check('the deliver function is killed while it sends what waited', async () => {
    await added.resume();
    await until(30, () => assert.ok(killed > 0));
    const [pending, all] = [await added.pending(), added.awaited];
    assert.ok(added.arrived < all, 'everything had arrived already');
    assert.ok(pending >= all - added.arrived, 'what did not arrive has no row');
    return `${added.arrived} of ${all} arrived, ${pending} rows are there`;
  });
}

/** The killed run had taken the rows for itself: for three minutes at most, as long as it could have lived. */
async function restArrives({ report }: World, added: AddedEndpoint): Promise<void> {
  report.say('waiting for the time of the killed run to end: three minutes after it began');
  await report.check('nothing that the killed run had to send is lost: the rest arrives', () =>
    until(240, () => added.hasAll()),
  );
  await report.check('the oldest came first', () => added.inOrder());
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
  await report.check('one answered 500 meanwhile, and counted as failing', () => failing);
  await report.check('it answers again: it gets all that it had missed, without anybody doing anything', () =>
    until(240, () => flaky.hasAll()),
  );
  await report.check('it counts as well again', () =>
    until(30, async () => {
      assert.equal((await flaky.status()).state, 'healthy');
    }),
  );
}

/** Then it answers well again. @returns how it was */
async function untilFailing(flaky: AddedEndpoint, signal: AbortSignal): Promise<string> {
  const look = async () => {
    const { state, waiting } = await flaky.status();
    assert.equal(state, 'failing', 'it does not count as failing');
    const pending = waiting.atLeast;
    assert.ok(pending >= SEVERAL, 'too little waits in rows');
    return `${flaky.receiver.refused} tries failed, ${pending} events waited in rows`;
  };
  const said = await until(180, look, signal);
  flaky.receiver.refuse(500, 0);
  return said;
}
