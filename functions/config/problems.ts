import * as z from 'zod';
import { nearest } from '../basics/nearest.ts';
import { remedies } from './values.ts';

type Path = readonly PropertyKey[];

/** A path as text: `changewire.workspaces[0].processes[1].id`. A key that is not made of words is not
 *  quoted, because it may be a secret. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const key = String(step);
    if (!isWords(key)) return `${text}["a key of ${key.length} characters"]`;
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `${text}.${key}` : `${text}[${JSON.stringify(key)}]`;
  }, 'changewire');
}

/** A problem with paths that begin below `changewire`, for those who gave no object of that name. */
export function withoutRoot(problem: string): string {
  return problem.replaceAll(/(?<=^|\s)changewire(?:\.|(?=\[))/g, '');
}

/** The most values that are listed in a line. */
const MAX_LISTED = 20;

/** The values that would be right, or, for those that may not be quoted, where they stand; of many only
 *  the first. */
export function listed(
  known: readonly { readonly value: string; readonly path: readonly PropertyKey[] }[],
): string {
  const told = known
    .slice(0, MAX_LISTED)
    .map(({ value, path }) => (isWords(value) ? value : `that of ${pathText(path)}`));
  return [...told, ...(known.length > MAX_LISTED ? [`${known.length - MAX_LISTED} more`] : [])].join(', ');
}

/** What zod found wrong, one line each: the path, what was found, what is allowed. */
export function problems(schema: z.core.$ZodType, error: z.ZodError, input: unknown): string[] {
  return error.issues
    .flatMap(issue => issuesOf(issue))
    .flatMap(issue =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map(key => unknownKey(schema, issue.path, key, input))
        : [wrongValue(issue, valueAt(input, issue.path))],
    );
}

/** Codes that mean a value of a wrong type; `invalid_union` means that none of several types fits. */
const OF_ANOTHER_TYPE = new Set<z.core.$ZodIssue['code']>(['invalid_type', 'invalid_union']);

/** For a union of types: what is wrong with the value as the one type that it is of. Unless that is
 *  exactly one, the issue as it is. */
function issuesOf(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isOfType = (issues: readonly z.core.$ZodIssue[]) =>
    !issues.some(({ code, path }) => OF_ANOTHER_TYPE.has(code) && path.length === 0);
  const [inner, ...others] = issue.errors.filter(isOfType);
  if (inner === undefined || others.length > 0) return [issue];
  return inner.flatMap(each => issuesOf({ ...each, path: [...issue.path, ...each.path] }));
}

/** Keys that name a secret, or stand next to one that does: by mistake somebody may put the secret itself
 *  there, so their values are not quoted. */
const NEAR_SECRETS = new Set<PropertyKey | undefined>(['audience', 'credentials']);

function wrongValue(issue: z.core.$ZodIssue, value: unknown): string {
  const found = NEAR_SECRETS.has(issue.path.at(-1)) ? described(value) : shown(value);
  const meant = issue.code === 'invalid_value' ? hint(value, issue.values.map(String)) : '';
  return `${pathText(issue.path)}: found ${found}; allowed: ${issue.message}${meant}`;
}

function unknownKey(schema: z.core.$ZodType, parent: Path, key: string, input: unknown): string {
  const path = [...parent, key];
  const object = objectAt(schema, parent);
  const known = Object.keys(object?.shape ?? {});
  const found = described(valueAt(input, path));
  const remedy = remedyFor(object, key);
  const more = remedy === undefined ? hint(key, known) : `; ${remedy}`;
  return `${pathText(path)}: unknown key, found ${found}; allowed here: ${known.join(', ')}${more}`;
}

/** The value at `path`. */
function valueAt(input: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (here, step) =>
      typeof here === 'object' && here !== null && Object.hasOwn(here, step)
        ? (here as Record<PropertyKey, unknown>)[step]
        : undefined,
    input,
  );
}

function remedyFor(object: z.ZodObject | undefined, key: string): string | undefined {
  const known = object && remedies.get(object);
  return known && Object.hasOwn(known, key) ? known[key] : undefined;
}

/** The object that the schema allows at `path`. */
function objectAt(schema: z.core.$ZodType, path: Path): z.ZodObject | undefined {
  const target = path.reduce<z.core.$ZodType | undefined>((here, step) => {
    const bare = here && objectOf(here);
    if (bare instanceof z.ZodObject) return bare.shape[String(step)];
    return bare instanceof z.ZodArray ? (bare.element as z.core.$ZodType) : undefined;
  }, schema);
  const bare = target && objectOf(target);
  return bare instanceof z.ZodObject ? bare : undefined;
}

/** The object inside a schema: without its wrappers, and of a union the object among its types. */
function objectOf(schema: z.core.$ZodType): z.core.$ZodType {
  const bare = unwrap(schema);
  if (!(bare instanceof z.ZodUnion)) return bare;
  return bare.options.find(option => option instanceof z.ZodObject) ?? bare;
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const wrapped =
    schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return wrapped ? unwrap(schema.def.innerType as z.core.$ZodType) : schema;
}

/** `; did you mean "…"?`, or nothing when no candidate is close. */
export function hint(word: unknown, candidates: readonly string[]): string {
  const close = typeof word === 'string' ? nearest(word, candidates) : undefined;
  return close === undefined ? '' : `; did you mean "${close}"?`;
}

/** What an error may show of a value that stands in the wrong place: it may be a secret, whatever its key
 *  is. So only what looks like words, short numbers, and the origin of an address are quoted; anything
 *  else is described. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return shownText(value);
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null)
    return Object.keys(value).length === 0 ? '{}' : 'an object';
  const json = JSON.stringify(value) ?? 'something else';
  return json.length > MAX_NUMBER_LENGTH ? `a ${typeof value}` : json;
}

/** What an error may show of a value whose key is for a secret, or is unknown. */
function described(value: unknown): string {
  return typeof value === 'string' && value !== '' ? `text of ${value.length} characters` : shown(value);
}

const MAX_NUMBER_LENGTH = 9;
const MAX_TEXT_LENGTH = 40;
const MAX_WORDS = 5;
const MAX_LABELS = 7;

/** A word, a number or a unit, as people write them. Random bytes as text rarely look like this. */
const WORD = /^([A-Za-z][a-z]{0,14}|[A-Z]{1,4})\d{0,4}$|^\d{1,6}[a-z]{0,2}$|^\*$/;
/** A key in camelCase; a longer one could be base64. */
const CAMEL_CASE = /^(?=.{1,16}$)[a-z]+([A-Z][a-z]+)*[A-Z]{0,3}$/;

/** Whether a text is made of a few words, or of one. */
export function isWords(text: string, most = MAX_WORDS): boolean {
  const words = text.split(/[-_.,:/@ ]/);
  if (CAMEL_CASE.test(text)) return true;
  return text.length <= MAX_TEXT_LENGTH && words.length <= most && words.every(word => WORD.test(word));
}

function shownText(text: string): string {
  if (text === '' || isWords(text)) return JSON.stringify(text);
  const url = URL.parse(text);
  if (!url || !/^(https?|ftp|wss?):$/.test(url.protocol) || !isWords(url.host, MAX_LABELS))
    return described(text);
  if (url.username || url.password) return 'an address with a user name or password';
  // A password with a slash in it: the part before the slash would be shown as the host.
  if (text.includes('@')) return described(text);
  // Only the origin: the path may hold a secret.
  const origin = `${url.protocol}//${url.host}`;
  return JSON.stringify(text === origin || text === `${origin}/` ? text : `${origin}/…`);
}
