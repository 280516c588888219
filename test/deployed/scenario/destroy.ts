import assert from 'node:assert/strict';
import type { Told } from '../../kit/told.ts';
import { configOf } from '../config.ts';
import { lineOf } from '../edits.ts';
import { changePolicies } from '../operators.ts';
import { until } from '../until.ts';
import {
  held,
  type OwnEmulator,
  PROCESS,
  pass,
  served,
  toldIsServed,
  untilTold,
  type World,
} from '../world.ts';
import { untilConfirmed } from './deploy.ts';
import { republish } from './people.ts';

/** What must be true of everything that happened. */
export async function settled(world: World, baseline: Told): Promise<void> {
  const { report, aws, stack, everything, dueDates, own } = world;
  report.part('In the end');
  await report.check('what was told, applied to the baseline, is what the service shows', () =>
    toldIsServed(world, baseline),
  );
  await report.check('so is what the table holds', async () =>
    assert.deepEqual(await held(world), served(world)),
  );
  await report.check('no receiver had to refuse anything', () => {
    const receivers = [everything, dueDates, ...Object.values(own?.receivers ?? {})];
    assert.deepEqual(
      receivers.flatMap(({ problems }) => problems),
      [],
    );
  });
  await report.check('every dead-letter queue is empty', async () => {
    for (const queue of ['Rejected', 'Unpublished', 'Unstarted', 'Unsettled'])
      assert.equal(await aws.queueLength(stack.output(`${queue}QueueUrl`)), 0, queue);
  });
}

/** `changewire destroy` leaves the table, the next deployment goes on over it, and no destroying reaches it.
 *  @param comesBack checks a process that the next deployment has again */
export async function destroy(world: World, comesBack: () => Promise<void>): Promise<void> {
  const { report, stack, aws, own } = world;
  report.part('Destroying, and deploying again');
  const backlog = own ? await commitUnpublished(world, own) : [];
  await changePolicies('detach', aws.endpoint, stack);
  await report.check('changewire destroy', async () => void (await stack.destroy()));
  own?.gate.weather('sns', 'healthy');
  await onlyTheTableIsLeft(world);
  await deployAgain(world, backlog);
  await comesBack();
  await changePolicies('detach', aws.endpoint, stack);
  await report.check('cdk destroy --all stops at the table', () =>
    assert.rejects(stack.destroyAll(), /[Tt]ermination ?[Pp]rotection/),
  );
  await onlyTheTableIsLeft(world);
}

async function onlyTheTableIsLeft(world: World): Promise<void> {
  const { report, aws, stack } = world;
  await report.check('the functions are gone', async () =>
    assert.equal(await aws.functionExists(stack.output('PollFunction')), false),
  );
  await report.check('the table is there, with everything in it', async () => {
    assert.equal(await aws.tableStatus(stack.output('TableName')), 'ACTIVE');
    assert.deepEqual(await held(world), served(world));
  });
}

/** Commits changes that can't be published: the stream has them when the stack goes. @returns their lines */
async function commitUnpublished(world: World, { gate }: OwnEmulator): Promise<string[]> {
  const { report, edits } = world;
  const before = edits.expected.length;
  gate.weather('sns', 'errors');
  edits.updateEach('note', 'committed-and-not-published');
  await report.check('the topic answers with errors: changes are committed, and not published', () =>
    until(60, async () => {
      await pass(world);
      assert.deepEqual(await held(world), served(world));
    }),
  );
  return edits.expected.slice(before);
}

/** What changed while nothing was deployed is told, because no new baseline swallows it. Change records of the last day are
 *  sent again: the stream's reader is new. */
async function deployAgain(world: World, backlog: readonly string[]): Promise<void> {
  const { report, stack, aws, edits, service, everything, own } = world;
  const table = stack.output('TableName');
  const [project = ''] = edits.projects();
  edits.updateProject(project, 'summary', 'while-nothing-was-deployed');
  await report.check('changewire deploy, with the secrets and the table that are there', async () => {
    await stack.deploy(configOf({ service, everything: everything.url, endpoints: own !== undefined }));
    assert.equal(stack.output('TableName'), table);
    return untilConfirmed(world, everything);
  });
  await report.check('the first pass is no baseline', async () => {
    const began = Date.now();
    await until(30, async () => {
      // The emulator may record a last line only with what the function logs next time.
      await pass(world);
      const lines = await aws.logged(stack.output('PollLogs'), PROCESS, began);
      assert.ok(
        lines.some(line => /"mode":"changes"/.test(line)),
        lines.join('\n'),
      );
      assert.ok(!lines.some(line => /"mode":"baseline"/.test(line)), lines.join('\n'));
    });
  });
  if (own)
    await report.check('the webhook gets what was committed and not published', () =>
      // After all that is sent again, that of the contract too.
      until(240, () => {
        const lines = own.receivers.webhook.events.events.map(lineOf);
        assert.deepEqual(
          backlog.filter(line => !lines.includes(line)),
          [],
        );
        return `${backlog.length} events`;
      }),
    );
  await changePolicies('attach', aws.endpoint, stack);
  await report.check('published once more, all reaches the native subscription, too', async () => {
    await republish(world);
    return untilTold(world, 240, 'start');
  });
}
