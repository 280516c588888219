import assert from 'node:assert/strict';
import { killFunction } from '../emulator/workers.ts';
import { until } from '../until.ts';
import type { OwnEmulator, World } from '../world.ts';
import type { AddedEndpoint } from './added-endpoint.ts';
import { editPaused, quiet } from './endpoint-edits.ts';

/** So many that they are more than the first probes. */
const SEVERAL = 5;
/** The drain takes ten rows at once by default, and sends the first of them alone: this is the first of the second ten, and the
 *  others of these are in nobody's hands but the killed run's. */
const KILLING = 11;

/** Kills while nothing else is under way: a message that the function holds comes back after 18 minutes, and is not waited for. */
export async function killInDrain(
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
export async function restArrives({ report }: World, added: AddedEndpoint): Promise<void> {
  report.say('waiting for the time of the killed run to end: three minutes after it began');
  await report.check('nothing that the killed run had to send is lost: the rest arrives', () =>
    until(240, () => added.hasAll()),
  );
  await report.check('the oldest came first', () => added.inOrder());
}

/** It answers 500 until it counts as failing. */
export async function failAndRecover(
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
