import { isJsonObject, type JsonObject } from '../../basics/json.ts';
import type { AuditPosition } from '../../model/process-state.ts';

export type Order = AuditPosition['order'];

/** The order of a log that was turned around. */
export const REVERSED: Readonly<Record<Order, Order>> = {
  'newest-first': 'oldest-first',
  'oldest-first': 'newest-first',
  unknown: 'unknown',
};

/** Fewer entries could be in order by coincidence. */
const MIN_ENTRIES = 5;
/** At least this many entries of a longer log are compared, and at most twice as many. */
const SAMPLE = 100;

/** The times in entries from all pages of a log, evenly spread over them. */
export class TimeSample {
  #times: Times[] = [];
  #count = 0;
  #every = 1;

  add(entries: readonly JsonObject[]): void {
    for (const entry of entries) {
      if (this.#count++ % this.#every === 0) this.#times.push(timesIn(entry));
      if (this.#times.length <= 2 * SAMPLE) continue;
      this.#times = this.#times.filter((_, index) => index % 2 === 0);
      this.#every *= 2;
    }
  }

  /** True when coincidence is ruled out. */
  get isLarge(): boolean {
    return this.#times.length >= SAMPLE;
  }

  /** The order of the log by these times. Entry fields are undocumented (service-api.md §2.4), so each property, also a nested one, that holds a
   *  time in all entries is compared: `unknown` if they disagree, if there are none, or if there are too few entries. */
  get order(): Order {
    const [first = new Map()] = this.#times;
    if (this.#times.length < MIN_ENTRIES) return 'unknown';
    const orders = [...first.keys()].map(path => orderAt(path, this.#times));
    const [one = 'unknown', ...others] = new Set(orders.filter(order => order !== undefined));
    return others.length === 0 ? one : 'unknown';
  }
}

/** In ms since 1970, or in another unit that grows with time, by the path of the property. */
type Times = ReadonlyMap<string, number>;

/** Undefined for a property that does not hold a time in all entries, or the same one in all. */
function orderAt(path: string, all: readonly Times[]): Order | undefined {
  const times = all.map(each => each.get(path) ?? Number.NaN);
  const steps = times.slice(1).map((time, index) => time - (times[index] as number));
  if (steps.some(Number.isNaN) || steps.every(step => step === 0)) return undefined;
  if (steps.every(step => step >= 0)) return 'oldest-first';
  return steps.every(step => step <= 0) ? 'newest-first' : 'unknown';
}

/** Down to two levels of nesting: services put no times deeper. */
function timesIn(entry: JsonObject, prefix: readonly string[] = []): Map<string, number> {
  const times = new Map<string, number>();
  for (const [name, value] of Object.entries(entry)) {
    const path = [...prefix, name];
    const time = asTime(value);
    if (time !== undefined) times.set(JSON.stringify(path), time);
    if (isJsonObject(value) && prefix.length < 2)
      for (const [inner, found] of timesIn(value, path)) times.set(inner, found);
  }
  return times;
}

function asTime(value: unknown): number | undefined {
  if (typeof value === 'number') return value > 1e9 && value < 1e14 ? value : undefined;
  if (typeof value !== 'string' || !/\d-\d{2}-\d{2}T\d{2}:/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}
