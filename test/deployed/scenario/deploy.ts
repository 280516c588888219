import assert from 'node:assert/strict';
import { CONFIGURED, configOf, HOSTS } from '../config.ts';
import type { NativeSubscriber } from '../receivers/native.ts';
import { until } from '../until.ts';
import {
  held,
  type OwnEmulator,
  onceEach,
  pass,
  receiversOfAll,
  served,
  untilTold,
  WORKSPACE,
  type World,
} from '../world.ts';

/** From an empty account to the first event, in the order of docs/deploying.md. */
export async function deploy(world: World): Promise<void> {
  const { report, stack, aws, service, everything, own } = world;
  const config = configOf({ service, everything: everything.url, endpoints: own !== undefined });
  report.part('Deploying');
  await report.check('the package is made and installed', () => stack.install());
  await report.check('cdk bootstrap', async () => void (await stack.bootstrap()));
  if (own) await failAtFirst(world, own, config);
  await report.check('changewire deploy', async () => void (await stack.deploy(config)));
  await report.check('SNS confirms its subscription', () => untilConfirmed(world, everything));
  await report.check('without credentials a pass fails, and says what to do', async () => {
    const began = Date.now();
    return until(30, async () => {
      // The emulator may record a last line only with what the function logs next time.
      await pass(world);
      const [line = ''] = await aws.logged(stack.output('PollLogs'), 'create-secret', began);
      assert.match(line, /create-secret --name changewire\/simulated/);
    });
  });
  await report.check('secrets are made', () => makeSecrets(world));
  await report.check('the baseline holds what the service shows', () =>
    until(30, async () => {
      await pass(world);
      assert.deepEqual(await held(world), served(world));
    }),
  );
  await report.check('the baseline tells nothing', () => {
    for (const [name, { events }] of receiversOfAll(world))
      assert.deepEqual(events, [], `what ${name} was told`);
  });
}

/** Deploys the same, then a subscription more. */
export async function redeploy({
  report,
  stack,
  service,
  everything,
  dueDates,
  ...world
}: World): Promise<void> {
  const config = { service, everything: everything.url, endpoints: world.own !== undefined };
  await report.check('changewire deploy again changes nothing', async () => {
    const said = await stack.deploy(configOf(config));
    assert.equal(said.split('(no changes)').length, 1 + stack.names.length, `it said: ${said.slice(-1_000)}`);
  });
  await report.check('a subscription is added by another deployment', async () => {
    await stack.deploy(configOf({ ...config, dueDates: dueDates.url }));
    return untilConfirmed({ stack, ...world }, dueDates, {
      RawMessageDelivery: 'true',
      FilterPolicy: JSON.stringify({ eventType: ['task.updated'], changedFields: ['dueDate'] }),
    });
  });
}

/** The schedule is the last that a stack makes: by then everything else is there, and is rolled back. */
async function failAtFirst(
  { report, stack }: World,
  { emulator }: OwnEmulator,
  config: object,
): Promise<void> {
  emulator.refuse('AWS::Scheduler::Schedule');
  await report.check('a first deployment fails, and is rolled back', () =>
    assert.rejects(stack.deploy(config), /The test wants no AWS::Scheduler::Schedule/),
  );
  emulator.refuse(undefined);
}

async function makeSecrets({ aws, stack, service, own }: World): Promise<void> {
  const { clientId, clientSecret } = service;
  await aws.createSecret(`changewire/${WORKSPACE}`, { clientId, clientSecret });
  if (!own) return;
  for (const name of CONFIGURED)
    await aws.putParameter(stack.output('SecretsPath') + name, {
      url: `https://${HOSTS[name]}/changewire`,
      ...(name === 'webhook' && { secrets: [own.receivers.webhook.secret] }),
    });
}

/** The first events, by the schedule, which starts tick, which sends a message for a pass. */
export async function firstEvents(world: World): Promise<void> {
  const { report, edits } = world;
  report.part('Telling');
  const [first = '', second = ''] = edits.projects();
  const [task = ''] = edits.tasks(first);
  edits.updateTask(first, task, 'note', 'noticed-by-the-schedule');
  edits.updateProject(second, 'summary', 'summed-up-by-the-schedule');
  report.say('waiting for the schedule to fire, and for the pass to be due, up to 150 s');
  await report.check('the tick starts the pass that tells two edits', () =>
    untilTold(world, 150, 'scheduled'),
  );
  await report.check('each event came once', () => onceEach(world));
}

/** Waits until a subscription of the stack is confirmed. An emulator that somebody else started may send no handshake for
 *  it: then the subscriber subscribes by itself, from another address, with `attributes` as the stack gives them. */
export async function untilConfirmed(
  { stack, aws, own }: Pick<World, 'stack' | 'aws' | 'own'>,
  subscriber: NativeSubscriber,
  attributes: Record<string, string> = {},
): Promise<string | undefined> {
  const topic = stack.output('TopicArn');
  const confirmed = () =>
    until(10, () => {
      assert.ok(subscriber.confirmed, 'no handshake came, or it failed');
      assert.deepEqual([...subscriber.topics], [topic]);
    });
  try {
    await confirmed();
    return undefined;
  } catch (error) {
    if (own) throw error;
    await aws.subscribe(topic, `${subscriber.url}?by=hand`, attributes);
    await confirmed();
    return "by hand, for this emulator confirms no stack's subscriptions";
  }
}
