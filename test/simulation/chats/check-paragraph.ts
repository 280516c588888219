import { type Paragraph, visible } from '../../kit/delivery/shown.ts';
import { namesActors } from './check-actors.ts';
import type { Change, Item } from './items.ts';
import { isCutOf, splits, tells } from './tells.ts';

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

function shownBelow(head: string, lines: readonly string[], item: Item): number | string {
  const { changes, action, count } = item;
  const [only] = changes;
  if (action === 'updated' && only && changes.length === 1 && lines.length === 0 && !item.isIncomplete) {
    const isNaming = splits(head, ' · ').some(
      ([name, line]) => isNameOf(name, item) && tellsChange(line, only, action),
    );
    return isNaming ? 1 : `“${head}” does not tell ${JSON.stringify(only)} of ${item.name}`;
  }
  if (!splits(head, ' · ').some(([name, what]) => isNameOf(name, item) && what === item.what))
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
