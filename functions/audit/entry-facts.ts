import type { JsonObject } from '../basics/json.ts';
import { identifiersIn, type Place, placesIn } from './entry-places.ts';

/** What an audit entry says for certain, whatever its shape (service-api.md §2.4). */
export interface EntryFacts {
  /** The earliest and the latest time that stand in it, in ms since 1970 on the service's clock: what it tells of happened between them.
   *  Undefined where it has none. */
  readonly time: { readonly first: number; readonly last: number } | undefined;
  /** The identifiers that may be those of the records it is about. */
  readonly records: ReadonlySet<string>;
  /** True when it speaks of a task: then it is not about the project that it names beside. */
  readonly isOfTask: boolean;
  /** The identifiers that may be those of the users who did it, as it names them. */
  readonly users: readonly string[];
}

const FIRST_YEAR = Date.UTC(2000);
/** Time with zone, as in ISO 8601; a `Date.parse` of less would be a guess. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d:?\d\d)$/i;

/** `latest`: the service's time when the entry was read; a later time in it is none at which something happened. */
export function factsOf(entry: JsonObject, latest: number): EntryFacts {
  const plain = placesIn(entry).filter(({ isContent }) => !isContent);
  const times = plain.map(timeIn).filter(time => time <= latest);
  return {
    time: times.length > 0 ? { first: Math.min(...times), last: Math.max(...times) } : undefined,
    records: new Set(plain.flatMap(({ text }) => identifiersIn(text))),
    isOfTask: plain.some(({ isOfTask, text }) => isOfTask || /task/i.test(text)),
    users: [...new Set(userPlaces(plain).flatMap(({ text }) => identifiersIn(text)))],
  };
}

/** The places where an entry says who did it: those whose keys say so, and of these the outermost; any place but that of a record or of
 *  somebody else, where no key says so. */
function userPlaces(plain: readonly Place[]): readonly Place[] {
  const all = plain.filter(({ isOfOthers }) => !isOfOthers);
  const depths = all.map(({ userDepth = Number.POSITIVE_INFINITY }) => userDepth);
  const outermost = Math.min(...depths);
  return all.filter((_, index) => depths[index] === outermost);
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
