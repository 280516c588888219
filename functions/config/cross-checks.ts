import {
  MAX_RESOURCES,
  MAX_SUBSCRIPTIONS,
  RESOURCES_OF_SUBSCRIPTION,
  type SubscriptionConfig,
} from './endpoint.ts';
import { type AttributeFilter, attributesOf, neverMatching, typesWithout } from './filter.ts';
import { hint, isWords, listed, pathText, shown } from './problems.ts';
import { type Config, subscriptionsStackName, tableStackName } from './schema.ts';
import { LOOPBACK } from './values.ts';
import { credentialsName, PATTERNS_BYTES, secretPatterns } from './workspace.ts';

type Path = readonly PropertyKey[];

/** What is wrong between the parts of a configuration, each of which is right by itself; one line each.
 *  `place` is the path of the configuration: in a list, its index. */
export function crossProblems(config: Config, place: Path = []): string[] {
  const { workspaces, subscriptions, endpoints } = config;
  return [
    ...repeated(at([...place, 'workspaces'], 'name', workspaces, each => each.name)),
    ...repeated(at([...place, 'workspaces'], 'credentials', workspaces, credentialsName)),
    ...workspaces.flatMap(({ processes }, w) =>
      repeated(at([...place, 'workspaces', w, 'processes'], 'id', processes, each => each.id)),
    ),
    ...repeated([
      ...at([...place, 'subscriptions'], 'name', subscriptions, each => each.name),
      ...at([...place, 'endpoints'], 'name', endpoints, each => each.name),
    ]),
    ...repeated(at([...place, 'subscriptions'], 'url', subscriptions, each => each.url)),
    ...subscriptions.flatMap((each, index) => {
      const here = [...place, 'subscriptions', index];
      return [...insecure(each, here), ...deliveryProblems(each, here)];
    }),
    ...tooManySubscriptions(subscriptions, place),
    ...filterProblems(config, place),
    ...secretProblems(config, place),
  ];
}

/** What is wrong between the stacks of a list; one line each. */
export function stackProblems(configs: readonly Config[]): string[] {
  const names = configs.map(({ stackName: value }, index) => ({
    path: pathText([index, 'stackName']),
    value,
  }));
  const beside = new Map(
    names.flatMap(({ path, value }) => [
      [tableStackName(value), path],
      [subscriptionsStackName(value), path],
    ]),
  );
  return [
    ...repeated(names),
    ...names
      .filter(({ value }) => beside.has(value))
      .map(
        ({ path, value }) =>
          `${path}: found ${shown(value)}, which is a stack beside that of ${beside.get(value)}; allowed: another name`,
      ),
  ];
}

/** They share a stack. SNS's own limit, 200 filter policies on a topic, is larger. */
function tooManySubscriptions({ length }: readonly SubscriptionConfig[], place: Path): string[] {
  if (length <= MAX_SUBSCRIPTIONS) return [];
  return [
    `${pathText([...place, 'subscriptions'])}: found ${length}; allowed: ${MAX_SUBSCRIPTIONS} (CloudFormation allows ${MAX_RESOURCES} resources in a ` +
      `stack, and each takes ${RESOURCES_OF_SUBSCRIPTION}); endpoints, of which there may be thousands, take none`,
  ];
}

/** Names of secrets that don't fit into the policy of one function. */
function secretProblems({ workspaces }: Config, place: Path): string[] {
  const { bytes } = secretPatterns(workspaces.map(credentialsName));
  if (bytes <= PATTERNS_BYTES) return [];
  return [
    `${pathText([...place, 'workspaces'])}: found ${workspaces.length} secrets that have no folder in common; allowed: as many as a policy of ` +
      'IAM can name: give their "credentials" one beginning up to a "/", as the default has it, changewire/<name>',
  ];
}

interface Placed {
  readonly path: string;
  readonly value: string;
}

