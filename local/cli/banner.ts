import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { ValueFilter } from '../../functions/model/filter.ts';
import { KINDS } from '../../functions/model/kinds.ts';
import { showDuration } from '../basics/duration.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { type Address, pageAddress } from '../operate/address.ts';
import { createPage, type Page, whyNoPage } from '../operate/page.ts';
import type { Options } from '../settings/options.ts';
import type { Source } from '../settings/source.ts';
import type { WantedEndpoint } from '../settings/wanted-endpoints.ts';
import type { WantedSubscription } from '../settings/wanted-subscriptions.ts';
import type { Output } from '../terminal/output.ts';

/** The command that asks a run about itself: it finds the usual directories (`cli/connect/data-directory.ts`). */
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
  /** The configuration file; undefined: there is none. */
  readonly config: string | undefined;
  /** Whether SERVICE_* is set, too, and not used. */
  readonly leavesService: boolean;
  /** undefined when nothing is kept. */
  readonly data: string | undefined;
  /** The address of `/healthz`; undefined: there is none. */
  readonly health: string | undefined;
  /** The command that asks this run; undefined: it answers no requests. */
  readonly ask: string | undefined;
  readonly once: boolean;
}

/** What a start says about itself. */
export function banner(about: About): string {
  const { source, subscriptions, endpoints, added, config, leavesService, data, health, ask, once } = about;
  const processes = source.watched.flatMap(({ workspace }) => workspace.processes.map(({ id }) => id));
  const places = ['this terminal', ...subscriptions.map(({ label }) => `${label} (over HTTP)`)];
  const kept = data === undefined ? 'not kept' : `kept in ${data}, where the next start goes on`;
  return [
    `Changewire watches ${source.description}: ${processes.join(', ')}`,
    ...(config === undefined
      ? []
      : [`  config  ${config}${leavesService ? ', so that SERVICE_* is not used' : ''}`]),
    `  looks   ${once ? 'once' : rhythmOf(source)}`,
    `  events  to ${places.join(', ')}`,
    ...endpoints.map(endpoint => `          to ${describe(endpoint, ` at ${endpoint.origin}`)}`),
    ...added.map(endpoint => `          to ${describe(endpoint, ', added while it ran')}`),
    `  data    ${kept}`,
    ...(health === undefined ? [] : [`  health  ${health}`]),
    ...(ask === undefined ? [] : [`  ask     ${ask}`]),
    ...(source.simulated ? ['  yours   npx changewire init asks for your own workspace'] : []),
    ...(once ? [] : ['  stop    Ctrl-C']),
    '',
  ].join('\n');
}

/** The same for programs. Of a URL it has the origin alone. */
export function bannerDetails(about: About): object {
  const { source, subscriptions, endpoints, added, config, data, health, ask, once } = about;
  return {
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

/** How often changes and everything are looked for. Where that differs between processes, or by what was
 *  found: the shortest and the longest time. */
function rhythmOf({ watched }: Source): string {
  const all = watched.flatMap(({ workspace }) => workspace.processes);
  const span = (times: readonly number[]) => {
    const [least, most] = [Math.min(...times), Math.max(...times)];
    return least === most ? showDuration(least) : `${showDuration(least)} to ${showDuration(most)}`;
  };
  return `for changes every ${span(all.flatMap(({ changes }) => [changes.fastest, changes.slowest]))}, and wholly every ${span(all.map(({ sweep }) => sweep))}`;
}

function describe({ name, kind, filter }: EndpointSettings, where: string): string {
  const { values = [], ...lists } = filter ?? {};
  const wants = [
    ...Object.entries(lists).map(([key, wanted]) => `${key} ${wanted?.join(' or ')}`),
    ...(values.length > 0 ? [values.map(condition).join(' or ')] : []),
  ];
  const only = wants.length === 0 ? '' : `, only ${wants.join('; ')}`;
  const { title, isSigned } = KINDS[kind];
  return `${name} (${isSigned ? 'signed webhook' : title}${where}${only})`;
}

/** `status from Open to Done or Gone`. */
function condition({ field, ...asked }: ValueFilter): string {
  const parts = Object.entries(asked).map(
    ([key, values]) => `${key} ${values?.map(value => (value === '' ? 'nothing' : value)).join(' or ')}`,
  );
  return [field, ...parts].join(' ');
}

/** The console of a run; undefined: it is not wanted, or can't be built here. */
export function consoleOf(options: Pick<Options, 'console'>, why = whyNoPage()): Page | undefined {
  return options.console && why === undefined ? createPage() : undefined;
}

interface ConsoleParts {
  readonly options: Pick<Options, 'console'>;
  readonly output: Pick<Output, 'say' | 'isTerminal'>;
  readonly address: Address;
  readonly directory: DataDirectory;
}

/** Says in one line where the console is, or why there is none. The address is written to a terminal only: logs are
 *  kept and read by others, who must not see the token. */
export function reportConsole(
  { options, output, address, directory }: ConsoleParts,
  why = whyNoPage(),
): void {
  if (!options.console) return;
  if (!address.hasPage) output.say(`There is no console: ${why ?? 'it was not asked for'}.`);
  else if (!output.isTerminal)
    output.say(`The console: npx changewire console --data ${directory.path} tells its address.`);
  else output.say(`Look at it in a browser: ${pageAddress(address)}\n`);
}
