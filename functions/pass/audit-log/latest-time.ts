import { isJsonObject, type Json, type JsonObject } from '../../basics/json.ts';

/** How far the service's clocks may differ. */
const AHEAD_MS = 5 * 60_000;
/** Services put an entry's time no deeper. */
const LEVELS = 3;
/** Epoch times between 2001 and 2286, in s and in ms. */
const [SECONDS, MILLISECONDS] = [1e9, 1e12];

/** The latest time that an audit entry carries, in ms since 1970: an ISO timestamp with a zone, or a number of seconds or milliseconds.
 *  Times after `now` are no times at which it was written. Undefined without any. */
export function latestTime(entry: JsonObject, now: number): number | undefined {
  const times = timesIn(entry, LEVELS).filter(time => time <= now + AHEAD_MS);
  return times.length > 0 ? times.reduce((one, other) => Math.max(one, other)) : undefined;
}

function timesIn(value: Json, levels: number): number[] {
  if (isJsonObject(value))
    return levels > 0 ? Object.values(value).flatMap(each => timesIn(each, levels - 1)) : [];
  const time = typeof value === 'number' ? ofEpoch(value) : typeof value === 'string' ? ofText(value) : NaN;
  return Number.isNaN(time) ? [] : [time];
}

function ofEpoch(value: number): number {
  if (value > SECONDS && value < SECONDS * 10) return value * 1_000;
  return value > MILLISECONDS && value < MILLISECONDS * 10 ? value : Number.NaN;
}

function ofText(value: string): number {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:.*(Z|[+-]\d{2}:?\d{2})$/.test(value) ? Date.parse(value) : Number.NaN;
}
