import type { JsonObject } from '../basics/json.ts';
import { UPDATE_TIMESTAMPS } from '../basics/property-names.ts';

/** The fields whose change alone does not count as a change of the record. */
export function ignoredFields(configured: readonly string[]): ReadonlySet<string> {
  return new Set([...UPDATE_TIMESTAMPS, ...configured]);
}

/** When the record was last updated, according to the service, in ms since 1970; undefined if unknown. */
export function updateTime(record: JsonObject): number | undefined {
  for (const name of UPDATE_TIMESTAMPS) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    const time = typeof value === 'number' ? epochMilliseconds(value) : parseTimestamp(value);
    if (time !== undefined) return time;
  }
  return undefined;
}

function parseTimestamp(value: unknown): number | undefined {
  if (typeof value !== 'string' || !/\d-\d{2}-\d{2}T/.test(value)) return undefined;
  return timestampIn(value);
}

/** The time of a text, in ms since 1970. */
export function timestampIn(value: string): number | undefined {
  // Without a zone it would be in that of this machine.
  const time = Date.parse(/T[\d:.]+$/.test(value) ? `${value}Z` : value);
  return Number.isNaN(time) ? undefined : time;
}

/** A number below 10^11 counts as seconds (up to the year 5138), a larger one as milliseconds (from 1973
 *  on). Fractions of a millisecond are cut off. */
function epochMilliseconds(value: number): number | undefined {
  if (!(value > 0)) return undefined;
  return Math.floor(value < 1e11 ? value * 1000 : value);
}
