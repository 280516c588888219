import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onInterrupt } from '../../local/basics/process.ts';
import { buildWorkspace, startSimulatedService } from '../../simulator/server.ts';
import { freePort } from '../kit/dynamodb/free-port.ts';
import { EXIT_UNAVAILABLE, unavailableLine } from './available.ts';
import { Aws } from './aws.ts';
import { HOSTS, SIDE } from './config.ts';
import { Edits } from './edits.ts';
import { certificateFor } from './emulator/certificate.ts';
import { startGate } from './emulator/gate.ts';
import { emulatorName, installEmulator, Unavailable } from './emulator/install.ts';
import { startEmulator } from './emulator/start.ts';
import { createOperators, type Operators } from './operators.ts';
import { startSlack, startTeams } from './receivers/chat.ts';
import { startNativeSubscriber } from './receivers/native.ts';
import { startWebhookReceiver } from './receivers/webhook.ts';
import { Report } from './report.ts';
import { commands, releaseHeld } from './scenario/commands.ts';
import { throughThePage } from './scenario/console.ts';
import { contract } from './scenario/contract.ts';
import { deploy, firstEvents, redeploy } from './scenario/deploy.ts';
import { destroy, settled } from './scenario/destroy.ts';
import { editAll } from './scenario/edits.ts';
import { endpoints } from './scenario/endpoints.ts';
import { fail } from './scenario/failures.ts';
import { mails } from './scenario/mails.ts';
import { people, publishOnceMore } from './scenario/people.ts';
import { restore } from './scenario/restore.ts';
import { takeOut } from './scenario/taken-out.ts';
import { watched } from './scenario/watched.ts';
import { DeployedStack } from './stack.ts';
import { type OwnEmulator, PROCESS, served, type World } from './world.ts';

/** `npm run test:deployed`: deploys the stack to an AWS emulator and holds it to what it promises (docs/emulator.md).
 *  Exits with 0, with 1 when a check fails, and with 77 when the emulator can't be had. */

const closers = new AsyncDisposableStack();
const report = new Report(text => void process.stdout.write(text), Date.now);

onInterrupt({
  onFirst: signal => {
    process.stdout.write(`\n${signal}: stopping everything.\n`);
    closers.disposeAsync().finally(() => process.exit(130));
  },
  onSecond: () => process.exit(130),
});

try {
  await run(process.env.AWS_ENDPOINT_URL);
  report.end();
} catch (error) {
  process.exitCode = error instanceof Unavailable ? EXIT_UNAVAILABLE : 1;
  process.stdout.write(`\n${error instanceof Unavailable ? unavailableLine(error) : tell(error)}\n`);
} finally {
  await closers.disposeAsync();
}

async function run(external: string | undefined): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'changewire-deployed-'));
  closers.defer(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const own = external === undefined ? await startOwn(directory) : undefined;
  const world = await createWorld(directory, own?.gate.endpoint ?? String(external), own);
  try {
    await play(world);
  } catch (error) {
    for (const complaint of own?.emulator.complaints() ?? []) report.say(complaint);
    throw error;
  }
}

async function play(world: World): Promise<void> {
  await deploy(world);
  const baseline = served(world);
  // Deployments go on while the schedule is waited for.
  await Promise.all([firstEvents(world), redeploy(world)]);
  await editAll(world);
  await people(world);
  const { own } = world;
  if (own) await endpoints(world, own, () => fail(world, own));
  else report.skipped('kills, outages, endpoints', 'because the emulator was not started by this test');
  await publishOnceMore(world);
  const digestArrives = own && (await mails(world));
  await settled(world, baseline);
  // Before the contract, which removes all endpoints that no deployment knows.
  await digestArrives?.();
  if (own) await contract(world, own);
  await Promise.all([watched(world), own && commands(world, own)]);
  if (own) await releaseHeld(world, own);
  const comesBack = await takeOut(world);
  if (own) await restore(world, own);
  if (own) await throughThePage(world, own);
  await destroy(world, comesBack);
}

async function startOwn(directory: string): Promise<OwnEmulator> {
  report.say(`installing ${emulatorName()}, unless it is there`);
  const python = installEmulator();
  const certificate = await certificateFor(Object.values(HOSTS));
  const certificateFile = join(directory, 'certificate.pem');
  writeFileSync(certificateFile, certificate.cert);
  const webhook = started(await startWebhookReceiver(certificate));
  const slack = started(await startSlack(certificate));
  const teams = started(await startTeams(certificate));
  const added = started(await startWebhookReceiver(certificate));
  const flaky = started(await startWebhookReceiver(certificate));
  const receivers = { webhook, slack, teams, added, flaky };
  const contractPort = await freePort();
  let port = 0;
  const gate = started(await startGate(() => port));
  const ports = Object.entries(receivers).map(([name, receiver]) => [name, receiver.port] as const);
  const internet = Object.fromEntries(
    [...ports, ['contract', contractPort] as const].map(([name, at]) => [
      HOSTS[name as keyof typeof HOSTS],
      at,
    ]),
  );
  const emulator = started(
    await startEmulator({ python, directory, gateEndpoint: gate.endpoint, internet, certificateFile }),
  );
  port = Number(new URL(emulator.endpoint).port);
  const listening = { port: contractPort, certificate };
  return { emulator, gate, receivers, contract: listening };
}

async function createWorld(
  directory: string,
  endpoint: string,
  own: OwnEmulator | undefined,
): Promise<World> {
  report.say(`deploying to ${endpoint}`);
  const workspace = buildWorkspace({
    processes: [
      { id: PROCESS, projects: 8, tasksPerProject: 4 },
      { id: SIDE, projects: 2, tasksPerProject: 1 },
    ],
  });
  const service = started(await startSimulatedService({ workspace }));
  const aws = started(new Aws(endpoint));
  const stack = started(new DeployedStack(directory, endpoint));
  const edits = new Edits(service.workspace, PROCESS);
  const everything = started(await startNativeSubscriber());
  const dueDates = started(await startNativeSubscriber());
  let operators: Promise<Operators> | undefined;
  return {
    ...{ report, stack, aws, service, edits, everything, dueDates, own },
    operators: () => {
      operators ??= createOperators(endpoint, stack);
      return operators;
    },
  };
}

function started<Part extends { stop(): unknown }>(part: Part): Part {
  closers.defer(async () => void (await part.stop()));
  return part;
}

function tell(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
