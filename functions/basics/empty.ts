import type { Json } from './json.ts';

/** Missing, null, "" and [] are one value, empty: the service writes an unset custom field in any of these ways
 *  (service-api.md §2.3), and a field added to a process must not look like a change of every record. */
export function isEmpty(value: Json | undefined): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}
