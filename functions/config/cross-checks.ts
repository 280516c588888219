import {
  MAX_RESOURCES,
  MAX_SUBSCRIPTIONS,
  RESOURCES_OF_SUBSCRIPTION,
  type SubscriptionConfig,
} from './endpoint.ts';
import { type AttributeFilter, attributesOf, neverCarried, neverMatching } from './filter.ts';
import { hint, isWords, listed, pathText, problemAt, shown } from './problems.ts';
import { type Config, subscriptionsStackName, tableStackName } from './schema.ts';
import { LOOPBACK } from './values.ts';
import { credentialsName, PATTERNS_BYTES, secretPatterns } from './workspace.ts';

type Path = readonly PropertyKey[];

/** The problems between the parts of a valid configuration; one line each. `place` is the path of the
 *  configuration: in a list, its index. */
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

/** The problems between the stacks of a list; one line each. */
export function stackProblems(configs: readonly Config[]): string[] {
  const names = configs.map(({ stackName: value }, index) => ({ path: [index, 'stackName'], value }));
  const beside = new Map(
    names.flatMap(({ path, value }) => [
      [tableStackName(value), path],
      [subscriptionsStackName(value), path],
    ]),
  );
  const clashes = names.flatMap(({ path, value }) => {
    const other = beside.get(value);
    const found = other && `${shown(value)}, which is the name of another stack of ${pathText(other)}`;
    return found ? [problemAt(path, found, 'another name')] : [];
  });
  return [...repeated(names), ...clashes];
}

/** All subscriptions share a stack. SNS's own limit, 200 filter policies on a topic, is larger. */
function tooManySubscriptions({ length }: readonly SubscriptionConfig[], place: Path): string[] {
  if (length <= MAX_SUBSCRIPTIONS) return [];
  const allowed =
    `${MAX_SUBSCRIPTIONS} (CloudFormation allows ${MAX_RESOURCES} resources in a stack, and each takes ` +
    `${RESOURCES_OF_SUBSCRIPTION}); use endpoints instead, which need no resources`;
  return [problemAt([...place, 'subscriptions'], `${length}`, allowed)];
}

/** Names of secrets that don't fit into the policy of one function. */
function secretProblems({ workspaces }: Config, place: Path): string[] {
  const { bytes } = secretPatterns(workspaces.map(credentialsName));
  if (bytes <= PATTERNS_BYTES) return [];
  const found = `${workspaces.length} secrets that have no folder in common`;
  const allowed =
    'as many as an IAM policy can name: give their "credentials" a common folder, as in the default, ' +
    'changewire/<name>';
  return [problemAt([...place, 'workspaces'], found, allowed)];
}

/** A value of the configuration with its path. */
interface Placed {
  readonly path: Path;
  readonly value: string;
}

function at<Item>(list: Path, key: string, items: readonly Item[], value: (item: Item) => string): Placed[] {
  return items.map((item, index) => ({ path: [...list, index, key], value: value(item) }));
}

function repeated(values: readonly Placed[]): string[] {
  const firsts = new Map<string, Path>();
  return values.flatMap(({ path, value }) => {
    const first = firsts.get(value);
    firsts.set(value, first ?? path);
    if (!first) return [];
    return [problemAt(path, `${shown(value)} again`, `a value other than that of ${pathText(first)}`)];
  });
}

/** Events have records of customers, which are readable on the network over http://. A receiver on this
 *  machine is reached without a network. */
function insecure({ url, allowInsecure }: SubscriptionConfig, place: Path): string[] {
  const isInsecure = URL.parse(url)?.protocol === 'http:' && !LOOPBACK.test(url);
  if (!isInsecure || allowInsecure) return [];
  const allowed = 'an https:// address, or "allowInsecure": true, which sends events unencrypted';
  return [problemAt([...place, 'url'], shown(url), allowed)];
}

function deliveryProblems({ delivery }: SubscriptionConfig, place: Path): string[] {
  const { minDelay, maxDelay, retries, noDelayRetries, minDelayRetries, maxDelayRetries } = delivery;
  const path = [...place, 'delivery'];
  const phases = noDelayRetries + minDelayRetries + maxDelayRetries;
  const shortest = (retries - noDelayRetries - maxDelayRetries) * minDelay + maxDelayRetries * maxDelay;
  const ofPhases = `at least ${phases}, the sum of noDelayRetries, minDelayRetries and maxDelayRetries`;
  const ofSns = '3600s (a limit of SNS): lower maxDelay or maxDelayRetries';
  return [
    ...(maxDelay < minDelay
      ? [problemAt([...path, 'maxDelay'], `${maxDelay / 1_000}s`, 'at least minDelay')]
      : []),
    ...(phases > retries ? [problemAt([...path, 'retries'], `${retries}`, ofPhases)] : []),
    ...(shortest > 3_600_000 ? [problemAt(path, `retries over at least ${shortest / 1_000}s`, ofSns)] : []),
  ];
}

