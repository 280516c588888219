import assert from 'node:assert/strict';
import type { Told } from '../../support/told.ts';
import { held, served, toldIsServed, type World } from '../world.ts';

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
    const names = ['Rejected', 'Unpublished', 'Unstarted'].map(name => `${name}QueueUrl`);
    const endpoints = own ? Object.keys(own.receivers).map(name => `EndpointDeadLettersUrl${name}`) : [];
    for (const name of [...names, ...endpoints])
      assert.equal(await aws.queueLength(stack.output(name)), 0, name);
  });
}

export async function destroy(world: World): Promise<void> {
  const { report, aws, stack } = world;
  report.part('Destroying');
  await report.check('cdk destroy', async () => void (await stack.destroy()));
  await report.check('the functions are gone', async () =>
    assert.equal(await aws.functionExists(stack.output('PollFunction')), false),
  );
  await report.check('the table is there, with everything in it', async () => {
    assert.equal(await aws.tableStatus(stack.output('TableName')), 'ACTIVE');
    assert.deepEqual(await held(world), served(world));
  });
}