function at<Item>(list: Path, key: string, items: readonly Item[], value: (item: Item) => string): Placed[] {
  return items.map((item, index) => ({ path: pathText([...list, index, key]), value: value(item) }));
}

function repeated(values: readonly Placed[]): string[] {
  const firsts = new Map<string, string>();
  return values.flatMap(({ path, value }) => {
    const first = firsts.get(value);
    firsts.set(value, first ?? path);
    return first === undefined
      ? []
      : [`${path}: found ${shown(value)} again; allowed: a value other than that of ${first}`];
  });
}

/** Events hold the customer's records, which anybody on the way can read over http://. A receiver on this
 *  machine is reached without a network. */
function insecure({ url, allowInsecure }: SubscriptionConfig, place: Path): string[] {
  const isInsecure = URL.parse(url)?.protocol === 'http:' && !LOOPBACK.test(url);
  if (!isInsecure || allowInsecure) return [];
  return [
    `${pathText([...place, 'url'])}: found ${shown(url)}; allowed: an https:// address, or ` +
      '"allowInsecure": true beside it, with which events travel unencrypted',
  ];
}

function deliveryProblems({ delivery }: SubscriptionConfig, place: Path): string[] {
  const path = (key: string): string => pathText([...place, 'delivery', key]);
  const phases = delivery.noDelayRetries + delivery.minDelayRetries + delivery.maxDelayRetries;
  const found: string[] = [];
  if (delivery.maxDelay < delivery.minDelay)
    found.push(`${path('maxDelay')}: found ${delivery.maxDelay / 1_000}s; allowed: at least minDelay`);
  if (phases > delivery.retries)
    found.push(
      `${path('retries')}: found ${delivery.retries}; allowed: at least ${phases}, which is noDelayRetries, ` +
        'minDelayRetries and maxDelayRetries together',
    );
  const { minDelay, maxDelay, retries, noDelayRetries, maxDelayRetries } = delivery;
  const shortest = (retries - noDelayRetries - maxDelayRetries) * minDelay + maxDelayRetries * maxDelay;
  if (shortest > 3_600_000)
    found.push(
      `${pathText([...place, 'delivery'])}: found retries over at least ${shortest / 1_000}s; ` +
        'allowed: 3600s (a limit of SNS): lower maxDelay or maxDelayRetries',
    );
  return found;
}

/** SNS's limit on one policy: the product of the numbers of values. */
const MAX_COMBINATIONS = 150;

/** A filter by attributes, with its place and the names that its keys have in the configuration. */
interface PlacedFilter {
  readonly known: Known;
  readonly filter: AttributeFilter;
  readonly path: Path;
  readonly keys: Readonly<Record<'workspace' | 'processId', string>>;
}

const OWN_NAMES = { workspace: 'workspace', processId: 'processId' };
const WORDS = { workspace: 'workspaces', processId: 'processes' };

/** What is wrong with the filters of subscriptions and endpoints; one line each. SNS takes even a filter
 *  that never matches, and then delivers nothing without saying why. */
function filterProblems(config: Config, place: Path): string[] {
  const known = knownOf(config, place);
  const ofSubscriptions = config.subscriptions.map(({ filter = {} }, index): PlacedFilter => {
    return { known, filter, path: [...place, 'subscriptions', index, 'filter'], keys: OWN_NAMES };
  });
  const ofEndpoints = config.endpoints.map(({ filter = {} }, index): PlacedFilter => {
    const path = [...place, 'endpoints', index, 'filter'];
    return { known, filter: attributesOf(filter), path, keys: WORDS };
  });
  return [
    ...[...ofSubscriptions, ...ofEndpoints].flatMap(placed => [...unknown(placed), ...apart(placed)]),
    ...ofSubscriptions.flatMap(tooMany),
    ...ofSubscriptions.flatMap(({ filter, path }) => {
      const types = { types: filter.eventType, path: [...path, 'eventType'] };
      return (['projectId', 'changedFields'] as const).flatMap(attribute =>
        typesWithout(types, attribute, { asked: filter[attribute], path: [...path, attribute] }),
      );
    }),
    ...config.endpoints.flatMap(({ filter = {} }, index) =>
      neverMatching(filter, [...place, 'endpoints', index, 'filter']),
    ),
  ];
}

