import type { Json, JsonObject } from '../basics/json.ts';
import { ignoredFields } from '../changes/ignored-fields.ts';

/** A time with a time of day, in ms since 1970: ISO text, or seconds or milliseconds as a number. */
export function timeOf(value: Json | undefined): number | undefined {
  if (typeof value === 'number') {
    const time = value < 1e11 ? value * 1000 : value;
    return time > EARLIEST && time < LATEST ? time : undefined;
  }
  if (typeof value !== 'string' || !/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/.test(value)) return undefined;
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

const EARLIEST = Date.UTC(2001, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/** A field that has a time in all records, or nearly all. */
export interface TimeField {
  readonly name: string;
  readonly times: readonly (number | undefined)[];
}

const NEARLY_ALL = 0.9;

/** The top-level fields that hold times, other than custom ones. */
export function timeFields(records: readonly JsonObject[], custom: ReadonlySet<string>): TimeField[] {
  const names = new Set(records.flatMap(record => Object.keys(record)));
  return [...names]
    .filter(name => !custom.has(name))
    .map(name => ({ name, times: records.map(record => timeOf(record[name])) }))
    .filter(({ times }) => times.length > 0 && known(times).length >= NEARLY_ALL * times.length);
}

export function known(times: readonly (number | undefined)[]): number[] {
  return times.filter(time => time !== undefined);
}

/** True for a usual name of update timestamps: these are ignored without being configured. */
export function isUsual(name: string): boolean {
  return ignoredFields([]).has(name);
}

/** True for a name that means another time than that of an update. */
export function isOtherTime(name: string): boolean {
  return /creat|start|begin|birth|due|deadline|plan|schedul|complet|clos|archiv|deliver|finish|^end|until|expir|publish|remind/i.test(
    name,
  );
}

/** True for a name that means the time of an update, or of a look. */
export function saysUpdate(name: string): boolean {
  return /updat|modif|chang|edit|touch|activit|sync|revis|saved|seen|view|access|visit|stamp|mtime/i.test(
    name,
  );
}
