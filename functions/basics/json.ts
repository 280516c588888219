/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. Keys are data: `__proto__` and `constructor` are ordinary names here, so never assign by key
 *  onto a plain object literal; walk with `Object.entries`, build with `Object.fromEntries`. */
export interface JsonObject {
  [key: string]: Json;
}

/** True for a JSON object: not null, not an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value that a text holds as JSON; undefined for any other text. */
export function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Code that walks a record is recursive: some thousands of levels would overflow the stack. */
export const MAX_LEVELS = 200;

/** True when the value is nested deeper than anything that a record of fields could need. */
export function isTooDeep(value: Json, levels: number = MAX_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  // Each record of each answer comes through here: `Object.values` would take five times as long.
  if (Array.isArray(value)) {
    for (const child of value) if (typeof child === 'object' && isTooDeep(child, levels - 1)) return true;
    return false;
  }
  for (const name in value) {
    const child = value[name] as Json;
    if (typeof child === 'object' && isTooDeep(child, levels - 1)) return true;
  }
  return false;
}

/** A copy in which a text stands for each array or object that is nested too deep. */
export function withoutDeepest(value: Json, levels: number = MAX_LEVELS): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '(nested too deep)';
  if (Array.isArray(value)) return value.map(child => withoutDeepest(child, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, withoutDeepest(child, levels - 1)]),
  );
}

/** The value of an answer's JSON text. Its events may hold records of `MAX_LEVELS` levels; deeper values, which no
 *  event has, would overflow the stack of the code that shows them.
 *  @throws SyntaxError */
export function parseAnswer(text: string): Json {
  return withoutDeepest(JSON.parse(text) as Json, MAX_EVENT_LEVELS);
}

/** The levels of an event or an answer: those of a record, and of what is around it. */
export const MAX_EVENT_LEVELS = MAX_LEVELS + 50;