function tooMany({ filter, path }: PlacedFilter): string[] {
  const combinations = Object.values(filter).reduce((product, values) => product * (values?.length ?? 1), 1);
  if (combinations <= MAX_COMBINATIONS) return [];
  return [
    `${pathText(path)}: found ${combinations} combinations of values; allowed: ${MAX_COMBINATIONS} (a limit of SNS)`,
  ];
}

interface Named {
  readonly value: string;
  readonly path: Path;
}

/** The values that filters may have, collected once for all of them: there may be thousands of each. */
interface Known {
  readonly listed: Readonly<Record<'workspace' | 'processId', readonly Named[]>>;
  readonly values: Readonly<Record<'workspace' | 'processId', ReadonlySet<string>>>;
  /** The workspaces of each process id. */
  readonly workspacesOf: ReadonlyMap<string, ReadonlySet<string>>;
}

function knownOf({ workspaces }: Config, place: Path): Known {
  const workspace = workspaces.map(({ name }, w) => ({
    value: name,
    path: [...place, 'workspaces', w, 'name'],
  }));
  const processId = workspaces.flatMap(({ processes }, w) =>
    processes.map(({ id }, p) => ({ value: id, path: [...place, 'workspaces', w, 'processes', p, 'id'] })),
  );
  const workspacesOf = new Map<string, Set<string>>();
  for (const { name, processes } of workspaces)
    for (const { id } of processes) workspacesOf.set(id, (workspacesOf.get(id) ?? new Set()).add(name));
  const values = (named: readonly Named[]) => new Set(named.map(({ value }) => value));
  return {
    listed: { workspace, processId },
    values: { workspace: values(workspace), processId: values(processId) },
    workspacesOf,
  };
}

/** Values that name a workspace or process that is not configured. */
function unknown({ known, filter, path, keys }: PlacedFilter): string[] {
  return (['workspace', 'processId'] as const).flatMap(attribute =>
    (filter[attribute] ?? []).flatMap((value, index) => {
      if (known.values[attribute].has(value)) return [];
      const words = [...known.values[attribute]].filter(each => isWords(each));
      return [
        `${pathText([...path, keys[attribute], index])}: found ${shown(value)}; ` +
          `allowed: ${listed(known.listed[attribute])}${hint(value, words)}`,
      ];
    }),
  );
}

/** Workspaces and processes that never match together: a workspace of which the filter names no process,
 *  or a process of which it names no workspace. */
function apart({ known, filter, path, keys }: PlacedFilter): string[] {
  const { workspace: names, processId: ids } = filter;
  if (!names || !ids) return [];
  const isPair = (name: string, id: string) => known.workspacesOf.get(id)?.has(name) === true;
  // A value that is not configured at all is reported by `unknown`.
  const isKnown = (value: string) => known.values.workspace.has(value) || known.values.processId.has(value);
  if (![...names, ...ids].every(isKnown)) return [];
  const problem = (attribute: 'workspace' | 'processId', index: number, value: string, other: string) =>
    `${pathText([...path, keys[attribute], index])}: found ${shown(value)}, which belongs to none of ` +
    `${pathText([...path, other])}; allowed: what does, or leave out one of the two keys`;
  return [
    ...names.flatMap((name, index) =>
      !ids.some(id => isPair(name, id)) ? [problem('workspace', index, name, keys.processId)] : [],
    ),
    ...ids.flatMap((id, index) =>
      !names.some(name => isPair(name, id)) ? [problem('processId', index, id, keys.workspace)] : [],
    ),
  ];
}
