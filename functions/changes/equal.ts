import type { Json, JsonObject } from '../basics/json.ts';

/** Equality by JSON meaning: the order of an object's keys is none, the order of an array is. */
export function jsonEqual(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && arraysEqual(left, right);
  return !Array.isArray(right) && differingNames(left, right).length === 0;
}

function arraysEqual(left: readonly Json[], right: readonly Json[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) {
    if (!jsonEqual(left[index] as Json, right[index] as Json)) return false;
  }
  return true;
}

/** The names of the properties that are not equal in both objects, or that one of them lacks, in no order. What a pass
 *  compares is nearly always equal, and this is what that costs: so both objects are walked as they stand, by the engine's
 *  quickest way, and no list of their keys is made or sorted. */
export function differingNames(left: JsonObject, right: JsonObject): string[] {
  const names: string[] = [];
  let shared = 0;
  for (const name in right) {
    const isEqual = jsonEqual(left[name] as Json, right[name] as Json) && isOwn(left, name);
    if (!isEqual) names.push(name);
    if (isEqual || Object.hasOwn(left, name)) shared += 1;
  }
  if (shared < sizeOf(left)) {
    for (const name in left) if (!Object.hasOwn(right, name)) names.push(name);
  }
  return names;
}

/** Of a value that is JSON: of what objects inherit, `__proto__` alone is. */
function isOwn(object: JsonObject, name: string): boolean {
  return name !== '__proto__' || Object.hasOwn(object, name);
}

function sizeOf(object: JsonObject): number {
  let size = 0;
  for (const _ in object) size += 1;
  return size;
}
