import assert from 'node:assert/strict';
import { killFunction } from '../emulator/start.ts';
import { until } from '../until.ts';
import { held, type OwnEmulator, onceEach, pass, served, untilTold, type World } from '../world.ts';

/** Kills and outages; what was told in the end is as if nothing had happened. */
export async function fail(world: World, own: OwnEmulator): Promise<void> {
  world.report.part('Failing');
  await killedWhileReading(world, own);
  await killedAfterCommit(world, own);
  await topicFails(world, own);
  await webhookFails(world, own);
}

async function killedWhileReading(world: World, { emulator }: OwnEmulator): Promise<void> {
  const { report, service, stack, edits } = world;
  let killed = 0;
  let reads = 0;
  const fault = service.fail({
    when: ({ path }) => path.includes('/tasks') && ++reads > 3,
    fault: {
      before: () => {
        killed = killFunction(emulator.pid, stack.output('PollFunction'));
      },
    },
  });
  edits.updateEach('note', 'read-before-the-kill');
  await report.check('the poll function is killed in the middle of a pass', () =>
    until(30, async () => {
      await pass(world);
      assert.ok(fault.remaining === 0 && killed > 0);
    }),
  );
  await report.check('some of its commits are there, not all', async () =>
    assert.notDeepEqual(await held(world), served(world)),
  );
  report.say('waiting for the lease of the killed run to end, up to a minute');
  await report.check('later passes tell the rest', () => untilTold(world, 100, 'start'));
}

async function killedAfterCommit(world: World, { emulator, gate }: OwnEmulator): Promise<void> {
  const { report, stack, edits } = world;
  let killed = 0;
  gate.afterNext(
    ({ operation }) => operation === 'TransactWriteItems',
    () => {
      killed = killFunction(emulator.pid, stack.output('PollFunction'));
    },
  );
  edits.updateEach('name', 'committed-before-the-kill');
  await report.check('the poll function is killed when its commit is done and it does not know yet', () =>
    until(30, async () => {
      await pass(world);
      assert.ok(killed > 0);
    }),
  );
  await report.check('later passes tell the rest', () => untilTold(world, 100, 'start'));
  await report.check('no kill made an event come twice', () => onceEach(world));
}

async function topicFails(world: World, { emulator, gate }: OwnEmulator): Promise<void> {
  const { report, stack, edits } = world;
  const before = edits.expected.length;
  const spoilt = gate.spoilt;
  gate.weather('sns', 'errors');
  edits.updateEach('note', 'while-the-topic-fails');
  await report.check('the topic answers with errors: changes are committed, nobody is told', async () => {
    await until(60, async () => {
      await pass(world);
      assert.deepEqual(await held(world), served(world));
      assert.ok(gate.spoilt - spoilt >= 18, 'publishing was not tried again');
    });
    assert.equal(world.everything.events.events.length, before);
    return `${gate.spoilt - spoilt} tries failed`;
  });
  const silentFrom = gate.spoilt;
  gate.weather('sns', 'silence');
  await report.check('the topic does not answer, and the publish function is killed waiting', async () => {
    await until(30, () => assert.ok(gate.spoilt > silentFrom));
    assert.ok(killFunction(emulator.pid, stack.output('PublishFunction')) > 0);
  });
  gate.weather('sns', 'healthy');
  await report.check('the topic is back: everything is told', () => untilTold(world, 60, 'scheduled'));
}

async function webhookFails(world: World, { receivers: { webhook } }: OwnEmulator): Promise<void> {
  const { report, edits } = world;
  const [project = ''] = edits.projects();
  webhook.refuse(500, 1);
  edits.updateProject(project, 'summary', 'while-the-webhook-fails');
  report.say('the webhook fails once: it is tried again after 5 s');
  await report.check('the webhook gets what it had failed to take', async () => {
    const said = await untilTold(world, 60, 'start');
    assert.equal(webhook.refused, 1);
    return said;
  });
}
