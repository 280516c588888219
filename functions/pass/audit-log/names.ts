import { isJsonObject, type Json, type JsonObject } from '../../basics/json.ts';
import { decodePathPart } from '../../model/event-id.ts';

/** A longer text is not an identifier: it would not fit into a key of the table. */
const MAX_LENGTH = 300;

/** Each name is looked up in the table, so there must be a limit; a log of edits stays far below it. */
const MAX_NAMES = 500_000;

/** Every text in the entries' values that may be a project's identifier: whole values, and the parts of
 *  paths, addresses and sentences. The caller checks which of them are identifiers. Stops at about 500,000. */
export function namesIn(entries: readonly JsonObject[]): Set<string> {
  const names = new Set<string>();
  const rest: Json[] = [...entries];
  while (rest.length > 0 && names.size < MAX_NAMES) {
    const value = rest.pop();
    // Pushed one by one: very many arguments of a single call would overflow the stack.
    if (Array.isArray(value)) for (const child of value) rest.push(child);
    else if (isJsonObject(value)) for (const child of Object.values(value)) rest.push(child);
    else if (typeof value === 'number') names.add(String(value));
    else if (typeof value === 'string') addPieces(names, value);
  }
  return names;
}

function addPieces(names: Set<string>, text: string): void {
  for (const piece of piecesOf(text)) if (piece !== '' && piece.length <= MAX_LENGTH) names.add(piece);
}

/** A text, and the parts of the path, address or sentence that it may be. */
export function piecesOf(text: string): string[] {
  const long = text.match(/[\p{L}\p{N}._~-]+/gu) ?? [];
  const short = text.match(/[\p{L}\p{N}_-]+/gu) ?? [];
  // A path encodes the signs and spaces of an identifier; the words of a sentence are not parts of a path.
  const parts = text.split(/[/?#&=]+/).filter(part => !/\s/.test(part));
  return [text, ...long, ...short, ...parts.map(decodePathPart)];
}
