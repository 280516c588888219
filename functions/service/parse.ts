import { type Json, MAX_LEVELS } from '../basics/json.ts';

/** True when the value has a number that may have lost digits, or is nested too deep to be searched. This takes a
 *  fifth of the time of looking for digits in the text. */
function mayLoseDigits(value: Json, levels: number = MAX_LEVELS): boolean {
  if (typeof value === 'number') return !(Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const child of value) if (typeof child !== 'string' && mayLoseDigits(child, levels - 1)) return true;
    return false;
  }
  for (const name in value) {
    const child = value[name] as Json;
    if (typeof child !== 'string' && mayLoseDigits(child, levels - 1)) return true;
  }
  return false;
}

/** What distinguishes numbers from the same characters in a string: escapes, the ends of strings, and numbers. */
const PIECES = /\\.|"|-?\d[\d.eE+-]*/gs;

/** The same JSON, with each number as text that would lose digits. A reviver would do the same, but overflows
 *  the stack in JSON that is nested some thousand levels deep. */
function withLongNumbersAsText(json: string): string {
  let isInString = false;
  return json.replace(PIECES, piece => {
    if (piece === '"') isInString = !isInString;
    return !isInString && losesDigits(piece) ? `"${piece}"` : piece;
  });
}

function losesDigits(piece: string): boolean {
  const number = Number(piece);
  if (Number.isNaN(number) || Number.isSafeInteger(number)) return false;
  return /^-?\d+$/.test(piece) || !Number.isFinite(number);
}

/** The text of a body, without a byte order mark; undefined when it is not UTF-8. Were broken bytes replaced
 *  by U+FFFD, they would be emitted as a change. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * JSON text to its value, or undefined when the text is not JSON. Integers beyond `Number.MAX_SAFE_INTEGER`
 * become text, so that an identifier never loses its last digits, and so do numbers that JavaScript takes for
 * infinite, which would be null in the snapshot. This is slow, so it is done only when it must be.
 */
export function parseJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return mayLoseDigits(value) ? (JSON.parse(withLongNumbersAsText(text)) as Json) : value;
  } catch {
    return undefined;
  }
}

/** A body to its value, or undefined when it is not JSON in UTF-8. */
export function parseBody(bytes: Uint8Array): Json | undefined {
  const text = decodeText(bytes);
  return text === undefined ? undefined : parseJson(text);
}
