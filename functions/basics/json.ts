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
