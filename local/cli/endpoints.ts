import { existsSync, readdirSync } from 'node:fs';
import { SNSClient } from '@aws-sdk/client-sns';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type ServedEndpoint, startEndpoint } from '../endpoints/endpoint.ts';
import { endpointLog } from '../endpoints/log.ts';
import { countSpooled } from '../endpoints/spool-file.ts';
import { keptSecret } from '../endpoints/webhook-secret.ts';
import type { LocalSns } from '../sns/sns.ts';
import type { Closers } from './closers.ts';
import type { DataDirectory } from './data-directory.ts';
import type { Output } from './output.ts';
import { sleep } from './sleep.ts';
import type { RestartableStates } from './table.ts';
import type { WantedEndpoint } from './wanted-endpoints.ts';

/** The endpoints that `deliver.ts` serves in this run. */
export interface Endpoints {
  /** Resolves when everything published so far is delivered or on disk, whatever the endpoints do. */
  secured(): Promise<void>;
  /** Resolves when everything that is secured and due has been tried once. */
  tried(): Promise<void>;
  /** Tells what is undelivered. @returns true when nothing is, and this run has made no dead letter */
  wellDone(): boolean;
}

interface House {
  readonly closers: Closers;
  readonly directory: DataDirectory;
  readonly output: Output;
}

interface Behind {
  readonly sns: LocalSns;
  readonly states: RestartableStates;
}

type Served = ServedEndpoint & { readonly say: (text: string) => void };

/** Starts to serve them; each goes on with what an earlier run left, also one that was stopped by its 410. */
export async function startEndpoints(
  house: House,
  wanted: readonly WantedEndpoint[],
  behind: Behind,
): Promise<Endpoints> {
  tellAbandoned(house, wanted);
  const clients = openClients(house, behind.sns.endpoint);
  const served = await Promise.all(wanted.map(one => serve(one, { ...house, ...behind, clients })));
  return {
    secured: async () => void (await Promise.all(served.map(endpoint => endpoint.secured()))),
    tried: async () => {
      while (served.some(({ spool }) => spool.untried)) await sleep(50);
    },
    wellDone: () => served.map(each => isDone(each, house)).every(Boolean),
  };
}

function openClients({ closers }: House, endpoint: string) {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const config = { endpoint, region: 'us-east-1', credentials };
  const sns = new SNSClient(config);
  const sqs = new SQSClient({ ...config, useQueueUrlAsEndpoint: false });
  closers.add(() => {
    sns.destroy();
    sqs.destroy();
  });
  return { sns, sqs };
}

async function serve(
  wanted: WantedEndpoint,
  parts: House & Behind & { clients: ReturnType<typeof openClients> },
): Promise<Served> {
  const { closers, directory, output, sns, states, clients } = parts;
  const { name, kind, url, origin } = wanted;
  let stopped = false;
  const say = (text: string): void => {
    if (!stopped) output.warn(`${origin}: ${text}`);
  };
  await states.restart(name);
  const endpoint = await startEndpoint({
    ...clients,
    name,
    kind,
    secret: { url, ...(kind === 'webhook' && { secrets: secretsOf(wanted, parts) }) },
    topicArn: sns.topicArn,
    look: sns.look,
    states: tellingStates(states, say),
    dataDirectory: directory.path,
    spoolPath: spoolPath(directory, name),
    clock: Date.now,
    sleep,
    log: endpointLog(say, Date.now),
    onTrouble: error => say(String(error)),
  });
  closers.add(async () => {
    stopped = true;
    await endpoint.stop();
  });
  const { size } = endpoint.spool;
  if (size > 0) output.say(`${origin}: goes on with what is undelivered: ${size}`);
  return { ...endpoint, say };
}

/** Says what a stop means here: what the deliverer would say of it is for operators of a stack. */
function tellingStates(states: RestartableStates, say: Served['say']): RestartableStates {
  return {
    ...states,
    stop: async (name, reason, at) => {
      if (await states.stop(name, reason, at))
        say(`${reason}, so it wants no more: until the next start its events become dead letters`);
      return false;
    },
  };
}

function isDone({ spool, deadLetters, say }: Served, { directory }: House): boolean {
  const { size, path } = spool;
  const kept = (place: string) => (directory.lasting ? `kept in ${place}` : 'not kept');
  if (size > 0) say(`undelivered: ${size}, ${kept(path)}${directory.lasting ? ' for the next start' : ''}`);
  if (deadLetters.added > 0) say(`given up: ${deadLetters.added}, ${kept(deadLetters.path)}`);
  return size === 0 && deadLetters.added === 0;
}

function secretsOf(
  { name, origin, secrets }: WantedEndpoint,
  { directory, output }: House,
): readonly string[] {
  if (secrets.length > 0) return secrets;
  const file = directory.file(`${name}.secret`);
  const secret = keptSecret(file);
  output.say(`${origin}: its events are signed with the secret in ${file}`);
  return [secret];
}

const SPOOL = 'undelivered';

function spoolPath(directory: DataDirectory, name: string): string {
  return directory.file(`${SPOOL}/${name}.jsonl`);
}

/** What was left for an endpoint that is not asked for now stays. */
function tellAbandoned({ directory, output }: House, wanted: readonly WantedEndpoint[]): void {
  const folder = directory.file(SPOOL);
  const files = existsSync(folder) ? readdirSync(folder) : [];
  for (const file of files.filter(each => each.endsWith('.jsonl'))) {
    const name = file.slice(0, -'.jsonl'.length);
    if (wanted.some(one => one.name === name)) continue;
    const path = spoolPath(directory, name);
    const count = countSpooled(path);
    if (count > 0)
      output.warn(`${name}: undelivered: ${count}, in ${path}. Give its URL again, or delete the file.`);
  }
}
