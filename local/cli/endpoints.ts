import type { Deliveries } from '../../functions/delivery/deliveries.ts';
import type { LinkTemplates } from '../../functions/endpoints/chat-links.ts';
import type { SqliteEndpointStates } from '../../functions/snapshots/sqlite/endpoint-states.ts';
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
  readonly deliveries: Deliveries;
  readonly states: SqliteEndpointStates;
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

/** Starts to serve them; each goes on with what an earlier run left, also one that was stopped by its 410. */
export async function startEndpoints(house: House, wanted: readonly WantedEndpoint[]): Promise<Endpoints> {
  const served = await Promise.all(wanted.map(one => serve(one, house)));
  return {
    tried: async () => void (await Promise.all(served.map(endpoint => endpoint.tried()))),
    wellDone: async () => (await Promise.all(served.map(each => isDone(each, house)))).every(Boolean),
  };
}

async function serve(wanted: WantedEndpoint, house: House): Promise<Served> {
  const { closers, output, topic, states, linkTemplates } = house;
  const { name, kind, url, filter } = wanted;
  let stopped = false;
  const say = (text: string): void => {
    if (!stopped) output.warn(`${name}: ${text}`, { endpoint: name });
  };
  states.restart(name);
  const formerDead = await takeUp(house, { endpoint: name, label: name }, Date.now());
  const endpoint = await startEndpoint({
    name,
    kind,
    secret: { url, ...(kind === 'webhook' && { secrets: secretsOf(wanted, house) }) },
    filter,
    topic,
    states: tellingStates(states, say),
    linkTemplates,
    clock: Date.now,
    sleep,
    say,
  });
  closers.add(async () => {
    const ended = endpoint.stop();
    // What is cut off by the end says nothing of the endpoint.
    stopped = true;
    await ended;
  });
  return { ...endpoint, name, say, formerDead };
}

/** Says what a stop means here: what the deliverer would say of it is for operators of a stack. */
function tellingStates(states: SqliteEndpointStates, say: Served['say']): SqliteEndpointStates {
  return {
    ...states,
    stop: async (name, reason, at) => {
      if (await states.stop(name, reason, at))
        say(`${reason}, so it wants no more: until the next start its events become dead letters`);
      return false;
    },
  };
}

async function isDone({ name, say, formerDead }: Served, { deliveries, directory }: House): Promise<boolean> {
  const { pending, dead } = await deliveries.standing(name);
  const made = dead - formerDead;
  const kept = directory.lasting ? 'kept for the next start' : 'not kept';
  if (pending > 0) say(`undelivered: ${pending}, ${kept}`);
  if (made > 0) say(`given up: ${made}, ${directory.lasting ? 'kept as dead letters' : 'not kept'}`);
  return pending === 0 && made === 0;
}

function secretsOf({ name, secrets }: WantedEndpoint, { directory, output }: House): readonly string[] {
  if (secrets.length > 0) return secrets;
  const file = directory.file(`${name}.secret`);
  const secret = keptSecret(file);
  output.say(`${name}: its events are signed with the secret in ${file}`);
  return [secret];
}
