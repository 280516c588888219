import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Networks } from '../../functions/basics/networks.ts';
import { resolveBySystem } from '../../functions/basics/proxy.ts';
import { SYSTEM } from '../../functions/basics/system.ts';
import { wakeBy } from '../../functions/delivery/queues.ts';
import { type Sender, senderOf } from '../../functions/delivery/sender.ts';
import type { OperationsContext } from '../../functions/operations/context.ts';
import { createOperations, type Operations } from '../../functions/operations/operations.ts';
import { isLook, type Request } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { QUEUE_SCHEMA } from '../../functions/queue/sqlite.ts';
import { openSqliteStore } from '../../functions/store/sqlite/store.ts';
import { diskOf } from '../data/disk.ts';
import { fileSecrets, SECRETS_FOLDER } from '../data/secret-files.ts';
import { openQueues, withQueued } from '../data/store.ts';
import { STORE_FILE } from '../data/store-file.ts';
import { variablePrefix } from '../settings/watched.ts';

/** The ports and settings of every context on one machine. */
const MACHINE = {
  label: 'run',
  clock: () => Date.now(),
  randomBytes,
  newId: randomUUID,
} as const;

/** The ports and settings that differ between a run and a command that opens the store of the last run. */
export interface LocalParts
  extends Omit<OperationsContext, 'stack' | 'openPoster' | 'jobsOf' | 'address' | keyof typeof MACHINE> {
  /** Names of the endpoints of the command line; undefined if nothing is running. */
  readonly onCommandLine?: ReadonlySet<string> | undefined;
  readonly sender: Sender;
  /** The networks of the configuration; of the last run's, none are known. */
  readonly networks?: Networks | undefined;
  /** Called after an operation that may have changed something. */
  readonly onAct?: () => void;
}

/** The operations on one machine. */
export function localOperations({
  configured,
  sender,
  onAct,
  onCommandLine,
  networks,
  ...parts
}: LocalParts): Operations {
  const operations = createOperations({
    ...{ ...parts, ...sender, ...MACHINE, configured },
    address: { allowLoopback: true, networks, resolve: resolveBySystem },
  });
  return async (asked, caller) => {
    const endpoint = configured.find(({ name }) => 'endpoint' in asked && name === asked.endpoint);
    const problem = endpoint && setAtStart(asked, endpoint.name, { ...parts, onCommandLine });
    if (problem !== undefined) throw new Refused(problem);
    const answer = await operations(asked, caller);
    if (!isLook(asked)) onAct?.();
    return answer;
  };
}

function unread(): never {
  throw new Refused('Changewire is not running, so its service cannot be read.');
}

const NOT_RUNNING = 'Changewire is not running. Run "npx changewire start", which polls at once.';

/** The operations over the store that the last run left in `directory`. Changes take effect at the next start. A run
 *  that is alive but does not answer sees the change within seconds: SQLite lets both write, one after the other.
 *  @throws if the store is of another version */
export async function openStoredOperations(
  directory: string,
  warn: (text: string) => void,
): Promise<{ readonly operations: Operations; close(): void }> {
  const store = openSqliteStore(join(directory, STORE_FILE), { schemas: [QUEUE_SCHEMA] });
  const queues = openQueues(store.database.file, Date.now);
  const secrets = fileSecrets(join(directory, SECRETS_FOLDER));
  const operations = localOperations({
    ...store,
    secrets,
    isRunning: false,
    toApply: 'start again',
    disk: () => diskOf(join(directory, STORE_FILE)),
    doctor: async () => unread(),
    connectService: unread,
    configured: (await store.endpoints.list()).flatMap(({ configured }) => (configured ? [configured] : [])),
    deliveries: withQueued(store.deliveries, queues),
    processes: store.roster.list,
    sender: senderOf({ secrets, ...SYSTEM, allowLoopback: true }),
    startPass: () => Promise.reject(new Refused(NOT_RUNNING)),
    queues: wakeBy(queues.drains),
    log: { info: () => undefined, warn, error: warn },
  });
  return { operations, close: store.close };
}

/** Why a request about an endpoint of the configuration or the command line is refused, with the remedy; undefined:
 *  it is allowed. Only the run has their addresses and secrets: new ones in the store would have no effect. */
function setAtStart(
  asked: Request,
  endpoint: string,
  { isRunning, onCommandLine }: Pick<LocalParts, 'isRunning' | 'onCommandLine'>,
): string | undefined {
  const isOption = onCommandLine?.has(endpoint);
  const { operation } = asked;
  if (operation === 'rotate-secret' || operation === 'finish-rotation') return rotation(endpoint, isOption);
  if (operation === 'test-endpoint' && !isRunning)
    return 'Changewire is not running, and only a run has the address and secrets of this endpoint. Start it, then try again.';
  if (operation === 'update-endpoint' && asked.url !== undefined) return addressAtStart(endpoint, isOption);
  if (operation === 'update-endpoint' && asked.headers) return headersAtStart(endpoint, isOption);
  if (operation === 'update-endpoint' && isOption) return ON_COMMAND_LINE;
  // A dry run is refused too, as the removal would be.
  if (operation === 'remove-endpoint' && isOption)
    return 'This endpoint is set on the command line of the run: restart without it. Until then, you can pause it.';
  return undefined;
}

const ON_COMMAND_LINE =
  'This endpoint is set on the command line of the run: restart with another --filter. Only endpoints of changewire.json and ' +
  'endpoints added with "npx changewire endpoints add" have other settings.';

function addressAtStart(endpoint: string, isOption: boolean | undefined): string {
  const option = 'another URL on the command line';
  const variable = `another ENDPOINT_${variablePrefix(endpoint)}_URL in the environment or in .env`;
  const how = isOption === undefined ? `${option}, or ${variable}` : isOption ? option : variable;
  return `The address of this endpoint is read at the start of a run: restart with ${how}. Its backlog goes to the new address.`;
}

function headersAtStart(endpoint: string, isOption: boolean | undefined): string {
  const option = 'with --header after its URL on the command line';
  const variable = `with another ENDPOINT_${variablePrefix(endpoint)}_HEADERS in the environment or in .env`;
  const how = isOption === undefined ? `${option}, or ${variable}` : isOption ? option : variable;
  return `The headers of this endpoint are read at the start of a run: restart ${how}.`;
}

function rotation(endpoint: string, isOption: boolean | undefined): string {
  const option = 'with --webhook-secret NEW --webhook-secret OLD after its --webhook';
  const variable = `with ENDPOINT_${variablePrefix(endpoint)}_SECRET=NEW,OLD in the environment or in .env`;
  const how = isOption === undefined ? `${option}, or ${variable}` : isOption ? option : variable;
  return (
    `The signing secret of this endpoint is read at the start of a run. To change it, restart ${how}; once the receiver has the ` +
    `new one, restart with NEW only. A generated secret is in ${endpoint}.secret in the data directory.`
  );
}
