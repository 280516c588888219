import { type AttributeFilter, attributesOf } from './filter.ts';
import { hint } from './nearest.ts';
import { neverMatching, typesWithout } from './never-matching.ts';
import { listed, pathText } from './problems.ts';
import type { Config } from './schema.ts';
import { isWords, shown } from './shown.ts';

/** SNS's limit on one policy: the product of the numbers of values. */
const COMBINATIONS = 150;

type Path = readonly PropertyKey[];

/** A filter by attributes, with its place and the names that its keys have in the configuration. */
interface Placed {
  readonly known: Known;
  readonly filter: AttributeFilter;
  readonly path: Path;
  readonly keys: Readonly<Record<'workspace' | 'processId', string>>;
}

const OWN_NAMES = { workspace: 'workspace', processId: 'processId' };
const WORDS = { workspace: 'workspaces', processId: 'processes' };

/** What is wrong with the filters of subscriptions and endpoints; one line each. SNS takes even a filter
 *  that never matches, and then delivers nothing without saying why. */
export function filterProblems(config: Config, place: Path): string[] {
  const known = knownOf(config, place);
  const ofSubscriptions = config.subscriptions.map(({ filter = {} }, index): Placed => {
    return { known, filter, path: [...place, 'subscriptions', index, 'filter'], keys: OWN_NAMES };
  });
  const ofEndpoints = config.endpoints.map(({ filter = {} }, index): Placed => {
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

function tooMany({ filter, path }: Placed): string[] {
  const combinations = Object.values(filter).reduce((product, values) => product * (values?.length ?? 1), 1);
  if (combinations <= COMBINATIONS) return [];
  return [
    `${pathText(path)}: found ${combinations} combinations of values; allowed: ${COMBINATIONS} (a limit of SNS)`,
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
function unknown({ known, filter, path, keys }: Placed): string[] {
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
function apart({ known, filter, path, keys }: Placed): string[] {
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
