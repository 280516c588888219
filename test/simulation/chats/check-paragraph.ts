import { type Paragraph, visible } from '../../kit/delivery/shown.ts';
import type { Change, Item } from './items.ts';
import { isCutOf, namesActors, splits, tells } from './tells.ts';

const NAME_LIMIT = 120;
const FIELD_NAME_LIMIT = 80;

/** How many changes of an item a paragraph shows; or, as text, what is wrong with it. Its heading ends with those
 *  who made the change, unless the message's summary names them. */
export function shownIn({ heading, lines }: Paragraph, item: Item, isByInSummary = false): number | string {
  if (isByInSummary || item.actors.length === 0) return shownBelow(visible(heading), lines, item);
  const heads = splits(visible(heading), ' · by ').filter(([, names]) => namesActors(names, item.actors));
  const shown = heads.map(([head]) => shownBelow(head, lines, item));
  return (
    shown.find(count => typeof count === 'number') ??
    shown[0] ??
    `“${heading}” does not name ${JSON.stringify(item.actors)}`
  );
}

/** Whether it says what happened; the name of a due date's field may be cut. */
function isWhat(shown: string, what: string, { stated }: Item): boolean {
  const [, beginning = '', name = ''] = /^([^(]*\()(.*)\)$/s.exec(shown) ?? [];
  if (shown === what || name === '') return shown === what;
  const called = what.slice(beginning.length, -1);
  return stated !== undefined && what.startsWith(beginning) && isCutOf(name, called, FIELD_NAME_LIMIT);
}

function shownBelow(head: string, lines: readonly string[], item: Item): number | string {
  const { changes, action, count } = item;
  const [only] = changes;
  if (action === 'updated' && only && changes.length === 1 && lines.length === 0 && !item.isIncomplete) {
    const isNaming = splits(head, ' · ').some(
      ([name, line]) => isNameOf(name, item) && tellsChange(line, only, action),
    );
    return isNaming ? 1 : `“${head}” does not tell ${JSON.stringify(only)} of ${item.name}`;
  }
  if (!splits(head, ' · ').some(([name, what]) => isNameOf(name, item) && isWhat(what, item.what, item)))
    return `“${head}” is not the heading of ${item.name} · ${item.what}`;
  const more = moreLine(item, lines);
  const told = lines.slice(0, more === undefined ? undefined : -1).map(visible);
  const wrong = told.findIndex((line, index) => !tellsChange(line, changes[index], action));
  if (wrong >= 0) return `“${told[wrong]}” does not tell ${JSON.stringify(changes[wrong])} of ${item.name}`;
  const left = changes.length - told.length + item.untold;
  const rest = item.isIncomplete
    ? 'and more fields than an event can carry'
    : left > 0
      ? counted(left)
      : undefined;
  if (more !== rest)
    return `“${more}” stands below ${told.length} of ${changes.length} fields of ${item.name}`;
  if (told.length === 0 && changes.length > 0) return `${item.name} is shown without any of its fields`;
  return action === 'updated' && changes.length > 0 ? told.length : count;
}

/** The last line, if it counts fields that are not shown. */
function moreLine({ changes }: Item, lines: readonly string[]): string | undefined {
  const last = visible(lines.at(-1) ?? '');
  if (lines.length > changes.length) return last;
  return /^and (?:\d+ more fields?|more fields than an event can carry)$/.test(last) ? last : undefined;
}

function counted(left: number): string {
  return `and ${left} more field${left === 1 ? '' : 's'}`;
}

export function isNameOf(shown: string, { name }: Item): boolean {
  return visible(name) === '' ? shown === '(no name)' : isCutOf(shown, name, NAME_LIMIT);
}

function tellsChange(line: string, change: Change | undefined, action: string): boolean {
  return splits(line, ': ').some(
    ([name, rest]) =>
      change !== undefined &&
      (visible(change.name) === '' ? name === '(no name)' : isCutOf(name, change.name, FIELD_NAME_LIMIT)) &&
      tellsValues(rest, change, action),
  );
}

export function tellsValues(
  text: string,
  { from, to, added = [], removed = [] }: Change,
  action: string,
): boolean {
  if (action === 'created' || action === 'deleted') return tells(text, to);
  if (added.length > 0 && removed.length > 0)
    return splits(text, ', removed ').some(
      ([came, went]) => came.startsWith('added ') && tells(came.slice(6), added) && tells(went, removed),
    );
  if (added.length > 0) return text.startsWith('added ') && tells(text.slice(6), added);
  if (removed.length > 0) return text.startsWith('removed ') && tells(text.slice(8), removed);
  return splits(text, ' → ').some(
    ([before, after]) => before !== after && tells(before, from, to) && tells(after, to, from),
  );
}

/** Names and values are cut to this length, so that a phone can show them. */
const PART_LIMIT = 60;
/** How many fields of a new record are told. */
const FIELDS = 3;

/** Whether a notification tells the first change, with those who made it, and counts the others. `place` is the
 *  project of a task, or what a field belongs to; `isOfAll` says that those made all of the changes. */
export function isSentenceOf(
  notification: string,
  first: Item,
  { place, left, isOfAll, noun }: { place: string; left: number; isOfAll: boolean; noun: 'change' | 'event' },
): boolean {
  const text = visible(notification);
  const rest = restOf(first, left, isOfAll, noun);
  if (!text.endsWith(rest)) return false;
  const body = text.slice(0, text.length - rest.length);
  const tells = (subject: string) =>
    splits(subject, '"').some(([name, tail]) => isCalled(name, first.label) && tellsTail(tail, first, place));
  if (first.actors.length === 0) {
    const begin = `${entityOf(first)} "`;
    return body.startsWith(begin) && tells(body.slice(begin.length));
  }
  const verb = first.action === 'updated' ? 'changed' : first.action;
  return splits(body, ` ${verb} ${first.place} "`).some(
    ([names, subject]) => namesActors(names, first.actors) && tells(subject),
  );
}

/** What says that there are more changes. It is no part of a sentence about those who did not make them all. */
function restOf({ isIncomplete, actors }: Item, left: number, isOfAll: boolean, noun: string): string {
  if (left === 0) return isIncomplete ? ', and more changes' : '';
  const more = `${left.toLocaleString('en')} more ${noun}${left === 1 ? '' : 's'}`;
  return actors.length === 0 || isOfAll ? `, and ${more}` : `. There ${left === 1 ? 'is' : 'are'} ${more}`;
}

function entityOf({ place, what, action }: Item): string {
  const entity = place === 'field' ? what.replace(` ${action}`, '') : place;
  return action === 'created' ? `New ${entity}` : `${entity[0]?.toUpperCase()}${entity.slice(1)}`;
}

function tellsTail(tail: string, item: Item, place: string): boolean {
  if (item.place === 'project') return tellsChanges(tail, item);
  if (item.place === 'field')
    return tail.startsWith(` in ${place}`) && tellsChanges(tail.slice(place.length + 4), item);
  const begin = ' in "';
  return (
    tail.startsWith(begin) &&
    splits(tail.slice(begin.length), '"').some(
      ([title, rest]) => isCalled(title, place) && tellsChanges(rest, item),
    )
  );
}

function tellsChanges(rest: string, item: Item): boolean {
  const { action, changes, actors, stated } = item;
  if (stated !== undefined) return rest.startsWith(': ') && isWhat(rest.slice(2), stated, item);
  const isNaming = actors.length > 0;
  if (action === 'deleted' || action === 'archived') return rest === (isNaming ? '' : ` was ${action}`);
  if (changes.length === 0) return rest === (isNaming || action === 'created' ? '' : ' changed');
  return (
    rest.startsWith(': ') &&
    tellsFields(rest.slice(2), changes.slice(0, action === 'created' ? FIELDS : 1), action)
  );
}

function tellsFields(text: string, [first, ...others]: readonly Change[], action: string): boolean {
  if (!first) return false;
  const isTold = (part: string) =>
    splits(part, ' ').some(
      ([name, values]) => isCalled(name, first.name) && tellsValues(values, first, action),
    );
  if (others.length === 0) return isTold(text);
  return splits(text, ', ').some(([part, rest]) => isTold(part) && tellsFields(rest, others, action));
}

function isCalled(shown: string, name: string): boolean {
  return visible(name) === '' ? shown === '(no name)' : isCutOf(shown, name, PART_LIMIT);
}
