import type { ChangeEvent } from '../../functions/model/event.ts';
import type { EndpointFilter } from '../../functions/model/filter.ts';
import { whyLeftOut } from '../../functions/model/left-out.ts';
import { type ChangeLine, changeLine } from './change-line.ts';
import { type Committed, dataOf } from './committed.ts';

/** A past event. */
export interface Past {
  readonly committed: Committed;
  readonly line: ChangeLine;
}

export function pastOf(committed: Committed): Past {
  return { committed, line: changeLine(committed) };
}

/** A past event that a filter excludes. */
export interface Excluded extends Past {
  readonly reason: string;
}

/** The events that a filter selects, and the others with the first reason for each, in their order. */
export function tried(
  filter: EndpointFilter | undefined,
  past: readonly Past[],
): { readonly matching: readonly Past[]; readonly excluded: readonly Excluded[] } {
  const matching: Past[] = [];
  const excluded: Excluded[] = [];
  for (const one of past) {
    const reason = filter && reasonFor(filter, one.committed);
    if (reason === undefined) matching.push(one);
    else excluded.push({ ...one, reason });
  }
  return { matching, excluded };
}

/** One of another version may lack the fields of the filter. */
function reasonFor(filter: EndpointFilter, { event }: Committed): string | undefined {
  try {
    return whyLeftOut(filter, event as unknown as ChangeEvent);
  } catch {
    return 'the event is of another version';
  }
}

/** The names of changed fields for a filter: whole, because a label may be cut. The id if a name has a comma. */
export function fieldNames(past: readonly Past[]): string[] {
  const names = past.flatMap(({ committed }) =>
    (dataOf(committed).changes ?? []).map(change => {
      const name = 'name' in change ? change.name : change.field;
      return name.includes(',') ? change.field : name;
    }),
  );
  return [...new Set(names)].toSorted();
}
