import { visible } from '../../kit/delivery/shown.ts';
import { namesActors } from './check-actors.ts';
import { tellsValues } from './check-paragraph.ts';
import type { Change, Item } from './items.ts';
import { isCutOf, splits } from './tells.ts';

/** Names and values are cut to this length, so that a phone can show them. */
const PART_LIMIT = 60;
/** How many fields of a new record are told. */
const FIELDS = 3;

/** Whether a notification tells the first change, with those who made it, and counts the others. `place` is the
 *  project of a task, or what a field belongs to; `isOfAll` says that those made all of the changes. */
export function isSentenceOf(
  notification: string,
  first: Item,
  { place, left, isOfAll }: { place: string; left: number; isOfAll: boolean },
): boolean {
  const text = visible(notification);
  const rest = restOf(first, left, isOfAll);
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
function restOf({ isIncomplete, actors }: Item, left: number, isOfAll: boolean): string {
  if (left === 0) return isIncomplete ? ', and more changes' : '';
  const more = `${left.toLocaleString('en')} more change${left === 1 ? '' : 's'}`;
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

function tellsChanges(rest: string, { action, changes, actors }: Item): boolean {
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
