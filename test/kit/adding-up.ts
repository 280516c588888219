import type { Count } from '../../functions/basics/telemetry.ts';

/** A `Count` that adds up the numbers that it gets, by name, and keeps the values of each array. A sum of
 *  0 is left out. */
export function addingUp(sums: Record<string, number>, lists: Record<string, number[]> = {}): Count {
  return values => {
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'number') lists[name] = [...(lists[name] ?? []), ...value];
      else if (value !== 0) sums[name] = (sums[name] ?? 0) + value;
    }
  };
}
