import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';

/** A text or number in an audit entry, and what the keys that lead to it say of it. */
export interface Place {
  readonly text: string;
  /** How many keys lead to the first that says "here is who did it"; undefined where none does. */
  readonly userDepth: number | undefined;
  /** A key says that here is a record, or somebody in another role than that of the one who did it. */
  readonly isOfOthers: boolean;
  /** A key says that here is a field's value, or a text that people wrote. */
  readonly isContent: boolean;
  /** A key says that here is a task. */
  readonly isOfTask: boolean;
}

/** Words in keys, by what they say. The keys are undocumented (service-api.md §2.4). */
const USER = wordsOf(
  'user users actor actors author authors by editor editors initiator performer principal who',
);
const OTHERS = wordsOf(
  'project projects task tasks subtask subtasks process entity record item object target resource subject parent ' +
    'assignee assignees assigned owner owners mention mentions mentioned watcher watchers follower followers ' +
    'recipient recipients participant participants invitee invited member members role group team',
);
const CONTENT = wordsOf(
  'from to old new before after previous prior value values original name title label email mail text comment ' +
    'message description note summary content avatar',
);
const TASK = wordsOf('task tasks subtask subtasks');

/** What holds more is no entry of a log: the rest of it is not looked at. */
const MOST_PLACES = 10_000;

type Keys = Omit<Place, 'text'> & { readonly depth: number };

/** Every text and number in an entry, in its order, with what is known of its place. */
export function placesIn(entry: JsonObject): Place[] {
  const places: Place[] = [];
  const outside = { depth: 0, userDepth: undefined, isOfOthers: false, isContent: false, isOfTask: false };
  const rest: [value: Json, keys: Keys][] = [[entry, outside]];
  while (rest.length > 0 && places.length < MOST_PLACES) {
    const [value, { depth, ...keys }] = rest.pop() as (typeof rest)[number];
    // The last child first: they are taken from the end.
    if (Array.isArray(value)) for (const child of value.toReversed()) rest.push([child, { depth, ...keys }]);
    else if (isJsonObject(value))
      for (const [key, child] of Object.entries(value).toReversed())
        rest.push([child, inside({ depth, ...keys }, key)]);
    else if (typeof value === 'string' || typeof value === 'number')
      places.push({ ...keys, text: String(value) });
  }
  return places;
}

function inside({ depth, userDepth, isOfOthers, isContent, isOfTask }: Keys, key: string): Keys {
  const words = key.match(/\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}+/gu) ?? [];
  const says = (those: ReadonlySet<string>) => words.some(word => those.has(word.toLowerCase()));
  return {
    depth: depth + 1,
    userDepth: userDepth ?? (says(USER) ? depth : undefined),
    isOfOthers: isOfOthers || says(OTHERS),
    isContent: isContent || says(CONTENT),
    isOfTask: isOfTask || says(TASK),
  };
}

/** The identifiers that a text may be: itself, and the parts of a path or an address. The words of a sentence are none. */
export function identifiersIn(text: string): string[] {
  if (/\s/.test(text)) return [];
  return [text, ...(text.match(/[\p{L}\p{N}._~-]+/gu) ?? []), ...(text.match(/[\p{L}\p{N}_-]+/gu) ?? [])];
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
