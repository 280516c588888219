import { filterProblems } from './filter-checks.ts';
import { pathText } from './problems.ts';
import type { Config } from './schema.ts';
import { PATTERNS_BYTES, secretPatterns } from './secret-patterns.ts';
import { shown } from './shown.ts';
import { subscriptionsStackName, tableStackName } from './stack-names.ts';
import {
  MAX_RESOURCES,
  MAX_SUBSCRIPTIONS,
  RESOURCES_OF_SUBSCRIPTION,
  type SubscriptionConfig,
} from './subscription.ts';
import { LOOPBACK } from './values.ts';
import { credentialsName } from './workspace.ts';

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
