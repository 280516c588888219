import { SYSTEM } from '../../functions/basics/system.ts';
import { type Sender, senderOf } from '../../functions/delivery/sender.ts';
import type { EndpointSettings, LinkTemplates } from '../../functions/model/endpoint.ts';
import { KINDS } from '../../functions/model/kinds.ts';
import type { SecretKeeper } from '../../functions/model/secret.ts';
import { workOffReplays } from '../../functions/operations/replay.ts';
import type { SqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import type { EndpointRows, JournalReader, Slots } from '../../functions/store/store.ts';
import type { Closers } from '../basics/closers.ts';
import type { Output } from '../basics/output.ts';
import { sleep } from '../basics/sleep.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import type { LocalTopic } from '../deliveries/topic.ts';
import { Fleet } from '../endpoints/fleet.ts';
import { fileSecrets, SECRETS_FOLDER } from '../endpoints/secret-files.ts';
import { keptSecret } from '../endpoints/webhook-secret.ts';
import type { WantedEndpoint } from '../settings/wanted-endpoints.ts';
import { takeUp } from './undelivered.ts';

/** The endpoints that `deliver.ts` serves in this run. */
export interface Endpoints {
  /** Looks for endpoints that are added, changed and removed from now on. */
  watch(): void;
  /** Looks for them now, and resolves when they are served as they are. */
  obey(): Promise<void>;
  /** Resolves when everything that is due has been tried once. */
  tried(): Promise<void>;
  /** Says what is undelivered. @returns true when nothing is, and this run has made no dead letter */
  wellDone(): Promise<boolean>;
  /** The endpoints of the command line and of the configuration. */
  readonly configured: readonly EndpointSettings[];
  /** Names of those of the command line. */
  readonly onCommandLine: ReadonlySet<string>;
  readonly secrets: SecretKeeper;
  readonly sender: Sender;
}

interface House {
  readonly closers: Closers;
  readonly directory: DataDirectory;
  readonly output: Output;
  readonly topic: LocalTopic;
  readonly deliveries: SqliteDeliveries;
  readonly rows: EndpointRows;
  readonly slots: Slots;
  readonly journal: JournalReader;
  readonly linkTemplates: LinkTemplates;
  /** Names of the endpoints whose dead letters are sent again. */
  readonly resend: ReadonlySet<string>;
}

/** Starts to serve the wanted endpoints, and those that were added in earlier runs. Each goes on with
 *  what an earlier run left, even if that run had stopped it. */
export async function startEndpoints(house: House, wanted: readonly WantedEndpoint[]): Promise<Endpoints> {
  const { closers, output, directory, topic, rows, deliveries, slots, journal, linkTemplates } = house;
  const secrets = secretsOfAll(wanted, house);
  const configured = wanted.map(
    ({ isOption: _, url: _url, origin: _origin, secrets: _secrets, ...settings }) => settings,
  );
  const log = output.log;
  const replayed = {
    ...{ configured, endpoints: rows, deliveries, journal, log },
    queues: { wake: async () => undefined },
    clock: Date.now,
  };
  const formerDead = new Map<string, number>();
  const sender = senderOf({ secrets, linkTemplates, ...SYSTEM, allowLoopback: true });
  const say = (name: string, text: string) => output.warn(`${name}: ${text}`, { endpoint: name });
  const fleet = new Fleet({
    origins: new Map(wanted.map(({ name, origin }) => [name, origin])),
    ...{ configured, topic, rows, deliveries, slots, sleep, log, say },
    sender,
    replays: (all, hasTime) => workOffReplays(replayed, all, hasTime),
    clock: Date.now,
    onServe: async name =>
      void formerDead.set(name, await takeUp(house, { endpoint: name, label: name }, Date.now())),
  });
  closers.add(() => fleet.stop());
  await fleet.start();
  const kept = directory.lasting ? 'kept for the next start' : 'not kept';
  const isDone = async (name: string): Promise<boolean> => {
    const { pending, dead } = await deliveries.standing(name);
    const made = dead - (formerDead.get(name) ?? 0);
    if (pending > 0) say(name, `undelivered: ${pending}, ${kept}`);
    if (made > 0) say(name, `given up: ${made}, ${directory.lasting ? 'kept as dead letters' : 'not kept'}`);
    return pending === 0 && made === 0;
  };
  return {
    ...{ configured, secrets, sender },
    onCommandLine: new Set(wanted.filter(({ isOption }) => isOption).map(({ name }) => name)),
    watch: () => fleet.watch(),
    obey: () => fleet.obey(),
    tried: async () => void (await Promise.all(fleet.served.map(endpoint => endpoint.tried()))),
    wellDone: async () => (await Promise.all(fleet.names.map(isDone))).every(Boolean),
  };
}

/** Addresses and signing secrets of all endpoints: for those of the command line and of the configuration
 *  from what was given there, for the others from files. */
function secretsOfAll(wanted: readonly WantedEndpoint[], house: House): SecretKeeper {
  const files = fileSecrets(house.directory.file(SECRETS_FOLDER));
  const texts = new Map(
    wanted.map(one => [
      one.name,
      JSON.stringify({ url: one.url, ...(KINDS[one.kind].isSigned && { secrets: secretsOf(one, house) }) }),
    ]),
  );
  return { ...files, read: async name => texts.get(name) ?? files.read(name) };
}

function secretsOf({ name, secrets }: WantedEndpoint, { directory, output }: House): readonly string[] {
  if (secrets.length > 0) return secrets;
  const file = directory.file(`${name}.secret`);
  const secret = keptSecret(file);
  output.say(`${name}: its events are signed with the secret in ${file}`);
  return [secret];
}
