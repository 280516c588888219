import type { ChangeEvent } from '../../functions/model/event.ts';
import { type EndpointFilter, wants } from '../../functions/model/filter.ts';
import { type ChangeLine, changeLine } from './change-line.ts';
import { type Committed, withoutRecords } from './committed.ts';

/** An event of the past, with the parts that a filter looks at. */
export interface Past {
  readonly committed: Committed;
  readonly line: ChangeLine;
}

/** The event without its whole records, which no filter looks at. */
export function pastOf(committed: Committed): Past {
  return { committed: withoutRecords(committed), line: changeLine(committed) };
}

/** Which of these events an endpoint with this filter would have got, in their order. */
export function matched(filter: EndpointFilter | undefined, past: readonly Past[]): readonly Past[] {
  if (filter === undefined) return past;
  return past.filter(({ committed: { event } }) => isWanted(filter, event as unknown as ChangeEvent));
}

/** Whether the filter wants the event. An event that another version wrote may lack what the filter
 *  reads: then it is not wanted. */
function isWanted(filter: EndpointFilter, event: ChangeEvent): boolean {
  try {
    return wants(filter, event);
  } catch {
    return false;
  }
}
