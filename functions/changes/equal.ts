import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';

/** Equality by JSON meaning: the order of an object's keys is none, the order of an array is. */
export function jsonEqual(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) return Array.isArray(right) && arraysEqual(left, right);
  if (isJsonObject(left) && isJsonObject(right)) return objectsEqual(left, right);
  return false;
}

function arraysEqual(left: readonly Json[], right: readonly Json[]): boolean {
  return left.length === right.length && left.every((item, index) => jsonEqual(item, right[index] as Json));
}

function objectsEqual(left: JsonObject, right: JsonObject): boolean {
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(key => Object.hasOwn(right, key) && jsonEqual(left[key] as Json, right[key] as Json))
  );
}
