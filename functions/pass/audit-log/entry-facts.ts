import type { JsonObject } from '../../basics/json.ts';
import { type Place, placesIn } from './entry-places.ts';

/** What an audit entry says for certain, whatever its shape (service-api.md §2.4). */
export interface EntryFacts {
  /** The earliest and the latest time that stand in it, in ms since 1970 on the service's clock: what it tells of happened between them.
   *  Undefined where it has none. */
  readonly time: { readonly first: number; readonly last: number } | undefined;
  /** The identifiers that may be those of the projects that it names. */
  readonly projects: ReadonlySet<string>;
  /** The identifiers that may be those of the tasks that it names. */
  readonly tasks: ReadonlySet<string>;
  /** True when it speaks of a task: then it is not about the project that it names beside. */
  readonly isOfTask: boolean;
  /** The identifiers that may be those of the users who did it, as it names them: a list for each key under which it names some. */
  readonly users: readonly (readonly string[])[];
}

const FIRST_YEAR = Date.UTC(2000);
/** Time with zone, as in ISO 8601; a `Date.parse` of less would be a guess. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;

/** `latest`: the service's time when the entry was read; a later time in it is none at which something happened. */
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

/** The identifiers in the places of which a key says what they are; where no key says so, in all. */
function namedBy(places: readonly Place[], isSaid: (place: Place) => boolean): ReadonlySet<string> {
  const said = places.filter(isSaid);
  return new Set((said.length > 0 ? said : places).flatMap(identifiersIn));
}

/** The users in the places whose keys say who did it, and of these the outermost; in any place but that of a record or of somebody else,
 *  where no key says so. */
function usersIn(plain: readonly Place[]): string[][] {
  const depths = plain.flatMap(({ user }) => (user ? [user.depth] : []));
  const outermost = Math.min(...depths);
  const those = plain.filter(
    ({ user, isOfOthers }) => !isOfOthers && (depths.length === 0 || user?.depth === outermost),
  );
  const groups = Map.groupBy(those, ({ user }) => user?.key);
  return [...groups.values()].map(places => [...new Set(places.flatMap(identifiersIn))]);
}

/** The identifiers that a value may be: itself, or the parts of a path. A time is none, nor are the words of a sentence. */
function identifiersIn(place: Place): string[] {
  const { text, mayIdentify } = place;
  if (!mayIdentify || text === '' || /\s/.test(text) || !Number.isNaN(timeIn(place))) return [];
  return text.includes('/')
    ? text.split(/[/?#&=]+/).flatMap(part => (part === '' ? [] : [decoded(part)]))
    : [text];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** NaN for what is no time. */
function timeIn({ text }: Place): number {
  const time = TIMESTAMP.test(text) ? Date.parse(text.replace(' ', 'T').replace(',', '.')) : epochIn(text);
  return time >= FIRST_YEAR ? time : Number.NaN;
}

/** Seconds have 10 digits, milliseconds 13. */
function epochIn(text: string): number {
  if (/^\d{13}$/.test(text)) return Number(text);
  return /^\d{10}$/.test(text) ? Number(text) * 1000 : Number.NaN;
}
