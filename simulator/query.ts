import type { PageRequest } from './cursors.ts';
import { BadRequest } from './errors.ts';

/** Refuses parameters that the request doesn't document, and any given twice.
 *  @throws BadRequest naming the parameter */
export function onlyKnown(query: URLSearchParams, known: readonly string[]): void {
  for (const name of new Set(query.keys())) {
    if (!known.includes(name)) {
      const allowed = known.length > 0 ? known.join(', ') : 'none';
      throw new BadRequest(`Query parameter "${name}" is unknown here; allowed: ${allowed}`);
    }
    if (query.getAll(name).length > 1)
      throw new BadRequest(`Query parameter "${name}" is given more than once`);
  }
}

/** `first` and `after` (service-api.md §4.1). */
export function pageRequest(query: URLSearchParams): PageRequest {
  const first = query.get('first');
  const after = query.get('after');
  if (first !== null && !/^[1-9]\d{0,8}$/.test(first)) {
    throw new BadRequest(`"first" must be an integer of at least 1, not "${first}"`);
  }
  return { ...(first === null ? {} : { first: Number(first) }), ...(after === null ? {} : { after }) };
}

const DATE_STRING = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2}))?$/;

/** A date-string as ms since 1970: a full ISO 8601 timestamp with its zone, or a date, which means the
 *  beginning of that day in UTC (service-api.md §4.2). */
export function dateParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const date = DATE_STRING.exec(text)?.[1];
  const time = Date.parse(text);
  if (date === undefined || Number.isNaN(time) || !isCalendarDate(date)) {
    const expected = 'an ISO 8601 timestamp with a time zone, or a date';
    throw new BadRequest(`"${name}" must be ${expected}, not "${text}"`);
  }
  return time;
}

function isCalendarDate(date: string): boolean {
  const time = Date.parse(date);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

/** `true` or `false`; missing is false. */
export function booleanParameter(query: URLSearchParams, name: string): boolean {
  const text = query.get(name);
  if (text === null || text === 'false') return false;
  if (text === 'true') return true;
  throw new BadRequest(`"${name}" must be true or false, not "${text}"`);
}
