import { isJsonObject, type Json } from '../basics/json.ts';

/** JSON text with sorted keys: two values have one text exactly when they are equal by JSON meaning. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map(key => `${JSON.stringify(key)}:${canonicalJson(value[key] as Json)}`);
  return `{${members.join(',')}}`;
}
