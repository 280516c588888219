import { isJsonObject, type Json, type JsonObject } from '../json.ts';

/** Nothing longer can be an identifier that fits a table key. */
const LONGEST = 300;

/** Every text in the entries' values that may be a project's identifier: whole values, and the pieces of paths,
 *  addresses and sentences in them. The caller keeps those that are one. */
export function namesIn(entries: readonly JsonObject[]): Set<string> {
  const names = new Set<string>();
  const rest: Json[] = [...entries];
  while (rest.length > 0) {
    const value = rest.pop();
    if (Array.isArray(value)) rest.push(...value);
    else if (isJsonObject(value)) rest.push(...Object.values(value));
    else if (typeof value === 'number') names.add(String(value));
    else if (typeof value === 'string') addPieces(names, value);
  }
  return names;
}

function addPieces(names: Set<string>, text: string): void {
  for (const piece of [text, ...text.split(/[^\p{L}\p{N}._~-]+/u), ...text.split(/[^\p{L}\p{N}_-]+/u)]) {
    if (piece !== '' && piece.length <= LONGEST) names.add(piece);
  }
}
