import type { JsonObject } from '../basics/json.ts';

/** Names that update timestamps go by. The service documents none (service-api.md §2.4), so we know the usual ones. */
const UPDATE_TIMESTAMPS = [
  'updatedAt',
  'updatedOn',
  'updatedDate',
  'updated',
  'updated_at',
  'lastUpdated',
  'lastUpdatedAt',
  'lastUpdate',
  'modifiedAt',
  'modifiedOn',
  'modified',
  'modified_at',
  'lastModified',
  'lastModifiedAt',
  'lastModifiedDate',
  'lastChanged',
  'lastChangedAt',
  'lastActivityAt',
];

/** The fields whose change alone is no change. */
export function ignoredFields(configured: readonly string[]): ReadonlySet<string> {
  return new Set([...UPDATE_TIMESTAMPS, ...configured]);
}

/** When the service says that it last updated the record, in ms since 1970; undefined when it does not say. */
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
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : time;
}

/** Seconds or milliseconds: no update in this century has a count of seconds above 10^11. */
function epochMilliseconds(value: number): number | undefined {
  if (!(value > 0)) return undefined;
  return value < 1e11 ? value * 1000 : value;
}
