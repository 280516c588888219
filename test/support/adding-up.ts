import type { Count } from '../../functions/telemetry.ts';

/** A `Count` that adds up what it is told, by name; of an array, how many values there were. */
export function addingUp(sums: Record<string, number>): Count {
  return values => {
    for (const [name, value] of Object.entries(values))
      sums[name] = (sums[name] ?? 0) + (typeof value === 'number' ? value : value.length);
  };
}
