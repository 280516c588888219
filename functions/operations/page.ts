import * as z from 'zod';
import { jsonOf } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { JournalRecord, Search } from '../store/store.ts';
import type { OperationsContext } from './context.ts';
import { wrongRequest } from './refused.ts';

/** The default number of entries on a page. */
export const DEFAULT_LIMIT = 50;
/** Rows are counted no further than this. */
export const MAX_COUNTED = 1_000;
/** Reads of a store at a time. */
export const CONCURRENCY = 10;

/** The cursor of an answer: the place at which its page ended, as a text that only the same operation can read.
 *  None without a place: it is the last page. */
export function cursorTo(operation: string, place: unknown): { readonly cursor?: string } {
  if (place === undefined) return {};
  return { cursor: Buffer.from(JSON.stringify([operation, place])).toString('base64url') };
}

/** @throws Refused for a text that is not a cursor of this operation */
export function readCursor<Place>(
  operation: string,
  cursor: string | undefined,
  schema: z.ZodType<Place>,
): Place | undefined {
  if (cursor === undefined) return undefined;
  const text = Buffer.from(cursor, 'base64url').toString();
  const read = z.tuple([z.literal(operation), schema]).safeParse(jsonOf(text));
  if (read.success) return read.data[1] as Place;
  throw wrongRequest('cursor: not a cursor of this operation. Omit it to get the first page.');
}

/** A time, in ms since 1970, as ISO text. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

/** The whole journal, the newest record first. */
export const WHOLE_JOURNAL = {
  order: 'newest-first',
  since: 0,
  until: Number.MAX_SAFE_INTEGER,
} as const satisfies Search;

const MAX_RECORDS = 1_000;
const SEARCH_TIMEOUT_MS = 2_000;

/** Searches the journal until `take` returns true, but reads no more than an answer has time for, however large
 *  the journal is. @returns whether all that was asked for was read */
export async function searchJournal(
  { journal, clock }: Pick<OperationsContext, 'journal' | 'clock'>,
  search: Search,
  take: (record: JournalRecord) => boolean,
): Promise<boolean> {
  const began = clock();
  let read = 0;
  for await (const record of journal.search(search)) {
    read += 1;
    if (take(record) || read >= MAX_RECORDS || clock() - began >= SEARCH_TIMEOUT_MS) return false;
  }
  return true;
}

/** Whether the journal has an event of a process. */
export async function hasEvents(
  context: Pick<OperationsContext, 'journal' | 'clock'>,
  process: ProcessKey,
): Promise<boolean> {
  return !(await searchJournal(context, { ...WHOLE_JOURNAL, processes: [process] }, () => true));
}
