import { workspacesJson } from './environment.ts';
import { pathText } from './problems.ts';
import type { Config } from './schema.ts';
import type { FilterConfig, SubscriptionConfig } from './subscription.ts';
import { credentialsName } from './workspace.ts';

/** What is wrong between the parts of a config whose parts are right; one line each. */
export function crossProblems(config: Config): string[] {
  const { workspaces, subscriptions } = config;
  const at = (list: string, key: string) => (index: number) => pathText([list, index, key]);
  return [
    ...repeated(
      workspaces.map(each => each.name),
      at('workspaces', 'name'),
    ),
    ...repeated(workspaces.map(credentialsName), at('workspaces', 'credentials')),
    ...workspaces.flatMap((workspace, w) =>
      repeated(
        workspace.processes.map(each => each.id),
        index => pathText(['workspaces', w, 'processes', index, 'id']),
      ),
    ),
    ...repeated(
      subscriptions.map(each => each.name),
      at('subscriptions', 'name'),
    ),
    ...repeated(
      subscriptions.map(each => each.url),
      at('subscriptions', 'url'),
    ),
    ...subscriptions.flatMap((each, index) => deliveryProblems(each, index)),
    ...subscriptions.flatMap((each, index) => filterProblems(config, each.filter ?? {}, index)),
    ...environmentProblems(config),
  ];
}

function repeated(values: readonly string[], path: (index: number) => string): string[] {
  return values.flatMap((value, index) => {
    const first = values.indexOf(value);
    if (first === index) return [];
    return [`${path(index)}: found "${value}" again; allowed: a value other than that of ${path(first)}`];
  });
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

/** A filter that names what is not configured matches nothing, silently: SNS itself would take it. */
function filterProblems({ workspaces }: Config, filter: FilterConfig, index: number): string[] {
  const known = {
    workspace: workspaces.map(each => each.name),
    processId: workspaces.flatMap(each => each.processes.map(process => process.id)),
  };
  const found = (['workspace', 'processId'] as const).flatMap(key =>
    (filter[key] ?? []).flatMap((value, i) => {
      if (known[key].includes(value)) return [];
      const path = pathText(['subscriptions', index, 'filter', key, i]);
      return [`${path}: found "${value}"; allowed: ${known[key].join(', ')}`];
    }),
  );
  const combinations = Object.values(filter).reduce((product, values) => product * (values?.length ?? 1), 1);
  const path = pathText(['subscriptions', index, 'filter']);
  if (combinations > 150)
    found.push(`${path}: found ${combinations} combinations of values; allowed: 150 (a limit of SNS)`);
  return found;
}

/** Lambda takes 4 KB of environment; the rest of it needs about 500 bytes. */
function environmentProblems(config: Config): string[] {
  const bytes = Buffer.byteLength(workspacesJson(config));
  if (bytes <= 3_500) return [];
  return [
    `changewire.workspaces: found ${bytes} bytes of settings; allowed: 3500, because Lambda's environment holds ` +
      '4 KB. Move some workspaces or processes to a second stack with its own stackName',
  ];
}
