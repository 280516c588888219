import { isJsonObject, type Json, type JsonObject } from '../../basics/json.ts';
import { decodePathPart } from '../../model/event-id.ts';

/** What is certain about an audit entry, whatever its shape (service-api.md §2.4). */
export interface EntryFacts {
  /** The earliest and the latest time that stand in it, in ms since 1970 on the service's clock: what it
   *  reports happened between them. Undefined where it has none. */
  readonly time: { readonly first: number; readonly last: number } | undefined;
  /** The identifiers that may be those of the projects that it names. */
  readonly projects: ReadonlySet<string>;
  /** The identifiers that may be those of the tasks that it names. */
  readonly tasks: ReadonlySet<string>;
  /** True when it speaks of a task: then it is not about the project that it names beside. */
  readonly isOfTask: boolean;
  /** The identifiers that may be those of the users who did it, as it names them: a list for each key under
   *  which it names some. */
  readonly users: readonly (readonly string[])[];
}

const FIRST_YEAR = Date.UTC(2000);
/** Time with zone, as in ISO 8601; a `Date.parse` of less would be a guess. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;

/** `latest`: the service's time when the entry was read; a later time in it is not the time of an event. */
export function factsOf(entry: JsonObject, latest: number): EntryFacts {
  const plain = placesIn(entry).filter(({ isContent }) => !isContent);
  const times = plain.map(timeIn).filter(time => time <= latest);
  const records = plain.filter(({ user }) => user === undefined);
  return {
    time: times.length > 0 ? { first: Math.min(...times), last: Math.max(...times) } : undefined,
    projects: namedBy(records, ({ isOfProject }) => isOfProject),
    tasks: namedBy(records, ({ isOfTask }) => isOfTask),
    isOfTask: records.some(({ isOfTask, text }) => (isOfTask && text !== '') || /task/i.test(text)),
    users: usersIn(plain),
  };
}

/** The identifiers in the places whose key names their kind; where no key does, in all. */
function namedBy(places: readonly Place[], isNaming: (place: Place) => boolean): ReadonlySet<string> {
  const named = places.filter(isNaming);
  return new Set((named.length > 0 ? named : places).flatMap(identifiersIn));
}

/** The users in the places whose keys name the actor, and of these the outermost; in any place but that of a
 *  record or of another user, where no key does. */
function usersIn(plain: readonly Place[]): string[][] {
  const depths = plain.flatMap(({ user }) => (user ? [user.depth] : []));
  const outermost = Math.min(...depths);
  const those = plain.filter(
    ({ user, isOfOthers }) => !isOfOthers && (depths.length === 0 || user?.depth === outermost),
  );
  const groups = Map.groupBy(those, ({ user }) => user?.key);
  return [...groups.values()].map(places => [...new Set(places.flatMap(identifiersIn))]);
}

/** The identifiers that a value may be: itself, or the parts of a path. A time is not one, nor are the words of
 *  a sentence. */
function identifiersIn(place: Place): string[] {
  const { text, mayIdentify } = place;
  if (!mayIdentify || text === '' || /\s/.test(text) || !Number.isNaN(timeIn(place))) return [];
  return text.includes('/')
    ? text.split(/[/?#&=]+/).flatMap(part => (part === '' ? [] : [decodePathPart(part)]))
    : [text];
}

/** NaN for anything but a time. */
function timeIn({ text }: Place): number {
  const time = TIMESTAMP.test(text) ? Date.parse(text.replace(' ', 'T').replace(',', '.')) : epochIn(text);
  return time >= FIRST_YEAR ? time : Number.NaN;
}

/** Seconds have 10 digits, milliseconds 13. */
function epochIn(text: string): number {
  if (/^\d{13}$/.test(text)) return Number(text);
  return /^\d{10}$/.test(text) ? Number(text) * 1000 : Number.NaN;
}

/** A value in an audit entry, and the meaning of the keys that lead to it. */
export interface Place {
  /** A text or number; empty for null and the like. */
  readonly text: string;
  /** The outermost key that names the actor, and how many keys lead to it; undefined without one. */
  readonly user: { readonly key: string; readonly depth: number } | undefined;
  /** A key marks a record, or a user in another role than the actor. */
  readonly isOfOthers: boolean;
  /** A key marks a field's value, or a text that people wrote. */
  readonly isContent: boolean;
  /** A key marks a project. */
  readonly isOfProject: boolean;
  /** A key marks a task. */
  readonly isOfTask: boolean;
  /** False for a number whose key does not mark an identifier (it may count anything), and for the entry's own. */
  readonly mayIdentify: boolean;
}

/** Words in keys, by their meaning. The keys are undocumented (service-api.md §2.4). */
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

/** The rest of a larger entry is not looked at. */
const MAX_PLACES = 10_000;

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
  while (rest.length > 0 && places.length < MAX_PLACES) {
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
  const marks = (those: ReadonlySet<string>) => words.some(word => those.has(word));
  const [isUser, isProject, isTask] = [marks(USER), marks(PROJECT), marks(TASK)];
  const isIdentifier = marks(IDENTIFIER);
  // Within a user, whatever is not its identifier is of others: a manager, a department.
  const isOfUsersOthers =
    keys.user !== undefined && !words.every(word => IDENTIFIER.has(word) || USER.has(word));
  return {
    depth: keys.depth + 1,
    user: keys.user ?? (isUser ? { key, depth: keys.depth } : undefined),
    isOfOthers: keys.isOfOthers || isProject || isTask || marks(RECORD) || marks(OTHERS) || isOfUsersOthers,
    // The identifier of the project from which a task was moved is not a text that people wrote.
    isContent: keys.isContent || (marks(CONTENT) && !((isProject || isTask) && isIdentifier)),
    isOfProject: keys.isOfProject || isProject,
    isOfTask: keys.isOfTask || isTask,
    isIdentifier: isIdentifier || isUser || isProject || isTask || marks(RECORD),
    isOwn: keys.depth === 0 && key === 'id',
  };
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}
