import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';

/** Nothing longer can be an identifier that fits a table key. */
const LONGEST = 300;

/** Each is looked for in the table: what names more is no log of edits. */
const MOST_NAMES = 500_000;

/** Every text in the entries' values that may be a project's identifier: whole values, and the pieces of paths,
 *  addresses and sentences in them. The caller keeps those that are one. 500,000 at most. */
export function namesIn(entries: readonly JsonObject[]): Set<string> {
  const names = new Set<string>();
  const rest: Json[] = [...entries];
  while (rest.length > 0 && names.size < MOST_NAMES) {
    const value = rest.pop();
    // One by one: as arguments of one call, very many would overflow the stack.
    if (Array.isArray(value)) for (const child of value) rest.push(child);
    else if (isJsonObject(value)) for (const child of Object.values(value)) rest.push(child);
    else if (typeof value === 'number') names.add(String(value));
    else if (typeof value === 'string') addPieces(names, value);
  }
  return names;
}

function addPieces(names: Set<string>, text: string): void {
  const long = text.match(/[\p{L}\p{N}._~-]+/gu) ?? [];
  const short = text.match(/[\p{L}\p{N}_-]+/gu) ?? [];
  for (const piece of [text, ...long, ...short]) {
    if (piece !== '' && piece.length <= LONGEST) names.add(piece);
  }
}
