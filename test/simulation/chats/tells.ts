import { isJsonObject, type Json } from '../../../functions/basics/json.ts';
import { visible } from '../../kit/delivery/shown.ts';
import { isEmpty } from '../../kit/told.ts';

/** Values up to this length are never cut. */
const SHORTEST_CUT = 60;
/** The least that is left of a text that is cut at its end: what people see as one character may have
 *  many units. */
const LEAST_LEFT = 25;

/** Whether a shown text tells a value: whole, or cut with an ellipsis. `other` is the value beside it:
 *  when one of two is long, both are shown from a little before their first difference. */
export function tells(shown: string, value: Json | undefined, other: Json = null): boolean {
  if (isEmpty(value)) return shown === 'empty';
  const longest = Math.max(...(isEmpty(other) ? [] : textsOf(other)).map(({ length }) => length));
  return textsOf(value as Json).some(text => isCutOf(shown, text, SHORTEST_CUT, longest));
}

/** Whether `shown` is the text, or a part of it with an ellipsis at each cut. It is cut where it is longer than `limit`; at its
 *  beginning also where `longest` is. */
export function isCutOf(shown: string, text: string, limit: number, longest = 0): boolean {
  const seen = visible(shown);
  const whole = visible(text);
  if (seen === whole) return true;
  const [isBegun, isEnded] = [seen.startsWith('…'), seen.endsWith('…')];
  if (!(isBegun || isEnded)) return false;
  const left = seen.slice(isBegun ? 1 : 0, isEnded ? -1 : undefined).trim();
  if (isBegun && Math.max(text.length, longest) <= limit) return false;
  if (isEnded && (text.length <= limit || left.length < LEAST_LEFT)) return false;
  if (isBegun && isEnded) return whole.includes(left);
  return isBegun ? whole.endsWith(left) : whole.startsWith(left);
}

/** The texts that may stand for a value: its own, or its JSON, where two values would look alike. */
function textsOf(value: Json): string[] {
  const json = JSON.stringify(value);
  if (typeof value === 'string') return [value, json];
  if (Array.isArray(value)) {
    const items = value.map(itemText);
    return items.some(item => item === undefined) ? [json] : [items.join(', '), json];
  }
  const name = nameOf(value);
  return name === undefined ? [json] : [name, json];
}

/** Every way to split a text at a separator, which may also occur in the data. */
export function splits(text: string, separator: string): [string, string][] {
  const parts = text.split(separator);
  return parts
    .slice(1)
    .map((_, index) => [parts.slice(0, index + 1).join(separator), parts.slice(index + 1).join(separator)]);
}

/** Whether people can read a value, which is not told as JSON. */
export function isReadable(value: Json): boolean {
  if (Array.isArray(value)) return value.every(item => itemText(item) !== undefined);
  if (typeof value === 'string') return visible(value) !== '';
  return !isJsonObject(value) || visible(nameOf(value) ?? '') !== '';
}

function itemText(item: Json): string | undefined {
  if (typeof item === 'string') return visible(item) === '' ? JSON.stringify(item) : item;
  if (Array.isArray(item)) return undefined;
  return isJsonObject(item) ? nameOf(item) : JSON.stringify(item);
}

function nameOf(value: Json): string | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, title, label, displayName, fullName } = value;
  return [name, title, label, displayName, fullName].find(isName);
}

function isName(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '';
}
