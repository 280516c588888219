import type { ChangeEvent } from '../../functions/model/event.ts';
import { type EndpointFilter, wants } from '../../functions/model/filter.ts';
import { type ChangeLine, changeLine } from './change-line.ts';
import { type Committed, withoutRecords } from './committed.ts';

/** A past event, with the parts that a filter reads. */
export interface Past {
  readonly committed: Committed;
  readonly line: ChangeLine;
}

/** The event without the whole records, which no filter reads. */
export function pastOf(committed: Committed): Past {
  return { committed: withoutRecords(committed), line: changeLine(committed) };
}

/** The events that match the filter, in their order. */
export function matched(filter: EndpointFilter | undefined, past: readonly Past[]): readonly Past[] {
  if (filter === undefined) return past;
  return past.filter(({ committed: { event } }) => matches(filter, event as unknown as ChangeEvent));
}

/** Whether the event matches the filter. An event of another version that lacks the fields of the filter does not. */
function matches(filter: EndpointFilter, event: ChangeEvent): boolean {
  try {
    return wants(filter, event);
  } catch {
    return false;
  }
}
