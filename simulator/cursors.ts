import type { JsonObject } from '../functions/basics/json.ts';
import type { Freedoms } from './data/freedoms.ts';
import { BadRequest } from './errors.ts';

/** The page that a request asks for (service-api.md §4.1). */
export interface PageRequest {
  readonly first?: number;
  readonly after?: string;
}

/** The `paging` object (service-api.md §2.2). */
export interface Paging extends JsonObject {
  startCursor: string | null;
  endCursor: string | null;
  hasNextPage: boolean;
}

interface Placed {
  readonly seq: number;
}

/** Cuts a page. A cursor contains its list and the position of an item, so that it stays valid when items, or the item
 *  itself, are added or deleted. With the freedom `offset` it is a count.
 *  @param list which list this is; a cursor of another list is refused
 *  @param items in serving order: rising `seq`, or falling with `descending`
 *  @throws BadRequest for a cursor that this list didn't give */
export function pageOf<Item extends Placed>(
  list: string,
  items: readonly Item[],
  request: PageRequest,
  freedoms: Freedoms,
  descending = false,
): { items: Item[]; paging: Paging } {
  const isOffset = freedoms.cursors === 'offset';
  const begin = descending && !isOffset ? Number.MAX_SAFE_INTEGER : 0;
  const from = request.after === undefined ? begin : placeOf(list, request.after);
  const rest = isOffset
    ? items.slice(from)
    : items.filter(({ seq }) => (descending ? seq < from : seq > from));
  const placeIn = (index: number): number => (isOffset ? from + index + 1 : (page[index]?.seq ?? from));
  const size = request.first === undefined ? rest.length : Math.min(request.first, freedoms.maxPageSize);
  const page = rest.slice(0, size);
  const empty = freedoms.emptyPageCursors === 'null' ? null : cursor(list, from);
  return {
    items: page,
    paging: {
      startCursor: page.length > 0 ? cursor(list, placeIn(0)) : empty,
      endCursor: page.length > 0 ? cursor(list, placeIn(page.length - 1)) : empty,
      hasNextPage: page.length < rest.length,
    },
  };
}

function cursor(list: string, seq: number): string {
  return Buffer.from(JSON.stringify([list, seq])).toString('base64url');
}

function placeOf(list: string, after: string): number {
  const refused = new BadRequest(
    '"after" is not a cursor of this list; pass the endCursor of a previous page',
  );
  let place: unknown;
  try {
    place = (JSON.parse(Buffer.from(after, 'base64url').toString()) as unknown[])[1];
  } catch {
    throw refused;
  }
  if (typeof place !== 'number' || !Number.isSafeInteger(place) || cursor(list, place) !== after)
    throw refused;
  return place;
}
