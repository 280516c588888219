import type { JsonObject } from '../../basics/json.ts';
import type { AuditPosition } from '../../model/process-state.ts';
import { isPassing, ServiceStatusError } from '../../service/errors.ts';
import type { PassContext } from '../context/context.ts';
import { digest } from '../reading/digest.ts';
import { LogReading } from './log-reading.ts';

/** What a pass read of the audit log. */
export interface AuditRead {
  /** The entries that are new since the log was last read, the oldest first as far as the order of the log is
   *  known. An earlier run may have read them, too. */
  readonly entries: readonly JsonObject[];
  /** When the last page was read, in ms since 1970, by the service's clock where it sends a `Date`; 0 where
   *  more new entries are left to read: then they do not name the actor of a change. */
  readonly readAt: number;
  /** Up to where the log is read now. While it can't be read: as before; undefined if it never could. */
  readonly position: AuditPosition | undefined;
  /** True when it can't be read. */
  readonly isDenied?: boolean;
}

/** How often the log is read, at most, because its entries move from page to page in between. */
const MAX_READINGS = 5;

/** Reads what is new in the audit log (service-api.md §4 #3). An idle log costs one request; while its order
 *  is unknown and it has several pages, two. A first reading only finds out where the log stands. Takes at
 *  most half of the time that is left, so that the pass gets to its projects: the next pass continues where
 *  this one ended (docs/decisions/0114).
 *  @throws when the service fails; a denied log (403, 404) is reported once */
export async function readAudit(context: PassContext, before: AuditPosition | undefined): Promise<AuditRead> {
  const denied = { entries: [], readAt: 0, position: before, isDenied: true };
  if (context.settings.auditLog === false) return denied;
  const now = context.clock();
  const until = now + (context.stopAt - now) / 2;
  try {
    const read = await readUntilStill(context, before, until);
    if (!before?.unfinished || read.readAt === 0 || context.clock() >= until) return read;
    // The reading that is finished now began in an earlier pass: a newest-first log has newer entries at its head.
    const newer = await readUntilStill(context, read.position, until);
    return { ...newer, entries: [...read.entries, ...newer.entries] };
  } catch (error) {
    if (!(error instanceof ServiceStatusError) || (error.status !== 403 && error.status !== 404)) throw error;
    const message =
      'The audit log cannot be read. Polling continues without it: task edits that do not change the update time of their project, ' +
      'and deletions, are emitted by the next sweep.';
    context.reports.once('audit-denied', message, { error: error.message });
    return denied;
  }
}

/** Reads the log again if its entries moved to other pages in between: pages that count entries skip some when
 *  old ones are purged. */
async function readUntilStill(
  context: PassContext,
  before: AuditPosition | undefined,
  until: number,
): Promise<AuditRead> {
  const found = new Map<string, JsonObject>();
  for (let readings = 1; ; readings++) {
    const reading = await readOnce(context, before, until);
    for (const [id, entry] of reading.newEntries) found.set(id, entry);
    const { isCutShort, position, readAt } = reading;
    if (isCutShort) warnOfRest(context, reading);
    const isLast = isCutShort || readings === MAX_READINGS || context.clock() >= until;
    if (isLast || !before || !(await hasMoved(context, reading)))
      return { entries: [...found.values()], readAt: isCutShort ? 0 : readAt, position };
  }
}

/** Whether the first page of a walk has other entries by now. That does no harm in a newest-first log: its
 *  entries move to pages that are read later. */
async function hasMoved({ service, process }: PassContext, { order, walk }: LogReading): Promise<boolean> {
  if (walk.pages < 2 || order === 'newest-first') return false;
  for await (const { items } of service.auditLog(process.processId, walk.start))
    return items.map(digest).join() !== walk.first.join();
  return false;
}

function warnOfRest({ log, process }: PassContext, { isFull }: LogReading): void {
  const message = isFull
    ? 'The audit log has more new entries than one pass can hold; the next pass continues.'
    : 'There was no time to read the audit log to its end; the next pass continues. If this repeats, make runs longer or shorten the log.';
  log.warn(message, { ...process, code: isFull ? 'audit-overfull' : 'audit-too-long' });
}

/** Reads the log from its head if the service refuses the cursor that was kept. */
async function readOnce(
  context: PassContext,
  before: AuditPosition | undefined,
  until: number,
): Promise<LogReading> {
  try {
    return await readFrom(context, before, until);
  } catch (error) {
    if (!before || !isRefusedCursor(error, before)) throw error;
    const reading = await readFrom(context, withoutCursors(before), until);
    context.log.warn('The position in the audit log was lost; the log was read from its beginning.', {
      ...context.process,
      code: 'audit-position-lost',
      error: error.message,
    });
    return reading;
  }
}

function isRefusedCursor(
  error: unknown,
  { order, tail, unfinished }: AuditPosition,
): error is ServiceStatusError {
  const hasCursor = unfinished?.after !== undefined || (order !== 'newest-first' && tail !== undefined);
  if (!hasCursor || !(error instanceof ServiceStatusError)) return false;
  return error.status !== 401 && error.status !== 403 && !isPassing(error.status);
}

function withoutCursors({ unfinished, ...before }: AuditPosition): AuditPosition {
  const first = unfinished?.isFirst && { unfinished: { ...unfinished, after: undefined } };
  return { ...before, tail: undefined, ...first };
}

/** A newest-first log is read from its head to what is known, an oldest-first one from its last page to its
 *  end, one of unknown order at both ends. If the log does not stand there as it was left, all of it is read. */
async function readFrom(
  context: PassContext,
  before: AuditPosition | undefined,
  until: number,
): Promise<LogReading> {
  const { order = 'unknown', tail, unfinished } = before ?? {};
  const reading = new LogReading(before, context.before.watermark);
  const isFromTail = order === 'oldest-first' && tail !== undefined && !unfinished;
  const head = { after: unfinished?.after, until, isEnough: () => reading.isReadFromHead };
  const hasRest = !isFromTail && (await walk(context, reading, head));
  let isLost = reading.hasLostPlace;
  if (isFromTail || (hasRest && order === 'unknown' && tail !== undefined)) {
    await walk(context, reading, { after: tail, until, isEnough: () => !reading.isMet });
    isLost = !reading.isMet;
  }
  return isLost && before ? readFrom(context, withoutCursors(before), until) : reading;
}

/** Reads pages until they are enough, there is no more time or room, or the log ends.
 *  @returns true if they are enough, and the log continues */
async function walk(
  { service, process, clock, heartbeat }: PassContext,
  reading: LogReading,
  how: { readonly after: string | undefined; readonly until: number; readonly isEnough: () => boolean },
): Promise<boolean> {
  reading.beginWalk(how.after);
  for await (const page of service.auditLog(process.processId, how.after)) {
    reading.add(page);
    await heartbeat.beat();
    if (how.isEnough()) return page.hasNextPage;
    // The first page may be one that an earlier pass has read.
    reading.isCutShort =
      page.hasNextPage && reading.walk.pages > 1 && (reading.isFull || clock() >= how.until);
    if (reading.isCutShort) return false;
  }
  return false;
}
