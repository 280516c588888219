import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import { timeOf } from './update-time.ts';

/** A value in an entry, and its path: names joined by dots, without array indexes. */
export interface Leaf {
  readonly path: string;
  readonly value: Json;
}

const MOST_LEAVES = 500;

/** The values in an entry that are neither objects nor arrays, however deep: the first MOST_LEAVES of
 *  them. */
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

/** The identifier that a value names: it is the value, or a piece of the path or sentence that the value
 *  is. */
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

/** The paths at which entries name one of these, the most frequent first. */
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

/** The path at which each entry has a time, and these times. */
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
