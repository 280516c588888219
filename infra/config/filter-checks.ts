import { type AttributeFilter, attributesOf } from './filter.ts';
import { hint } from './nearest.ts';
import { neverMatching, typesWithout } from './never-matching.ts';
import { listed, pathText } from './problems.ts';
import type { Config } from './schema.ts';
import { isWords, shown } from './shown.ts';

/** SNS's limit on one policy: the product of the numbers of values. */
const COMBINATIONS = 150;

type Path = readonly PropertyKey[];

/** A filter by attributes, with the names that its keys have in the configuration. */
interface Placed {
  readonly config: Config;
  readonly filter: AttributeFilter;
  readonly path: Path;
  readonly keys: Readonly<Record<'workspace' | 'processId', string>>;
}

const OWN_NAMES = { workspace: 'workspace', processId: 'processId' };
const WORDS = { workspace: 'workspaces', processId: 'processes' };

/** What is wrong with the filters of subscriptions and endpoints; one line each. SNS itself takes a filter that never matches,
 *  and then nothing comes, without a word. */
export function filterProblems(config: Config): string[] {
  const ofSubscriptions = config.subscriptions.map(({ filter = {} }, index): Placed => {
    return { config, filter, path: ['subscriptions', index, 'filter'], keys: OWN_NAMES };
  });
  const ofEndpoints = config.endpoints.map(({ filter = {} }, index): Placed => {
    return { config, filter: attributesOf(filter), path: ['endpoints', index, 'filter'], keys: WORDS };
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
      neverMatching(filter, ['endpoints', index, 'filter']),
    ),
  ];
}

function tooMany({ filter, path }: Placed): string[] {
  const combinations = Object.values(filter).reduce((product, values) => product * (values?.length ?? 1), 1);
  if (combinations <= COMBINATIONS) return [];
  return [
    `${pathText(path)}: found ${combinations} combinations of values; allowed: ${COMBINATIONS} (a limit of SNS)`,
  ];
}

/** Workspaces and processes that are not configured. */
function unknown({ config, filter, path, keys }: Placed): string[] {
  const { workspaces } = config;
  const names = workspaces.map(({ name }, w) => ({ value: name, path: ['workspaces', w, 'name'] }));
  const ids = workspaces.flatMap(({ processes }, w) =>
    processes.map(({ id }, p) => ({ value: id, path: ['workspaces', w, 'processes', p, 'id'] })),
  );
  return (['workspace', 'processId'] as const).flatMap(attribute => {
    const known = attribute === 'workspace' ? names : ids;
    const values = known.map(({ value }) => value);
    return (filter[attribute] ?? []).flatMap((value, index) =>
      values.includes(value)
        ? []
        : [
            `${pathText([...path, keys[attribute], index])}: found ${shown(value)}; ` +
              `allowed: ${listed(known)}${hint(
                value,
                values.filter(each => isWords(each)),
              )}`,
          ],
    );
  });
}

/** Workspaces of which no process is named, and processes of which no workspace is: both are asked for together. */
function apart({ config, filter, path, keys }: Placed): string[] {
  const { workspace: names, processId: ids } = filter;
  if (!names || !ids) return [];
  const isPair = (name: string, id: string) =>
    config.workspaces.some(each => each.name === name && each.processes.some(process => process.id === id));
  // What is not configured at all is told as that.
  const known = config.workspaces.flatMap(each => [each.name, ...each.processes.map(({ id }) => id)]);
  if (![...names, ...ids].every(value => known.includes(value))) return [];
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
