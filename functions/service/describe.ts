const MAX_EXCERPT = 60;
const MAX_KEYS = 20;

/** The JSON type of a value in a word: `null`, `array`, `object`, `string`, `number`, `boolean`, or `nothing`
 *  when absent. */
export function typeName(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** The start of a foreign text, safe to print: at most 60 characters, invisible and control characters escaped. */
export function excerpt(text: string): string {
  const start = [...text.slice(0, 2 * MAX_EXCERPT)].slice(0, MAX_EXCERPT).join('');
  return start.replace(
    /[\p{C}\p{Zl}\p{Zp}]/gu,
    character => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** An object's keys with the type of each value, as in `paging (object), tasks (array)`; never the values. */
export function keysOf(record: object): string {
  const entries = Object.entries(record);
  if (entries.length === 0) return 'an object without keys';
  const named = entries.slice(0, MAX_KEYS).map(([key, value]) => `${keyName(key)} (${typeName(value)})`);
  const rest = entries.length - named.length;
  return `the keys ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** The path of a property: `$.tasks`, or `$["odd name"]` for a name that is not an identifier. */
export function propertyPath(parent: string, key: string): string {
  return /^[A-Za-z_$][\w$]{0,59}$/.test(key)
    ? `${parent}.${key}`
    : `${parent}[${JSON.stringify(keyName(key))}]`;
}

/** A key is shown whole or not at all: a part of a secret could no longer be recognised as one. */
function keyName(key: string): string {
  return key.length > MAX_EXCERPT ? `a key of ${key.length} characters` : excerpt(key);
}
