import type { JsonObject } from '../../basics/json.ts';
import type { AuditPosition } from '../../model/process-state.ts';
import { isPassing, ServiceStatusError } from '../../service/errors.ts';
import type { PassContext } from '../context/context.ts';
import { FoundEntries } from './found-entries.ts';
import { FreshEntries } from './fresh-entries.ts';
import type { LogEntry } from './placed-entries.ts';
import { walkLog } from './walk-log.ts';
import type { WalkedPages } from './walked-pages.ts';

/** What a reading of the audit log found. */
export interface AuditRead {
  /** The entries that are new since the log was last read. */
  readonly entries: readonly JsonObject[];
  /** When the last page of them was read, by the service's clock where it tells it, in ms since 1970; 0 where none was. */
  readonly readAt: number;
  /** Those to tell, the oldest first as far as the log's order is known; only where entries are told (`audit`). */
  readonly untold?: readonly LogEntry[];
  /** Up to where the log is read now. While it can't be read: as before; undefined if it never could. */
  readonly position: AuditPosition | undefined;
  /** True when it can't be read. */
  readonly isDenied?: boolean;
}

/** Reads what is new in the audit log (service-api.md §4 #3). With a known order this mostly takes one request (see walkLog). With an
 *  unknown order both ends are read, and where new entries appear tells the order. A first reading only finds out where
 *  the log stands: none of its entries counts as new. */
export async function readAudit(
  context: PassContext,
  position: AuditPosition | undefined,
): Promise<AuditRead> {
  if (context.settings.auditLog === false) return { entries: [], readAt: 0, position, isDenied: true };
  try {
    return await read(context, position);
  } catch (error) {
    if (!(error instanceof ServiceStatusError)) throw error;
    if (error.status === 403 || (error.status === 404 && position?.tail === undefined))
      return denied(context, error, position);
    if (position?.tail === undefined || error.status === 401 || isPassing(error.status)) throw error;
    return lost(context, error, position);
  }
}

function denied(
  context: PassContext,
  error: ServiceStatusError,
  position: AuditPosition | undefined,
): AuditRead {
  const message =
    'The audit log can not be read. Polling goes on without it: task edits that leave their project’s update time ' +
    'alone, and deletions, are then told by the next sweep.';
  context.reports.once('audit-denied', message, { error: error.message });
  return { entries: [], readAt: 0, position, isDenied: true };
}

/** The service refuses the cursor that was kept: starts again without one, if the log can be read at all. */
async function lost(
  context: PassContext,
  error: ServiceStatusError,
  position: AuditPosition,
): Promise<AuditRead> {
  try {
    const isTold = context.settings.audit;
    const afresh = await (isTold ? entriesAfresh(context, position) : read(context, undefined));
    const left = isTold
      ? 'it was read from its beginning.'
      : 'what it told meanwhile is left to the next sweep.';
    const message = `The place in the audit log is lost; ${left}`;
    context.log.warn(message, {
      ...context.process,
      code: 'audit-position-lost',
      error: error.message,
    });
    return afresh;
  } catch (refusal) {
    if (refusal instanceof ServiceStatusError && (refusal.status === 403 || refusal.status === 404))
      return denied(context, refusal, position);
    throw refusal;
  }
}

/** A newest-first log is read from its head on in any case: only what was told is no longer passed over. */
function entriesAfresh(context: PassContext, position: AuditPosition): Promise<AuditRead> {
  if (position.head === undefined) return readEntries(context, position, true);
  return readEntries(context, { ...position, tail: undefined, head: undefined });
}

async function read(context: PassContext, position: AuditPosition | undefined): Promise<AuditRead> {
  if (context.settings.audit && position) return readEntries(context, position);
  const { fresh, position: found, readAt, beganAt } = await walkLog(context, position);
  const isTold = context.settings.audit && beganAt !== undefined;
  return { entries: fresh, readAt, position: isTold ? { ...found, readAt: beganAt } : found };
}

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
