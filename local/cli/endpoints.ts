import type { EndpointRows, Health } from '../../functions/delivery/endpoint-rows.ts';
import { resumed } from '../../functions/delivery/health.ts';
import { type Sender, senderOf } from '../../functions/delivery/sender.ts';
import type { SqliteDeliveries } from '../../functions/delivery/sqlite-deliveries.ts';
import type { LinkTemplates } from '../../functions/endpoints/chat-links.ts';
import type { SecretStore } from '../../functions/endpoints/secret.ts';
import type { Slots } from '../../functions/snapshots/slots.ts';
import type { LocalTopic } from '../deliveries/topic.ts';
import { type ServedEndpoint, startEndpoint } from '../endpoints/endpoint.ts';
import { keptSecret } from '../endpoints/webhook-secret.ts';
import type { Closers } from './closers.ts';
import type { DataDirectory } from './data-directory.ts';
import type { Output } from './output.ts';
import { sleep } from './sleep.ts';
import { takeUp } from './undelivered.ts';
import type { WantedEndpoint } from './wanted-endpoints.ts';

/** The endpoints that `deliver.ts` serves in this run. */
export interface Endpoints {
  /** Resolves when everything that is due has been tried once. */
  tried(): Promise<void>;
  /** Tells what is undelivered. @returns true when nothing is, and this run has made no dead letter */
  wellDone(): Promise<boolean>;
}

interface House {
  readonly closers: Closers;
  readonly directory: DataDirectory;
  readonly output: Output;
  readonly topic: LocalTopic;
  readonly deliveries: SqliteDeliveries;
  readonly rows: EndpointRows;
  readonly slots: Slots;
  readonly linkTemplates: LinkTemplates;
  /** Whose dead letters are sent again. */
  readonly resend: ReadonlySet<string>;
}

interface Served extends ServedEndpoint {
  readonly name: string;
  readonly say: (text: string) => void;
  /** Dead letters that were there when it started. */
  readonly formerDead: number;
}

/** Starts to serve them; each goes on with what an earlier run left, also one that was stopped. */
export async function startEndpoints(house: House, wanted: readonly WantedEndpoint[]): Promise<Endpoints> {
  const secrets = wantedSecrets(wanted, house);
  const { linkTemplates } = house;
  const sender = senderOf({ secrets, linkTemplates, clock: Date.now, allowLoopback: true });
  const served = await Promise.all(wanted.map(one => serve(one, sender, house)));
  return {
    tried: async () => void (await Promise.all(served.map(endpoint => endpoint.tried()))),
    wellDone: async () => (await Promise.all(served.map(each => isDone(each, house)))).every(Boolean),
  };
}

async function serve(
  { name, kind, filter, perSecond, keepSuccesses }: WantedEndpoint,
  sender: Sender,
  house: House,
): Promise<Served> {
  const { closers, output, topic, rows, deliveries, slots } = house;
  let isStopped = false;
  const say = (text: string): void => {
    if (!isStopped) output.warn(`${name}: ${text}`, { endpoint: name });
  };
  await rows.change(name, row => ({ name, ...row, health: restarted(row?.health ?? {}, Date.now()) }));
  const formerDead = await takeUp(house, { endpoint: name, label: name }, Date.now());
  const endpoint = await startEndpoint({
    endpoint: { name, kind, filter, perSecond, keepSuccesses },
    ...{ topic, rows, deliveries, slots, sender, say, sleep },
    clock: Date.now,
  });
  closers.add(async () => {
    const ended = endpoint.stop();
    // What is cut off by the end says nothing of the endpoint.
    isStopped = true;
    await ended;
  });
  return { ...endpoint, name, say, formerDead };
}

/** A start asks for an endpoint anew: what kept it from getting anything is forgotten, but not that somebody paused it. */
function restarted(health: Health, now: number): Health {
  const { paused } = health;
  return { ...resumed(health, now), ...(paused && { paused }) };
}

async function isDone({ name, say, formerDead }: Served, { deliveries, directory }: House): Promise<boolean> {
  const { pending, dead } = await deliveries.standing(name);
  const made = dead - formerDead;
  const kept = directory.lasting ? 'kept for the next start' : 'not kept';
  if (pending > 0) say(`undelivered: ${pending}, ${kept}`);
  if (made > 0) say(`given up: ${made}, ${directory.lasting ? 'kept as dead letters' : 'not kept'}`);
  return pending === 0 && made === 0;
}

/** Where the endpoints of the command line and of the configuration are, and how their events are signed. */
function wantedSecrets(wanted: readonly WantedEndpoint[], house: House): SecretStore {
  const texts = new Map(
    wanted.map(one => [
      one.name,
      JSON.stringify({ url: one.url, ...(one.kind === 'webhook' && { secrets: secretsOf(one, house) }) }),
    ]),
  );
  return {
    nameOf: name => name,
    read: async name => texts.get(name) ?? '',
    putting: () => 'give it behind --webhook, --slack or --teams',
  };
}

function secretsOf({ name, secrets }: WantedEndpoint, { directory, output }: House): readonly string[] {
  if (secrets.length > 0) return secrets;
  const file = directory.file(`${name}.secret`);
  const secret = keptSecret(file);
  output.say(`${name}: its events are signed with the secret in ${file}`);
  return [secret];
}
