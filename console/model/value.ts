import type { Json } from '../../functions/basics/json.ts';
import { cleanText, cutText, fromDifference, valueInWords } from '../../functions/delivery/chat/chat-text.ts';

/** A value in words, as one line of safe text; undefined for an empty one. */
export type ValueText = string | undefined;

/** Both values of a change, cut so that their difference stays visible. */
export function valueTexts(from: unknown, to: unknown, limit: number): readonly [ValueText, ValueText] {
  const [before, after] = [wholeText(from), wholeText(to)];
  if (before === undefined || after === undefined) return [cut(before, limit), cut(after, limit)];
  // Values that differ only in white space or JSON type look the same, so their JSON is shown.
  const [one, other] = before === after ? [jsonText(from), jsonText(to)] : [before, after];
  const [start, end] = fromDifference(one, other, limit);
  return [cutText(start, limit), cutText(end, limit)];
}

/** A value, uncut. */
export function wholeText(value: unknown): ValueText {
  if (isNone(value)) return undefined;
  return valueInWords(value as Json) ?? jsonText(value);
}

function cut(text: ValueText, limit: number): ValueText {
  return text === undefined ? undefined : cutText(text, limit);
}

/** Whether the service uses the value for an unset field. */
function isNone(value: unknown): boolean {
  return (
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

function jsonText(value: unknown): string {
  return cleanText(JSON.stringify(value));
}
