import assert from 'node:assert/strict';
import type { EndpointSettings } from '../../../functions/endpoints/endpoint.ts';
import type { Told } from '../../support/told.ts';
import { held, served, toldIsServed, type World } from '../world.ts';

/** What must be true of everything that happened. */
export async function settled(world: World, baseline: Told): Promise<void> {
  const { report, aws, everything, dueDates, own } = world;
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
    for (const url of await deadLetterUrls(world)) assert.equal(await aws.queueLength(url), 0, url);
  });
}

async function deadLetterUrls({ aws, stack, own }: World): Promise<string[]> {
  const outputs = ['Rejected', 'Unpublished', 'Unstarted'].map(what => stack.output(`${what}QueueUrl`));
  if (!own) return outputs;
  const endpoints = JSON.parse(await aws.variable(stack.output('DeliverFunction'), 'ENDPOINTS'));
  return [...outputs, ...(endpoints as EndpointSettings[]).map(({ deadLetterUrl }) => deadLetterUrl)];
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
