import * as z from 'zod';
import { Refused } from './refused.ts';

/** Where a page ended, as a text that only says something to the operation that made it. */
export function cursorOf(operation: string, place: unknown): string {
  return Buffer.from(JSON.stringify([operation, place])).toString('base64url');
}

/** @throws Refused when this operation made no such cursor */
export function readCursor<Place>(
  operation: string,
  cursor: string | undefined,
  schema: z.ZodType<Place>,
): Place | undefined {
  if (cursor === undefined) return undefined;
  const read = z.tuple([z.literal(operation), schema]).safeParse(parsed(cursor));
  if (read.success) return read.data[1] as Place;
  throw new Refused('cursor: that of another request, or none. Ask without it for the first page.', {
    isUsage: true,
  });
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** The text of a time, in ms since 1970. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}
