import { pathText } from './problems.ts';
import type { Config } from './schema.ts';

/** SNS's limit on one policy: the product of the numbers of values. */
const COMBINATIONS = 150;

type Filter = Readonly<Record<string, readonly string[] | undefined>>;

/** What is wrong with the filters of subscriptions and endpoints; one line each. */
export function filterProblems(config: Config): string[] {
  return [
    ...config.subscriptions.flatMap(({ filter = {} }, index) =>
      problemsOf(config, filter, ['subscriptions', index, 'filter'], {
        workspaces: 'workspace',
        processes: 'processId',
      }),
    ),
    ...config.endpoints.flatMap(({ filter = {} }, index) =>
      problemsOf(config, filter, ['endpoints', index, 'filter'], {
        workspaces: 'workspaces',
        processes: 'processes',
      }),
    ),
  ];
}

/** `keys` names the filter's keys for workspaces and processes. */
function problemsOf(
  config: Config,
  filter: Filter,
  path: readonly PropertyKey[],
  keys: { readonly workspaces: string; readonly processes: string },
): string[] {
  const { workspaces } = config;
  const processIds = workspaces.flatMap(each => each.processes.map(process => process.id));
  const found = [
    ...unknown(
      filter,
      path,
      keys.workspaces,
      workspaces.map(each => each.name),
    ),
    ...unknown(filter, path, keys.processes, processIds),
  ];
  const combinations = Object.values(filter).reduce((product, values) => product * (values?.length ?? 1), 1);
  if (combinations > COMBINATIONS)
    found.push(
      `${pathText(path)}: found ${combinations} combinations of values; allowed: ${COMBINATIONS} (a limit of SNS)`,
    );
  return found;
}

/** A filter that names what is not configured matches nothing, silently: SNS itself would take it. */
function unknown(
  filter: Filter,
  path: readonly PropertyKey[],
  key: string,
  known: readonly string[],
): string[] {
  return (filter[key] ?? []).flatMap((value, index) =>
    known.includes(value)
      ? []
      : [`${pathText([...path, key, index])}: found "${value}"; allowed: ${known.join(', ')}`],
  );
}
