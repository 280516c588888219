import * as z from 'zod';
import { jsonOf } from '../basics/json.ts';
import { Refused } from './refused.ts';

/** The default number of entries on a page. */
export const DEFAULT_LIMIT = 50;
/** Rows are counted no further than this. */
export const MAX_COUNTED = 1_000;
/** Reads of a store at a time. */
export const CONCURRENCY = 10;

/** A cursor: the place at which a page ended, as a text that only the same operation can read. */
export function cursorOf(operation: string, place: unknown): string {
  return Buffer.from(JSON.stringify([operation, place])).toString('base64url');
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
  throw new Refused('cursor: that of another request, or none. Ask without it for the first page.', {
    isUsage: true,
  });
}

/** A time, in ms since 1970, as ISO text. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}
