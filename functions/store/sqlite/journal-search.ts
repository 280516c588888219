import { encodePart } from '../../model/event-id.ts';
import { decodeEvents } from '../codec.ts';
import type { JournalRecord, Search } from '../journal.ts';
import { partition, projectIn } from '../keys.ts';
import { merged } from '../merged.ts';
import type { Database } from './database.ts';

/** Rows read at once. */
const PAGE = 50;

/** A row's place among all: the time of its commit, and its position, which tells those of one time apart. */
type Place = readonly [at: number, position: number];

interface Row {
  readonly position: number;
  readonly key: string;
  readonly at: number;
  readonly events: Uint8Array;
}

/** The change records of the file, or of some processes, by the time of their commit: by index, a page at a time. */
export async function* searchRecords(database: Database, search: Search): AsyncIterable<JournalRecord> {
  const isForward = search.order === 'oldest-first';
  const isBefore = (one: Row, other: Row) =>
    // Stryker disable next-line EqualityOperator: no two rows have the same position
    one.at < other.at || (one.at === other.at && one.position < other.position);
  const isFirst = isForward ? isBefore : (one: Row, other: Row) => isBefore(other, one);
  const each = search.processes?.map(process => rowsOf(database, search, partition(process)));
  for await (const row of merged(each ?? [rowsOf(database, search)], isFirst)) yield recordOf(row);
}

async function* rowsOf(database: Database, search: Search, process?: string): AsyncIterable<Row> {
  const from = placeOf(search.from);
  const step = search.order === 'oldest-first' ? -1 : 1;
  for (let place: Place | undefined = from && [from[0], from[1] + step]; ; ) {
    const rows = pageOf(database, search, { place, process });
    yield* rows;
    const last = rows[PAGE - 1];
    if (!last) return;
    place = [last.at, last.position];
  }
}

/** Each query has an index on both parts of a place. The place also narrows the bounds of `at`, because
 *  SQLite uses only these to seek in the index. */
function pageOf(
  { sql }: Database,
  search: Search,
  { place, process }: { place: Place | undefined; process: string | undefined },
): Row[] {
  const isForward = search.order === 'oldest-first';
  const [at, position] = place ?? (isForward ? [0, 0] : [Number.MAX_SAFE_INTEGER, 0]);
  const since = isForward ? Math.max(search.since, at) : search.since;
  const until = isForward ? search.until : Math.min(search.until, at + 1);
  if (process === undefined)
    return rows(
      isForward
        ? sql.all`SELECT position, key, at, events FROM change
            WHERE at >= ${since} AND at < ${until} AND (at > ${at} OR position > ${position})
            ORDER BY at, position LIMIT ${PAGE}`
        : sql.all`SELECT position, key, at, events FROM change
            WHERE at >= ${since} AND at < ${until} AND (at < ${at} OR position < ${position})
            ORDER BY at DESC, position DESC LIMIT ${PAGE}`,
    );
  return rows(
    isForward
      ? sql.all`SELECT position, key, at, events FROM change
          WHERE process = ${process} AND at >= ${since} AND at < ${until} AND (at > ${at} OR position > ${position})
          ORDER BY at, position LIMIT ${PAGE}`
      : sql.all`SELECT position, key, at, events FROM change
          WHERE process = ${process} AND at >= ${since} AND at < ${until} AND (at < ${at} OR position < ${position})
          ORDER BY at DESC, position DESC LIMIT ${PAGE}`,
  );
}

const rows = (all: readonly object[]) => all as Row[];

function recordOf({ position, key, at, events }: Row): JournalRecord {
  return {
    position: `${at}.${position}`,
    at,
    isOf: projectId => projectIn(key) === encodePart(projectId),
    events: () => decodeEvents(events),
  };
}

function placeOf(position: string | undefined): Place | undefined {
  if (position === undefined) return undefined;
  const parts = /^(?<at>\d{1,16})\.(?<row>\d{1,16})$/.exec(position)?.groups;
  if (!parts) throw new TypeError('This is no place in a journal.');
  return [Number(parts.at), Number(parts.row)];
}
