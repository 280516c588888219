import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';

/** Equality by JSON meaning: the order of an object's keys doesn't count, that of an array does. */
export function jsonEqual(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && arraysEqual(left, right);
  return !Array.isArray(right) && differingNames(left, right).length === 0;
}

function arraysEqual(left: readonly Json[], right: readonly Json[]): boolean {
  if (left.length !== right.length) return false;
  // Stryker disable next-line EqualityOperator: after the end of both nothing differs
  for (let index = 0; index < left.length; index += 1) {
    if (!jsonEqual(left[index] as Json, right[index] as Json)) return false;
  }
  return true;
}

const NONE: readonly string[] = [];

/** The names of the properties that differ, or that only one of the objects has, in any order. Nearly
 *  everything that a pass compares is equal, so that case is fast: the objects are walked as they are, and
 *  nothing is allocated. */
export function differingNames(left: JsonObject, right: JsonObject): readonly string[] {
  let names: string[] | undefined;
  let equal = 0;
  for (const name in right) {
    // Stryker disable next-line AssignmentOperator: to count fewer only costs another walk
    if (jsonEqual(left[name] as Json, right[name] as Json) && isOwn(left, name)) equal += 1;
    else names = add(names, name);
  }
  // Stryker disable next-line ConditionalExpression,EqualityOperator: as above
  if (equal < sizeOf(left)) {
    for (const name in left) if (!Object.hasOwn(right, name)) names = add(names, name);
  }
  return names ?? NONE;
}

function add(names: string[] | undefined, name: string): string[] {
  if (!names) return [name];
  names.push(name);
  return names;
}

/** Whether a property is the object's own. Of the inherited names, only `__proto__` has a value that JSON can
 *  have. */
function isOwn(object: JsonObject, name: string): boolean {
  // Stryker disable next-line ConditionalExpression: to ask for every name only takes longer
  return name !== '__proto__' || Object.hasOwn(object, name);
}

function sizeOf(object: JsonObject): number {
  let size = 0;
  for (const _ in object) size += 1;
  return size;
}

/** JSON text with sorted keys: two values have one text exactly when they are equal by JSON meaning. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}
