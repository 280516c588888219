import type { JsonObject } from '../basics/json.ts';
import type { AuditPosition } from '../snapshots/state.ts';
import type { AuditRead } from './audit-read.ts';
import { FoundEntries } from './found-entries.ts';
import type { Reader } from './reader.ts';
import { walkLog } from './walk-log.ts';

/** How often the log is read until a reading brings nothing new. */
const READINGS = 5;

/** Reads the log so that each entry that is new since `before` is found, to be told (docs/decisions/0114). The whole log is read if it
 *  isn't met where it was left, or can't be read from there any more (`isTailLost`). What takes several pages is read again until that
 *  brings nothing new, because entries may move to a page that was read already. */
export async function readEntries(
  reader: Reader,
  before: AuditPosition,
  isTailLost = false,
): Promise<AuditRead> {
  const found = new FoundEntries(reader, before);
  const fresh: JsonObject[] = [];
  const whole: AuditPosition = { ...before, order: 'unknown', tail: undefined };
  let from = isTailLost ? whole : before;
  for (let readings = 0; ; ) {
    const walked = await walkLog(reader, from, found);
    // One by one: very many arguments of a single call would overflow the stack.
    for (const entry of walked.fresh) fresh.push(entry);
    if (from === before && !found.isMet) {
      from = whole;
      found.drop();
      continue;
    }
    readings += 1;
    const { isMore, isLong } = found.take(from === whole);
    if (isLong && (isMore || readings === 1) && readings < READINGS) continue;
    // What there was no room for is read again by the next pass; what was told until then no longer takes room.
    const position = found.isOverfull ? before : found.leftAt(walked, from === whole);
    const untold = before.order === 'newest-first' ? found.entries.toReversed() : found.entries;
    return { entries: fresh, readAt: walked.readAt, untold, position };
  }
}
