import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { ValueFilter } from '../../functions/model/filter.ts';
import { KINDS, kindSettingsText } from '../../functions/model/kinds.ts';
import { showDuration } from '../basics/duration.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { type Address, pageAddress } from '../operate/address.ts';
import { createPage, type Page, whyNoPage } from '../operate/page.ts';
import type { Options } from '../settings/options.ts';
import type { Source } from '../settings/source.ts';
import type { WantedEndpoint } from '../settings/wanted-endpoints.ts';
import type { WantedSubscription } from '../settings/wanted-subscriptions.ts';
import type { Output } from '../terminal/output.ts';

/** The command that shows the status of a run: it finds the usual directories (`cli/connect/data-directory.ts`). */
export function askedBy(directory: string, data: string | undefined): string {
  const isUsual = data === '.changewire' || data === '.changewire/simulated';
  return `npx changewire status${isUsual ? '' : ` --data ${directory}`}`;
}

interface About {
  readonly source: Source;
  readonly subscriptions: readonly WantedSubscription[];
  readonly endpoints: readonly WantedEndpoint[];
  /** Those that were added in earlier runs. */
  readonly added: readonly EndpointSettings[];
  /** The configuration file, if there is one. */
  readonly config: string | undefined;
  /** Whether SERVICE_* is set, too, and not used. */
  readonly leavesService: boolean;
  /** The data directory; undefined when nothing is kept. */
  readonly data: string | undefined;
  /** The address of `/healthz`, if it is served. */
  readonly health: string | undefined;
  /** The command that shows the status of this run; undefined: it answers no requests. */
  readonly ask: string | undefined;
  readonly once: boolean;
}

/** The lines that a start prints about itself. */
export function banner(about: About): string {
  const { source, subscriptions, endpoints, added, config, leavesService, data, health, ask, once } = about;
  const processes = source.watched.flatMap(({ workspace }) => workspace.processes.map(({ id }) => id));
  const places = ['this terminal', ...subscriptions.map(({ label }) => `${label} (over HTTP)`)];
  const kept = data === undefined ? 'not kept' : `${data} (the next start resumes from here)`;
  return [
    `Changewire watches ${source.description}: ${processes.join(', ')}`,
    ...(config === undefined
      ? []
      : [`  config   ${config}${leavesService ? ' (SERVICE_* is ignored)' : ''}`]),
    `  polling  ${once ? 'once' : rhythmOf(source)}`,
    `  events   to ${places.join(', ')}`,
    ...endpoints.map(endpoint => `           to ${describe(endpoint, ` at ${endpoint.origin}`)}`),
    ...added.map(endpoint => `           to ${describe(endpoint, ', added at runtime')}`),
    `  data     ${kept}`,
    ...(health === undefined ? [] : [`  health   ${health}`]),
    ...(ask === undefined ? [] : [`  status   ${ask}`]),
    ...(source.simulated ? ['  next     run "npx changewire init" to connect your own workspace'] : []),
    ...(once ? [] : ['  stop     Ctrl-C']),
    '',
  ].join('\n');
}

/** The same for programs. Of a URL it has only the origin. */
export function bannerDetails(about: About): object {
  const { source, subscriptions, endpoints, added, config, data, health, ask, once } = about;
  return {
    code: 'run.started',
    simulated: source.simulated,
    processes: source.watched.flatMap(({ workspace }) =>
      workspace.processes.map(({ id, changes, sweep }) => ({
        ...{ workspace: workspace.name, process: id, changes, sweep },
      })),
    ),
    subscriptions: subscriptions.map(({ label }) => label),
    endpoints: [
      ...endpoints.map(({ name, kind, filter, origin }) => ({ name, kind, filter, origin })),
      ...added.map(({ name, kind, filter }) => ({ name, kind, filter })),
    ],
    ...{ config, data, health, ask, once },
  };
}

/** How often processes are polled and swept: the shortest and the longest time, where they differ. */
function rhythmOf({ watched }: Source): string {
  const all = watched.flatMap(({ workspace }) => workspace.processes);
  const span = (times: readonly number[]) => {
    const [least, most] = [Math.min(...times), Math.max(...times)];
    return least === most ? showDuration(least) : `${showDuration(least)} to ${showDuration(most)}`;
  };
  const polling = span(all.flatMap(({ changes }) => [changes.fastest, changes.slowest]));
  return `every ${polling}; full sweep every ${span(all.map(({ sweep }) => sweep))}`;
}

function describe(endpoint: EndpointSettings, where: string): string {
  const { name, kind, filter } = endpoint;
  const { values = [], where: conditions, ...lists } = filter ?? {};
  const wants = [
    ...Object.entries(lists).map(([key, wanted]) => `${key} ${wanted?.join(' or ')}`),
    ...(values.length > 0 ? [values.map(condition).join(' or ')] : []),
    ...(conditions ? [`where ${conditions.map(group => JSON.stringify(group)).join(' or ')}`] : []),
  ];
  const only = wants.length === 0 ? '' : `, only ${wants.join('; ')}`;
  const { title, isSigned } = KINDS[kind];
  const settings = kindSettingsText(endpoint).map(setting => `, ${setting}`);
  return `${name} (${isSigned ? 'signed webhook' : title}${where}${settings.join('')}${only})`;
}

/** `status from Open to Done or Gone`. */
function condition({ field, ...asked }: ValueFilter): string {
  const parts = Object.entries(asked).map(
    ([key, values]) => `${key} ${values?.map(value => (value === '' ? 'nothing' : value)).join(' or ')}`,
  );
  return [field, ...parts].join(' ');
}

/** The console of a run; undefined: it is disabled, or can't be built here. */
export function consoleOf(options: Pick<Options, 'console'>, why = whyNoPage()): Page | undefined {
  return options.console && why === undefined ? createPage() : undefined;
}

interface ConsoleParts {
  readonly options: Pick<Options, 'console'>;
  readonly output: Pick<Output, 'info' | 'isTerminal'>;
  readonly address: Address;
  readonly directory: DataDirectory;
}

/** Prints in one line where the console is, or why it is missing. The address is written to a terminal only: logs are
 *  kept and read by others, who must not see the token. */
export function reportConsole(
  { options, output, address, directory }: ConsoleParts,
  why = whyNoPage(),
): void {
  if (!options.console) return;
  const code = 'console.address';
  if (!address.hasPage)
    output.info(`The console is not available: ${why ?? 'it is disabled'}.`, { code: 'console.unavailable' });
  else if (!output.isTerminal)
    output.info(`For the console's address, run "npx changewire console --data ${directory.path}".`, {
      code,
    });
  else output.info(`Console: ${pageAddress(address)}\n`, { code });
}
