import type { AuditPosition } from '../../model/process-state.ts';
import type { PassContext } from '../context/context.ts';
import type { AuditRead } from './audit-read.ts';
import { FoundEntries } from './found-entries.ts';
import { FreshEntries } from './fresh-entries.ts';
import { walkLog } from './walk-log.ts';
import type { WalkedPages } from './walked-pages.ts';

/** How often the log is read until a reading brings nothing new. */
const READINGS = 5;

/** Reads the log so that each entry that is new since `before` is found, to be told (docs/decisions/0114). The whole log is read if it
 *  isn't met where it was left, or can't be read from there any more (`isTailLost`). What takes several pages is read again until that
 *  brings nothing new, because entries may move to a page that was read already. No reading takes more than half
 *  of the time that is left, so that the pass gets to its projects, too. */
export async function readEntries(
  context: PassContext,
  before: AuditPosition,
  isTailLost = false,
): Promise<AuditRead> {
  const { clock, stopAt } = context;
  const found = new FoundEntries(context, before);
  const fresh = new FreshEntries();
  const whole: AuditPosition = {
    ...before,
    order: 'unknown',
    tail: undefined,
    head: undefined,
    cuts: undefined,
  };
  let from = isTailLost ? whole : before;
  // Where the log is left if time is up in the midst of the next reading.
  let left = before;
  let readAt = 0;
  for (let readings = 0; readings < READINGS; ) {
    const began = clock();
    const until = began + (stopAt - began) / 2;
    const walked = await walkLog(context, from, { onlooker: found, fresh, until });
    readAt = walked.readAt;
    const isPlaced = from === before && before.order !== 'unknown';
    if (!isMet(found, walked, { isPlaced, isWhole: from === whole })) {
      if (isPlaced) left = found.leftUnmet(walked, left);
      found.takeTimed();
      from = whole;
      if (!walked.isCutShort) continue;
      warnOfTime(context, left);
      break;
    }
    readings += 1;
    const { isMore, isLong } = found.take(from === whole);
    left = found.leftAt(walked, from === whole);
    if (!isLong || !(isMore || readings === 1)) break;
    const now = clock();
    if (now + 2 * (now - began) > stopAt) {
      warnOfTime(context, left);
      break;
    }
  }
  const untold = before.order === 'newest-first' ? found.entries.toReversed() : found.entries;
  // What there was no room for is read again by the next pass; what was told until then no longer takes room.
  return { entries: fresh.all, readAt, untold, position: found.isOverfull ? before : left };
}

/** Whether a reading met the log where it was left. What was read so far of a log that is read from both ends, or as a whole, doesn't tell which
 *  of its entries are new. */
function isMet(
  found: FoundEntries,
  { isCutShort }: WalkedPages,
  { isPlaced, isWhole }: { readonly isPlaced: boolean; readonly isWhole: boolean },
): boolean {
  return isCutShort ? isPlaced && found.isMet : isWhole || found.isMet;
}

function warnOfTime({ log, process }: PassContext, { head, cuts }: AuditPosition): void {
  const consequence =
    head === undefined && cuts === undefined
      ? 'some of its entries may never be told. Make runs longer, or shorten the log.'
      : 'the next pass goes on with it. If this is said again and again, make runs longer, or shorten the log.';
  const message = `There was no time to read the audit log until nothing new was found: ${consequence}`;
  log.warn(message, { ...process, code: 'audit-too-long' });
}
