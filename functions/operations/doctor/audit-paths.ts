import { isJsonObject, type Json, type JsonObject } from '../../basics/json.ts';
import { timeOf } from './times.ts';

/** A value of an entry, and where in it: names joined by dots, without places in arrays. */
export interface Leaf {
  readonly path: string;
  readonly value: Json;
}

const MOST_LEAVES = 500;

/** The values of an entry that are no objects. */
export function leaves(entry: JsonObject): Leaf[] {
  const all: Leaf[] = [];
  const rest: Leaf[] = Object.entries(entry).map(([path, value]) => ({ path, value }));
  for (let leaf = rest.shift(); leaf && all.length < MOST_LEAVES; leaf = rest.shift()) {
    const { path, value } = leaf;
    if (Array.isArray(value)) rest.push(...value.slice(0, MOST_LEAVES).map(each => ({ path, value: each })));
    else if (isJsonObject(value))
      rest.push(...Object.entries(value).map(([name, each]) => ({ path: `${path}.${name}`, value: each })));
    else all.push(leaf);
  }
  return all;
}

/** Whether a value names one of these identifiers: as it is, or as a piece of a path or sentence. */
export function namedIn(value: Json, ids: Pick<ReadonlySet<string>, 'has'>): string | undefined {
  if (typeof value === 'number') return ids.has(String(value)) ? String(value) : undefined;
  if (typeof value !== 'string') return undefined;
  const pieces = [
    value,
    ...(value.match(/[\p{L}\p{N}._~-]+/gu) ?? []),
    ...(value.match(/[\p{L}\p{N}_-]+/gu) ?? []),
  ];
  return pieces.find(piece => ids.has(piece));
}

/** Where the entries name one of these, most often first. */
export function pathsNaming(entries: readonly JsonObject[], ids: ReadonlySet<string>): string[] {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const paths = leaves(entry).flatMap(({ path, value }) =>
      namedIn(value, ids) === undefined ? [] : [path],
    );
    for (const path of new Set(paths)) counts.set(path, (counts.get(path) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one).map(([path]) => path);
}

/** The path whose value is a time in each entry, and those times. */
export function entryTimes(entries: readonly JsonObject[]): { path: string; times: number[] } | undefined {
  const [first] = entries;
  if (!first) return undefined;
  const paths = leaves(first)
    .filter(({ value }) => timeOf(value) !== undefined)
    .map(({ path }) => path);
  for (const path of paths) {
    const times = entries.map(entry => timeOf(leaves(entry).find(leaf => leaf.path === path)?.value));
    const all = times.filter(time => time !== undefined);
    if (all.length === entries.length) return { path, times: all };
  }
  return undefined;
}
