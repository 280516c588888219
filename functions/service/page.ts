import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import { keysOf, propertyPath, typeName } from './describe.ts';
import type { Answer } from './reader.ts';

/** A longer cursor does not fit into a URL. */
const LONGEST_CURSOR = 4_096;

/** A page as it came: its items with the path of their array, and the cursor of the next page, if there is one. */
export interface RawPage {
  readonly property: string;
  readonly path: string;
  readonly items: readonly Json[];
  readonly next: string | undefined;
}

/**
 * Reads one page (service-api.md §2.2). `property` is the list's name where it is documented; else it is the one array
 * beside `paging`. Throws a ServiceAnswerError with the path of what is missing or ambiguous.
 */
export function readPage(answer: Answer, property: string | undefined): RawPage {
  const { body } = answer;
  if (!isJsonObject(body)) {
    throw answer.wrong({ path: '$', expected: 'an object with a list and paging', found: typeName(body) });
  }
  const name = property ?? onlyArray(answer, body);
  const items = body[name];
  if (!Array.isArray(items)) {
    throw answer.wrong({ path: propertyPath('$', name), expected: 'an array', found: keysOf(body) });
  }
  return { property: name, path: propertyPath('$', name), items, next: readNext(answer, body) };
}

function onlyArray(answer: Answer, body: JsonObject): string {
  const arrays = Object.entries(body).filter(([key, value]) => key !== 'paging' && Array.isArray(value));
  const [first, second] = arrays;
  if (first && !second) return first[0];
  throw answer.wrong({ path: '$', expected: 'exactly one array beside paging', found: keysOf(body) });
}

function readNext(answer: Answer, body: JsonObject): string | undefined {
  const { paging } = body;
  if (!isJsonObject(paging)) {
    throw answer.wrong({
      path: '$.paging',
      expected: 'an object',
      found: `${typeName(paging)} among ${keysOf(body)}`,
    });
  }
  const { hasNextPage, endCursor } = paging;
  if (typeof hasNextPage !== 'boolean') {
    throw answer.wrong({ path: '$.paging.hasNextPage', expected: 'a boolean', found: typeName(hasNextPage) });
  }
  if (!hasNextPage) return undefined;
  if (typeof endCursor !== 'string' || endCursor === '') {
    const found = endCursor === '' ? 'an empty text' : typeName(endCursor);
    throw answer.wrong({ path: '$.paging.endCursor', expected: 'a cursor, as hasNextPage is true', found });
  }
  if (endCursor.length > LONGEST_CURSOR) {
    const [expected, found] = [`at most ${LONGEST_CURSOR} characters`, `${endCursor.length}`];
    throw answer.wrong({ path: '$.paging.endCursor', expected, found });
  }
  return endCursor;
}
