import type * as z from 'zod';
import { nearest } from '../basics/nearest.ts';

type Path = readonly PropertyKey[];

/** A path as text: `changewire.workspaces[0].processes[1].id`. A key that does not consist of words is not
 *  quoted, because it may be a secret. */
export function pathText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    const key = String(step);
    if (!isWords(key)) return `${text}["a key of ${key.length} characters"]`;
    return /^[A-Za-z_$][\w$]*$/.test(key) ? `${text}.${key}` : `${text}[${JSON.stringify(key)}]`;
  }, 'changewire');
}

/** A problem with paths that begin below `changewire`, for input without an object of that name. */
export function withoutRoot(problem: string): string {
  return problem.replaceAll(/(?<=^|\s)changewire(?:\.|(?=\[))/g, '');
}

const MAX_LISTED = 20;

/** The valid values, or the paths of those that may not be quoted; at most MAX_LISTED. */
export function listed(
  known: readonly { readonly value: string; readonly path: readonly PropertyKey[] }[],
): string {
  const values = known
    .slice(0, MAX_LISTED)
    .map(({ value, path }) => (isWords(value) ? value : `that of ${pathText(path)}`));
  return [...values, ...(known.length > MAX_LISTED ? [`${known.length - MAX_LISTED} more`] : [])].join(', ');
}

/** One line: the path, the value found, the values allowed. */
export function problemAt(path: Path, found: string, allowed: string): string {
  return `${pathText(path)}: found ${found}; allowed: ${allowed}`;
}

/** The parsed input; or its problems, or else those between its parts, which `fitting` finds; one line each. */
export function checkedBy<Output>(
  schema: z.ZodType<Output>,
  input: unknown,
  fitting: (parsed: Output) => readonly string[] = () => [],
): { readonly parsed: Output } | { readonly problems: readonly string[] } {
  const result = schema.safeParse(input);
  const found = result.success ? fitting(result.data) : problems(result.error, input);
  return result.success && found.length === 0 ? { parsed: result.data } : { problems: found };
}

/** The problems that zod found, one line each: the path, the value found, the values allowed. */
function problems(error: z.ZodError, input: unknown): string[] {
  return error.issues
    .flatMap(issue => issuesOf(issue))
    .flatMap(issue =>
      issue.code === 'unrecognized_keys' ? unknownKeys(issue, input) : [wrongValue(issue, input)],
    );
}

/** Codes for a value of a wrong type; `invalid_union` means that it has none of several types. */
const OF_ANOTHER_TYPE = new Set<z.core.$ZodIssue['code']>(['invalid_type', 'invalid_union']);

/** For a union of types: the issues of the value's own type, unless several types fit. */
function issuesOf(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== 'invalid_union') return [issue];
  const isOfType = (issues: readonly z.core.$ZodIssue[]) =>
    !issues.some(({ code, path }) => OF_ANOTHER_TYPE.has(code) && path.length === 0);
  const [inner, ...others] = issue.errors.filter(isOfType);
  if (inner === undefined || others.length > 0) return [issue];
  return inner.flatMap(each => issuesOf({ ...each, path: [...issue.path, ...each.path] }));
}

/** Keys that name a secret, or are next to such a key: the secret itself may be there by mistake, so their
 *  values are not quoted. */
const NEAR_SECRETS = new Set<PropertyKey | undefined>(['audience', 'credentials']);

/** Keys with times and mail addresses, which have more words and marks than other values. */
const OPEN = new Set<PropertyKey | undefined>([
  'quiet',
  'digest',
  'window',
  'to',
  'from',
  'before',
  'after',
  'since',
]);

function wrongValue(issue: z.core.$ZodIssue, input: unknown): string {
  const value = valueAt(input, issue.path);
  const key = issue.path.at(-1);
  const isOpen = typeof value === 'string' && OPEN.has(key) && isPlain(value);
  const found = NEAR_SECRETS.has(key) ? described(value) : isOpen ? JSON.stringify(value) : shown(value);
  const meant = issue.code === 'invalid_value' ? hint(value, issue.values.map(String)) : '';
  return problemAt(issue.path, found, `${issue.message}${meant}`);
}

/** The message of an object's schema has a line for each of these keys. */
function unknownKeys({ path, keys, message }: z.core.$ZodIssueUnrecognizedKeys, input: unknown): string[] {
  const lines = message.split('\n');
  return keys.map((key, index) => {
    const found = described(valueAt(input, [...path, key]));
    return `${pathText([...path, key])}: unknown key (${found}); allowed keys: ${lines[index]}`;
  });
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

/** `; did you mean "…"?`, or nothing when no candidate is close. */
export function hint(word: unknown, candidates: readonly string[]): string {
  const close = typeof word === 'string' ? nearest(word, candidates) : undefined;
  return close === undefined ? '' : `; did you mean "${close}"?`;
}

/** The text for a value in the wrong place: it may be a secret, whatever its key. So only words, short
 *  numbers, and the origin of an address are quoted; anything else is described. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return shownText(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null)
    return Object.keys(value).length === 0 ? 'an empty object' : 'an object';
  const json = JSON.stringify(value) ?? 'something else';
  return json.length > MAX_NUMBER_LENGTH ? `a ${typeof value}` : json;
}

/** The text for a value whose key is for a secret, or is unknown. */
function described(value: unknown): string {
  return typeof value === 'string' && value !== '' ? `text of ${value.length} characters` : shown(value);
}

const MAX_NUMBER_LENGTH = 9;
const MAX_TEXT_LENGTH = 40;
const MAX_WORDS = 5;
const MAX_LABELS = 7;

/** A word, a number or a unit. Random bytes as text rarely look like this. */
const WORD = /^([A-Za-z][a-z]{0,14}|[A-Z]{1,4})\d{0,4}$|^\d{1,6}[a-z]{0,2}$|^\*$/;
/** A key in camelCase; a longer one could be base64. */
const CAMEL_CASE = /^(?=.{1,16}$)[a-z]+([A-Z][a-z]+)*[A-Z]{0,3}$/;

/** Whether a text consists of one or a few words. */
export function isWords(text: string, most = MAX_WORDS): boolean {
  const words = text.split(/[-_.,:/@ ]/);
  if (CAMEL_CASE.test(text)) return true;
  return text.length <= MAX_TEXT_LENGTH && words.length <= most && words.every(word => WORD.test(word));
}

const MAX_PLAIN_LENGTH = 120;

/** Whether a text consists of words, numbers and times, with any marks between them. */
function isPlain(text: string): boolean {
  const words = text.split(/[^\p{L}\p{N}]+|(?<=\d)[TZ]/u);
  return text.length <= MAX_PLAIN_LENGTH && words.every(word => word === '' || WORD.test(word));
}

function shownText(text: string): string {
  if (text === '' || isWords(text)) return JSON.stringify(text);
  const url = URL.parse(text);
  if (!url || !/^(https?|ftp|wss?):$/.test(url.protocol) || !isWords(url.host, MAX_LABELS))
    return described(text);
  if (url.username || url.password) return 'an address with a user name or password';
  // For a password with a slash, the part before it would be shown as the host.
  if (text.includes('@')) return described(text);
  // Only the origin: the path may contain a secret.
  const origin = `${url.protocol}//${url.host}`;
  return JSON.stringify(text === origin || text === `${origin}/` ? text : `${origin}/…`);
}
