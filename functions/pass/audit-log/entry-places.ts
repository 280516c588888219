import { isJsonObject, type Json, type JsonObject } from '../../basics/json.ts';

/** A value in an audit entry, and what the keys that lead to it say of it. */
export interface Place {
  /** A text or number; empty for null and the like. */
  readonly text: string;
  /** The outermost key that says "here is who did it", and how many keys lead to it; undefined where none does. */
  readonly user: { readonly key: string; readonly depth: number } | undefined;
  /** A key says that here is a record, or somebody in another role than that of the one who did it. */
  readonly isOfOthers: boolean;
  /** A key says that here is a field's value, or a text that people wrote. */
  readonly isContent: boolean;
  /** A key says that here is a project. */
  readonly isOfProject: boolean;
  /** A key says that here is a task. */
  readonly isOfTask: boolean;
  /** False for a number whose key says nothing of an identifier (it may count anything), and for the entry's own. */
  readonly mayIdentify: boolean;
}

/** Words in keys, by what they say. The keys are undocumented (service-api.md §2.4). */
const USER = wordsOf(
  'user users actor actors author authors by editor editors initiator performer principal who',
);
const PROJECT = wordsOf('project projects');
const TASK = wordsOf('task tasks subtask subtasks');
const RECORD = wordsOf('entity record item object target resource subject parent origin process');
const OTHERS = wordsOf(
  'assignee assignees assigned owner owners mention mentions mentioned watcher watchers follower followers ' +
    'recipient recipients participant participants invitee invited member members role group team affected ' +
    'responsible manager managers reviewer reviewers approver approvers added removed behalf',
);
const CONTENT = wordsOf(
  'from to old new before after previous prior value values original name title label email mail text comment ' +
    'message description note summary content avatar',
);
const IDENTIFIER = wordsOf('id ids uuid guid key ref reference uri url href link path self');

/** What holds more is no entry of a log: the rest of it is not looked at. */
const MOST_PLACES = 10_000;

interface Keys extends Omit<Place, 'text' | 'mayIdentify'> {
  readonly depth: number;
  readonly isIdentifier: boolean;
  readonly isOwn: boolean;
}

const OUTSIDE: Keys = {
  depth: 0,
  user: undefined,
  isOfOthers: false,
  isContent: false,
  isOfProject: false,
  isOfTask: false,
  isIdentifier: false,
  isOwn: false,
};

/** Every value in an entry, in its order, with what is known of its place. */
export function placesIn(entry: JsonObject): Place[] {
  const places: Place[] = [];
  const rest: [value: Json, keys: Keys][] = [[entry, OUTSIDE]];
  while (rest.length > 0 && places.length < MOST_PLACES) {
    const [value, keys] = rest.pop() as (typeof rest)[number];
    const inner: [Json, Keys][] = Array.isArray(value)
      ? value.map(child => [child, keys])
      : isJsonObject(value)
        ? Object.entries(value).map(([key, child]) => [child, inside(keys, key)])
        : [];
    // The last child first: they are taken from the end.
    for (const child of inner.reverse()) rest.push(child);
    if (inner.length === 0) places.push(placeOf(value, keys));
  }
  return places;
}

function placeOf(value: Json, { depth: _, isIdentifier, isOwn, ...keys }: Keys): Place {
  const isNumber = typeof value === 'number';
  const text = isNumber || typeof value === 'string' ? String(value) : '';
  return { ...keys, text, mayIdentify: !isOwn && (isIdentifier || !isNumber) };
}

function inside(keys: Keys, key: string): Keys {
  const words = (key.match(/\p{Lu}?[\p{Ll}\p{N}]+|\p{Lu}+/gu) ?? []).map(word => word.toLowerCase());
  const says = (those: ReadonlySet<string>) => words.some(word => those.has(word));
  const [isUser, isProject, isTask] = [says(USER), says(PROJECT), says(TASK)];
  const isIdentifier = says(IDENTIFIER);
  // Within a user, whatever is not its identifier is of others: a manager, a department.
  const isOfUsersOthers =
    keys.user !== undefined && !words.every(word => IDENTIFIER.has(word) || USER.has(word));
  return {
    depth: keys.depth + 1,
    user: keys.user ?? (isUser ? { key, depth: keys.depth } : undefined),
    isOfOthers: keys.isOfOthers || isProject || isTask || says(RECORD) || says(OTHERS) || isOfUsersOthers,
    // The identifier of the project from which a task was moved is no text that people wrote.
    isContent: keys.isContent || (says(CONTENT) && !((isProject || isTask) && isIdentifier)),
    isOfProject: keys.isOfProject || isProject,
    isOfTask: keys.isOfTask || isTask,
    isIdentifier: isIdentifier || isUser || isProject || isTask || says(RECORD),
    isOwn: keys.depth === 0 && key === 'id',
  };
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
