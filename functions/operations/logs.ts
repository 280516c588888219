import * as z from 'zod';
import { cursorOf, readCursor } from './cursor.ts';
import type { AnswerOf } from './protocol/answers.ts';
import type { RequestOf } from './protocol/requests.ts';
import type { LogPage, LogReader } from './stack-house.ts';

/** How many entries a page has by default. */
const PAGE = 50;
/** How many pages are asked for until one has entries: CloudWatch searches a stretch bit by bit, and answers
 *  with empty pages meanwhile. */
const LOOKS = 20;

/** A page of a function's log. */
export async function logsOf(
  asked: RequestOf<'logs'>,
  house: { readonly logs: LogReader; readonly clock: () => number },
): Promise<AnswerOf<'logs'>> {
  const { function: name, since, until, all = false, limit = PAGE, cursor } = asked;
  // The end is fixed with the first page: otherwise whatever is logged meanwhile would put off the last page
  // for ever.
  const begun = readCursor('logs', cursor, place);
  const [end, position] = begun ?? [until === undefined ? house.clock() : Date.parse(until), undefined];
  const stretch = { function: name, since: Date.parse(since), until: end, all };
  let page: LogPage = { entries: [], position };
  for (let looks = 0; looks < LOOKS; looks += 1) {
    page = await house.logs.read({ ...stretch, position: page.position }, limit);
    if (page.entries.length > 0 || page.position === undefined) break;
  }
  return {
    function: name,
    entries: [...page.entries],
    ...(page.position !== undefined && { cursor: cursorOf('logs', [end, page.position]) }),
  };
}

const place = z.tuple([z.number(), z.string()]);
