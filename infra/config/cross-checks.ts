import { environmentProblems } from './environment.ts';
import { filterProblems } from './filter-checks.ts';
import { pathText } from './problems.ts';
import type { Config } from './schema.ts';
import { shown } from './shown.ts';
import type { SubscriptionConfig } from './subscription.ts';
import { LOOPBACK } from './values.ts';
import { credentialsName } from './workspace.ts';

/** What is wrong between the parts of a config whose parts are right; one line each. */
export function crossProblems(config: Config): string[] {
  const { workspaces, subscriptions, endpoints } = config;
  return [
    ...repeated(at('workspaces', 'name', workspaces, each => each.name)),
    ...repeated(at('workspaces', 'credentials', workspaces, credentialsName)),
    ...workspaces.flatMap(({ processes }, w) =>
      repeated(at(`workspaces[${w}].processes`, 'id', processes, each => each.id)),
    ),
    ...repeated([
      ...at('subscriptions', 'name', subscriptions, each => each.name),
      ...at('endpoints', 'name', endpoints, each => each.name),
    ]),
    ...repeated(at('subscriptions', 'url', subscriptions, each => each.url)),
    ...subscriptions.flatMap((each, index) => [...insecure(each, index), ...deliveryProblems(each, index)]),
    ...filterProblems(config),
    ...environmentProblems(config),
  ];
}

interface Placed {
  readonly path: string;
  readonly value: string;
}

function at<Item>(
  list: string,
  key: string,
  items: readonly Item[],
  value: (item: Item) => string,
): Placed[] {
  return items.map((item, index) => ({ path: `changewire.${list}[${index}].${key}`, value: value(item) }));
}

function repeated(values: readonly Placed[]): string[] {
  return values.flatMap(({ path, value }) => {
    const first = values.find(each => each.value === value);
    if (first === undefined || first.path === path) return [];
    return [`${path}: found ${shown(value)} again; allowed: a value other than that of ${first.path}`];
  });
}

/** Events hold the customer's records: over http:// everybody on the way reads them. A receiver on this machine is on no way. */
function insecure({ url, allowInsecure }: SubscriptionConfig, index: number): string[] {
  const isInsecure = URL.parse(url)?.protocol === 'http:' && !LOOPBACK.test(url);
  if (!isInsecure || allowInsecure) return [];
  return [
    `${pathText(['subscriptions', index, 'url'])}: found ${shown(url)}; allowed: an https:// address, or ` +
      '"allowInsecure": true beside it, with which events travel unencrypted',
  ];
}

function deliveryProblems({ delivery }: SubscriptionConfig, index: number): string[] {
  const path = (key: string): string => pathText(['subscriptions', index, 'delivery', key]);
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
      `${pathText(['subscriptions', index, 'delivery'])}: found retries over at least ${shortest / 1_000}s; ` +
        'allowed: 3600s (a limit of SNS): lower maxDelay or maxDelayRetries',
    );
  return found;
}
