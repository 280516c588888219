import { isJsonObject, type Json } from '../../../functions/basics/json.ts';
import type { Actor, ChangeEvent } from '../../../functions/model/event.ts';
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

/** Where an event comes from, as a message says it. */
export function originOf({ source, data }: ChangeEvent): string {
  return `process ${data.process.id} · workspace ${source.split('/')[2]}`;
}

/** The times of an interval (ms since 1970) as a message shows them, to the second. */
export function span(after: number, before: number): string[] {
  const times = after === before ? [before] : [after, before];
  return times.map(time => new Date(time).toISOString().slice(0, 19));
}

/** What is wrong with a part of a message; undefined when it is what it should be. */
export function differ(
  what: string,
  shown: string | undefined,
  told: string | undefined,
): string | undefined {
  return shown === told ? undefined : `its ${what} is “${shown}” instead of “${told}”`;
}

/** Names are cut to this length, so that a phone can show them. */
const NAME_LIMIT = 60;
/** Of more actors than this two are named. */
const MAX_COUNT = 3;

/** Whether a text names these actors, in their order: all of up to three; of more the first two, and how many
 *  others there are. */
export function namesActors(text: string, actors: readonly Actor[]): boolean {
  const shown = visible(text);
  if (actors.length <= MAX_COUNT) return isInTurn(shown, actors);
  const others = ` and ${actors.length - 2} others`;
  return (
    shown.endsWith(others) &&
    splits(shown.slice(0, -others.length), ', ').some(
      ([first, second]) => isActor(first, actors[0]) && isActor(second, actors[1]),
    )
  );
}

function isInTurn(text: string, [first, ...others]: readonly Actor[]): boolean {
  if (others.length === 0) return isActor(text, first);
  return splits(text, others.length === 1 ? ' and ' : ', ').some(
    ([one, rest]) => isActor(one, first) && isInTurn(rest, others),
  );
}

function isActor(shown: string, actor: Actor | undefined): boolean {
  if (!actor) return false;
  const { id, name = '' } = actor;
  const called = visible(name) === '' ? id : name;
  return visible(called) === '' ? shown === '(no name)' : isCutOf(shown, called, NAME_LIMIT);
}
