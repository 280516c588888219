import * as z from 'zod';
import { milliseconds } from '../basics/duration.ts';
import { isNetwork } from '../basics/networks.ts';
import { hint } from './problems.ts';

/** Every schema here carries its `allowed` text as the zod error: `problems.ts` adds the path and what was found. */

/** A duration as text, parsed into ms. */
export function duration(min: string, max: string) {
  const error = `a duration from "${min}" to "${max}": a whole number with s, m, h or d`;
  const allowed = (text: string): boolean => {
    const ms = milliseconds(text);
    const low = milliseconds(min) ?? 0;
    const high = milliseconds(max) ?? 0;
    return ms !== undefined && ms >= low && ms <= high;
  };
  return z
    .string({ error })
    .refine(allowed, { error })
    .transform(text => milliseconds(text) ?? 0);
}

/** Text that matches `pattern`; `error` describes valid texts. */
export function text(pattern: RegExp, error: string) {
  return z.string({ error }).regex(pattern, { error });
}

/** Text of a form that no pattern describes; `error` describes valid texts. */
export function formed(error: string, has: (text: string) => boolean) {
  return z.string({ error }).refine(has, { error });
}

/** A whole number from `min` to `max`. */
export function whole(min: number, max: number) {
  const error = `a whole number from ${min} to ${max}`;
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

/** A range of addresses, or the name of a host. */
export function network() {
  const error =
    'a range of at most /8 (IPv6: /7), such as "10.0.0.0/8", or the name of a host, such as "n8n"';
  return z.string({ error }).refine(isNetwork, { error });
}

export function yesNo() {
  return z.boolean({ error: 'true or false' });
}

/** A web address without user name and password, which would be readable in the template. */
export function address(...protocols: readonly ('http' | 'https')[]) {
  const schemes = protocols.map(protocol => `${protocol}://`).join(' or ');
  const error = `an ${schemes.replace(/^http:/, 'http:')} address without user name, password or #fragment`;
  const allowed = (value: string): boolean => {
    const url = URL.parse(value);
    const scheme = protocols.some(protocol => url?.protocol === `${protocol}:`);
    return url !== null && scheme && url.username === '' && url.password === '' && url.hash === '';
  };
  return z.string({ error }).refine(allowed, { error });
}

/** An address of this machine: for a stack on an emulator beside the simulated service. */
export const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/|$)/;

/** A web address for credentials: https, or http on this machine. */
export function secureAddress() {
  return z.union([address('https'), address('http').regex(LOOPBACK)], {
    error:
      'an https:// address without user name, password or #fragment; http:// only to 127.0.0.1, [::1] or localhost',
  });
}

/** A list with at least `min` entries. */
export function list<Item extends z.ZodType>(item: Item, min: 0 | 1, of: string) {
  const error = min === 0 ? `a list of ${of}` : `a list of at least one of ${of}`;
  return z.array(item, { error }).min(min, { error });
}

/** An object with these keys only; any other key is an error. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: objectError });
}

/** The remedies for keys that an object does not have, but that users may expect there. */
export const remedies = z.registry<Readonly<Record<string, string>>>();

/** The allowed keys; for unknown keys, a line for each. */
function objectError({ code, inst, keys = [] }: z.core.$ZodRawIssue): string {
  const schema = inst as z.ZodObject;
  const known = Object.keys(schema.shape);
  if (code !== 'unrecognized_keys') return `an object with the keys ${known.join(', ')}`;
  const own = remedies.get(schema) ?? {};
  const more = (key: string) => (Object.hasOwn(own, key) ? `; ${own[key]}` : hint(key, known));
  return (keys as string[]).map(key => `${known.join(', ')}${more(key)}`).join('\n');
}

/** The description of a key in docs/configuration.md and the JSON Schema, as Markdown. */
interface KeyNote {
  readonly meaning: string;
  /** The value if the key is omitted, if the schema itself has no default. */
  readonly otherwise?: string | undefined;
}

export const keyNotes = z.registry<KeyNote>();

/** The schema of a key, with its note. */
export function key<Schema extends z.ZodType>(schema: Schema, meaning: string, otherwise?: string): Schema {
  keyNotes.add(schema, { meaning, otherwise });
  return schema;
}

/** One of these texts. `elsewhere`: the remedies for texts that are allowed in other places. */
export function choice<const Choice extends readonly string[]>(
  choices: Choice,
  elsewhere: Readonly<Record<string, string>> = {},
) {
  const allowed = `one of ${choices.map(each => `"${each}"`).join(', ')}`;
  const remedy = (text: string) => (Object.hasOwn(elsewhere, text) ? `; ${elsewhere[text]}` : '');
  return z.enum(choices, { error: ({ input }) => `${allowed}${remedy(String(input))}` });
}
