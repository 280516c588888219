import { isEmpty } from '../../basics/empty.ts';
import { isJsonObject, type Json, type JsonObject } from '../../basics/json.ts';

const graphemes = new Intl.Segmenter('en');

/** Right-to-left scripts: a value in one of them would reverse `from → to`. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** Invisible characters that control terminals and renderers, or reorder the text after the value. */
const HARMFUL =
  /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFFF9-\uFFFB]|\p{Noncharacter_Code_Point}/gu;

/** Data as one line of well-formed text: control and direction characters removed, white space collapsed. The empty
 *  text when nothing of it can be seen. */
export function cleanText(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(HARMFUL, '')
    .trim();
  return /[^\p{Cf}\p{Z}\p{M}]/u.test(line) ? line : '';
}

/** `text` with at most `limit` units of `measure` (default: UTF-16 units), cut between whole characters as people see
 *  them, with an ellipsis that shows the cut. */
export function cutText(text: string, limit: number, measure = (part: string) => part.length): string {
  if (measure(text) <= limit) return text;
  const room = limit - 1;
  // Stryker disable next-line MethodExpression: only saves segmenting characters that are cut off anyway
  const begin = graphemes.segment(text.slice(0, limit + 64));
  const whole = takeWhileFits(
    Array.from(begin, ({ segment }) => segment),
    room,
    measure,
  );
  // One character with a thousand accents is longer than any limit: then cut inside it, between code points.
  const kept = whole === '' ? takeWhileFits([...text], room, measure) : whole;
  return `${kept.trimEnd()}…`;
}

/** Cuts the beginning of two long texts so that both begin shortly before their first difference. */
export function fromDifference(from: string, to: string, limit: number): readonly [string, string] {
  if (Math.max(from.length, to.length) <= limit) return [from, to];
  const same = commonPrefix(from, to);
  if (same < limit / 2) return [from, to];
  const { index: start } = graphemes
    .segment(from)
    .containing(same - Math.floor(limit / 4)) as Intl.SegmentData;
  return [`…${from.slice(start).trimStart()}`, `…${to.slice(start).trimStart()}`];
}

/** Keeps text that is written from right to left from changing the direction of what follows it. */
export function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `\u2068${text}\u2069` : text;
}

/** Data as one clean line of at most `limit` units, isolated from the direction of the text around it. */
export function label(text: string, limit: number): string {
  return isolate(cutText(cleanText(text), limit));
}

/** `1 task`, `2 tasks`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}

function takeWhileFits(parts: readonly string[], room: number, measure: (part: string) => number): string {
  let used = 0;
  const end = parts.findIndex(part => {
    used += measure(part);
    return used > room;
  });
  return parts.slice(0, end).join('');
}

function commonPrefix(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** A field's value for people: its text, or `empty` when it has none. */
type ChatValue = { readonly text: string } | 'empty';

export function chatValue(value: Json | undefined, limit: number): ChatValue {
  return isEmpty(value) ? 'empty' : { text: shown(textOf(value as Json), limit) };
}

/** An old and a new value, cut so that their difference is in sight. */
export function chatValues(from: Json, to: Json, limit: number): readonly [ChatValue, ChatValue] {
  if (isEmpty(from) || isEmpty(to)) return [chatValue(from, limit), chatValue(to, limit)];
  const texts = [textOf(from), textOf(to)] as const;
  // Values that differ only in white space or type would look alike, so that their JSON is shown.
  const [before, after] = texts[0] === texts[1] ? [quoted(from), quoted(to)] : texts;
  const [start, end] = fromDifference(before, after, limit);
  return [{ text: shown(start, limit) }, { text: shown(end, limit) }];
}

function shown(text: string, limit: number): string {
  return isolate(cutText(text, limit));
}

/** A value in words: a list with commas, an object by its name. Undefined when only JSON could show it. */
export function valueInWords(value: Json): string | undefined {
  if (Array.isArray(value)) {
    const items = value.map(itemText);
    return items.every(item => item !== undefined) ? items.join(', ') : undefined;
  }
  if (isJsonObject(value)) return cleanText(nameIn(value) ?? '') || undefined;
  return typeof value === 'string' ? cleanText(value) || undefined : quoted(value);
}

/** One item of a list. An invisible text is shown too, as JSON: the items keep their number. */
function itemText(item: Json): string | undefined {
  return typeof item === 'string' ? textOf(item) : Array.isArray(item) ? undefined : valueInWords(item);
}

function textOf(value: Json): string {
  return valueInWords(value) ?? quoted(value);
}

function nameIn(value: JsonObject): string | undefined {
  const names = ['name', 'title', 'label', 'displayName', 'fullName'].map(key =>
    Object.hasOwn(value, key) ? value[key] : undefined,
  );
  return names.find(text => typeof text === 'string' && text !== '') as string | undefined;
}

function quoted(value: Json): string {
  return cleanText(JSON.stringify(value));
}
