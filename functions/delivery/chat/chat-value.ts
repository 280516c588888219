import { isEmpty } from '../../basics/empty.ts';
import { isJsonObject, type Json, type JsonObject } from '../../basics/json.ts';
import { cleanText, cutText, fromDifference, isolate } from './chat-text.ts';

/** A field's value for people: its text, or `empty` when it has none. */
export type ChatValue = { readonly text: string } | 'empty';

/** One value, at most about `limit` characters. */
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
  if (isJsonObject(value)) return cleanText(nameOf(value) ?? '') || undefined;
  return typeof value === 'string' ? cleanText(value) || undefined : quoted(value);
}

/** One item of a list. An invisible text is shown too, as JSON: the items keep their number. */
function itemText(item: Json): string | undefined {
  return typeof item === 'string' ? textOf(item) : Array.isArray(item) ? undefined : valueInWords(item);
}

function textOf(value: Json): string {
  return valueInWords(value) ?? quoted(value);
}

/** What people, and things, are usually called by. */
function nameOf(value: JsonObject): string | undefined {
  const names = ['name', 'title', 'label', 'displayName', 'fullName'].map(key =>
    Object.hasOwn(value, key) ? value[key] : undefined,
  );
  return names.find(text => typeof text === 'string' && text !== '') as string | undefined;
}

function quoted(value: Json): string {
  return cleanText(JSON.stringify(value));
}