/** SNS's limit for one policy: the product of the numbers of values. */
const MAX_COMBINATIONS = 150;

/** A filter by attributes, with its path and the names of its keys in the configuration. */
interface PlacedFilter {
  readonly known: Known;
  readonly filter: AttributeFilter;
  readonly path: Path;
  readonly keys: Readonly<Record<'workspace' | 'processId', string>>;
}

const OWN_NAMES = { workspace: 'workspace', processId: 'processId' };
const WORDS = { workspace: 'workspaces', processId: 'processes' };

/** The problems of the filters of subscriptions and endpoints; one line each. SNS accepts even a filter
 *  that never matches, and then silently delivers nothing. */
function filterProblems(config: Config, place: Path): string[] {
  const known = knownOf(config, place);
  const ofSubscriptions = config.subscriptions.map(({ filter = {} }, index): PlacedFilter => {
    return { known, filter, path: [...place, 'subscriptions', index, 'filter'], keys: OWN_NAMES };
  });
  const ofEndpoints = config.endpoints.map(({ filter = {} }, index) => {
    return { known, filter, path: [...place, 'endpoints', index, 'filter'], keys: WORDS };
  });
  const byAttributes = ofEndpoints.map(each => ({ ...each, filter: attributesOf(each.filter) }));
  return [
    ...[...ofSubscriptions, ...byAttributes].flatMap(placed => [...unknown(placed), ...apart(placed)]),
    ...ofSubscriptions.flatMap(tooMany),
    ...ofSubscriptions.flatMap(({ filter, path }) => neverCarried(filter, path)),
    ...ofEndpoints.flatMap(({ filter, path }) => neverMatching(filter, path)),
  ];
}

function tooMany({ filter, path }: PlacedFilter): string[] {
  const combinations = Object.values(filter).reduce((product, values) => product * (values?.length ?? 1), 1);
  if (combinations <= MAX_COMBINATIONS) return [];
  return [problemAt(path, `${combinations} combinations of values`, `${MAX_COMBINATIONS} (a limit of SNS)`)];
}

/** The allowed values of filters, collected once for all of them: there may be thousands of each. */
interface Known {
  readonly listed: Readonly<Record<'workspace' | 'processId', readonly Placed[]>>;
  readonly values: Readonly<Record<'workspace' | 'processId', ReadonlySet<string>>>;
  /** The workspaces of each process id. */
  readonly workspacesOf: ReadonlyMap<string, ReadonlySet<string>>;
}

function knownOf({ workspaces }: Config, place: Path): Known {
  const list = [...place, 'workspaces'];
  const workspace = at(list, 'name', workspaces, ({ name }) => name);
  const processId = workspaces.flatMap(({ processes }, w) =>
    at([...list, w, 'processes'], 'id', processes, ({ id }) => id),
  );
  const pairs = workspaces.flatMap(({ name, processes }) => processes.map(({ id }) => ({ id, name })));
  const byId = [...Map.groupBy(pairs, ({ id }) => id)];
  const values = (all: readonly Placed[]) => new Set(all.map(({ value }) => value));
  return {
    listed: { workspace, processId },
    values: { workspace: values(workspace), processId: values(processId) },
    workspacesOf: new Map(byId.map(([id, some]) => [id, new Set(some.map(({ name }) => name))])),
  };
}

/** Values that name a workspace or process that is not configured. */
function unknown({ known, filter, path, keys }: PlacedFilter): string[] {
  return (['workspace', 'processId'] as const).flatMap(attribute =>
    (filter[attribute] ?? []).flatMap((value, index) => {
      if (known.values[attribute].has(value)) return [];
      const words = [...known.values[attribute]].filter(each => isWords(each));
      const allowed = `${listed(known.listed[attribute])}${hint(value, words)}`;
      return [problemAt([...path, keys[attribute], index], shown(value), allowed)];
    }),
  );
}

/** Workspaces and processes that never match together: the filter names a workspace without any of its
 *  processes, or a process without its workspace. */
function apart({ known, filter, path, keys }: PlacedFilter): string[] {
  const { workspace: names, processId: ids } = filter;
  if (!names || !ids) return [];
  const isPair = (name: string, id: string) => known.workspacesOf.get(id)?.has(name) === true;
  // A value that is not configured at all is reported by `unknown`.
  const isKnown = (value: string) => known.values.workspace.has(value) || known.values.processId.has(value);
  if (![...names, ...ids].every(isKnown)) return [];
  const lone = (key: string, values: readonly string[], other: string, isMatched: (one: string) => boolean) =>
    values.flatMap((value, index) => {
      if (isMatched(value)) return [];
      const found = `${shown(value)}, which belongs to none of ${pathText([...path, other])}`;
      return [problemAt([...path, key, index], found, 'a value that does, or omit one of the two keys')];
    });
  return [
    ...lone(keys.workspace, names, keys.processId, name => ids.some(id => isPair(name, id))),
    ...lone(keys.processId, ids, keys.workspace, id => names.some(name => isPair(name, id))),
  ];
}
