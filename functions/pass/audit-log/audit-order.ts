import { isJsonObject, type JsonObject } from '../../basics/json.ts';
import type { AuditPosition } from '../../model/process-state.ts';

type Order = AuditPosition['order'];

/** Fewer entries could be in order by coincidence, and an order that was once found is never revised. */
const FEWEST = 5;

/** The order of audit entries, found by their timestamps. Entry fields are undocumented (service-api.md §2.4), so each
 *  property, also a nested one, that holds a time in all entries is examined. The order is unknown if these
 *  properties disagree, if there are none, or if there are too few entries. */
export function auditOrder(entries: readonly JsonObject[]): Order {
  const [first = {}] = entries;
  if (entries.length < FEWEST) return 'unknown';
  const verdicts = paths(first).map(path => verdict(entries.map(entry => timeAt(entry, path))));
  const [one = 'unknown', ...others] = new Set(verdicts.filter(order => order !== undefined));
  return others.length === 0 ? one : 'unknown';
}

function verdict(times: readonly (number | undefined)[]): Order | undefined {
  const steps = times.slice(1).map((time, index) => (time ?? Number.NaN) - (times[index] ?? Number.NaN));
  if (steps.some(Number.isNaN) || steps.every(step => step === 0)) return undefined;
  if (steps.every(step => step >= 0)) return 'oldest-first';
  return steps.every(step => step <= 0) ? 'newest-first' : 'unknown';
}

/** The paths of an entry's properties, down to two levels of nesting: services put no times deeper. */
function paths(entry: JsonObject, prefix: readonly string[] = []): string[][] {
  return Object.keys(entry).flatMap(name => {
    const path = [...prefix, name];
    const value = entry[name];
    return isJsonObject(value) && prefix.length < 2 ? paths(value, path) : [path];
  });
}

function timeAt(entry: JsonObject, path: readonly string[]): number | undefined {
  const value = path.reduce<unknown>(
    (object, name) => (isJsonObject(object) && Object.hasOwn(object, name) ? object[name] : undefined),
    entry,
  );
  return asTime(value);
}

function asTime(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 1e9 && value < 1e14 ? value : undefined;
  if (typeof value !== 'string' || !/\d-\d{2}-\d{2}T\d{2}:/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}
