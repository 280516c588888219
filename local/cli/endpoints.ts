import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { Networks } from '../../functions/basics/networks.ts';
import type { SenderOptions } from '../../functions/delivery/sender.ts';
import type { EndpointSettings, LinkTemplates } from '../../functions/model/endpoint.ts';
import { KINDS } from '../../functions/model/kinds.ts';
import type { SecretKeeper } from '../../functions/model/secret.ts';
import type { MoveToFailed } from '../../functions/queue/failed-messages.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { fileSecrets, keptSecret, SECRETS_FOLDER } from '../data/secret-files.ts';
import type { Store } from '../data/store.ts';
import { Delivering } from '../loops/delivering.ts';
import type { Metrics } from '../operate/metrics.ts';
import type { WantedEndpoint } from '../settings/wanted-endpoints.ts';
import type { Output } from '../terminal/output.ts';

/** The endpoints of a run. */
export interface Endpoints {
  readonly delivering: Delivering;
  /** The endpoints of the command line and of the configuration. */
  readonly configured: readonly EndpointSettings[];
  /** Names of those of the command line. */
  readonly onCommandLine: ReadonlySet<string>;
  readonly secrets: SecretKeeper;
}

interface Parts extends Pick<Store, 'deliveries' | 'endpoints' | 'slots' | 'queues'> {
  readonly closers: AsyncDisposableStack;
  readonly directory: DataDirectory;
  readonly output: Output;
  readonly linkTemplates: LinkTemplates;
  readonly networks: Networks;
  readonly proxy: string | undefined;
  readonly moveToFailed: MoveToFailed;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** By default over the network of this machine. */
  readonly openAgent?: SenderOptions['openAgent'];
}

/** Serves the wanted endpoints, and those that were added in earlier runs. Each resumes with its backlog, even if an
 *  earlier run had stopped it. */
export async function startEndpoints(parts: Parts, wanted: readonly WantedEndpoint[]): Promise<Endpoints> {
  const { closers, output } = parts;
  const secrets = secretsOfAll(wanted, parts);
  const configured = wanted.map(
    ({ isOption: _, url: _url, origin: _origin, secrets: _secrets, headers: _headers, ...settings }) =>
      settings,
  );
  await writeRows(wanted, configured, parts);
  const warn = (name: string, text: string, code: string) =>
    output.warn(`${name}: ${text}`, { code, endpoint: name });
  const delivering = new Delivering({ ...parts, configured, secrets, warn, log: output.log });
  closers.defer(() => delivering.stop());
  await delivering.recover(true);
  delivering.start();
  return {
    ...{ delivering, configured, secrets },
    onCommandLine: new Set(wanted.filter(({ isOption }) => isOption).map(({ name }) => name)),
  };
}

/** Writes the rows of configured endpoints, and removes those of endpoints that are no longer configured. */
async function writeRows(
  wanted: readonly WantedEndpoint[],
  configured: readonly EndpointSettings[],
  { endpoints }: Parts,
): Promise<void> {
  const origins = new Map(wanted.map(({ name, origin }) => [name, origin]));
  const names = [...configured.map(({ name }) => name), ...(await endpoints.list()).map(({ name }) => name)];
  for (const name of new Set(names)) {
    const settings = configured.find(endpoint => endpoint.name === name);
    await endpoints.change(name, row => {
      const { configured: _, ...rest } = row ?? { name, health: {} };
      if (!rest.settings && !settings) return 'removed';
      const origin = settings && origins.get(name);
      return { ...rest, ...(settings && { configured: settings }), ...(origin && { origin }) };
    });
  }
}

/** Addresses, signing secrets and headers of all endpoints: for those of the command line and of the configuration
 *  from the values given there, for the others from files. */
function secretsOfAll(wanted: readonly WantedEndpoint[], parts: Parts): SecretKeeper {
  const files = fileSecrets(parts.directory.file(SECRETS_FOLDER));
  const texts = new Map(
    wanted.map(one => [
      one.name,
      JSON.stringify({
        ...{ url: one.url, headers: one.headers },
        ...(KINDS[one.kind].isSigned && { secrets: secretsOf(one, parts) }),
      }),
    ]),
  );
  return { ...files, read: async name => texts.get(name) ?? files.read(name) };
}

function secretsOf({ name, secrets }: WantedEndpoint, { directory, output }: Parts): readonly string[] {
  if (secrets.length > 0) return secrets;
  const file = directory.file(`${name}.secret`);
  const secret = keptSecret(file);
  output.info(`${name}: the signing secret is in ${file}`, { code: 'endpoint.secret-file', endpoint: name });
  return [secret];
}
