import type { JsonObject } from '../basics/json.ts';
import { isPassing, ServiceStatusError } from '../service/errors.ts';
import type { AuditPosition } from '../snapshots/state.ts';
import type { Reader } from './reader.ts';
import { WalkedPages } from './walked-pages.ts';

export interface AuditRead {
  /** The entries that are new since the log was last read. */
  readonly entries: readonly JsonObject[];
  /** When the last page of them was read, by the service's clock where it tells it, in ms since 1970; 0 where none was. */
  readonly readAt: number;
  /** Up to where the log is read now. While it can't be read: as before; undefined if it never could. */
  readonly position: AuditPosition | undefined;
  /** True when it can't be read. */
  readonly isDenied?: boolean;
}

/** Reads what is new in the audit log (service-api.md §4 #3). With a known order this mostly takes one request: a
 *  newest-first log is read from its head to the first known entry, an oldest-first log from its last page on. With an
 *  unknown order both ends are read, and where new entries appear tells the order. A first reading only finds out where
 *  the log stands: none of its entries counts as new. */
export async function readAudit(reader: Reader, position: AuditPosition | undefined): Promise<AuditRead> {
  if (reader.parts.settings.auditLog === false) return { entries: [], readAt: 0, position, isDenied: true };
  try {
    return await read(reader, position);
  } catch (error) {
    if (!(error instanceof ServiceStatusError)) throw error;
    if (error.status === 403 || (error.status === 404 && position?.tail === undefined))
      return denied(reader, error, position);
    if (position?.tail === undefined || error.status === 401 || isPassing(error.status)) throw error;
    return lost(reader, error, position);
  }
}

function denied(reader: Reader, error: ServiceStatusError, position: AuditPosition | undefined): AuditRead {
  const message =
    'The audit log can not be read. Polling goes on without it: task edits that leave their project’s update time ' +
    'alone, and deletions, are then told by the next sweep.';
  reader.reports.once('audit-denied', message, { error: error.message });
  return { entries: [], readAt: 0, position, isDenied: true };
}

/** The service refuses the cursor that was kept: starts again without one, if the log can be read at all. */
async function lost(reader: Reader, error: ServiceStatusError, position: AuditPosition): Promise<AuditRead> {
  try {
    const afresh = await read(reader, undefined);
    const message = 'The place in the audit log is lost; what it told meanwhile is left to the next sweep.';
    reader.parts.log.warn(message, { code: 'audit-position-lost', error: error.message });
    return afresh;
  } catch (refusal) {
    if (refusal instanceof ServiceStatusError && (refusal.status === 403 || refusal.status === 404))
      return denied(reader, refusal, position);
    throw refusal;
  }
}

async function read(reader: Reader, position: AuditPosition | undefined): Promise<AuditRead> {
  const walked = new WalkedPages(position);
  // While the order is unknown, and the log was one page long, new entries may have come after that page: even when all of
  // its entries are known, the next page must be read.
  const isOnlyPage = position?.order === 'unknown' && position.tail === undefined;
  if (position?.order !== 'oldest-first') {
    await walkPages(reader, walked, undefined, () =>
      position ? !isOnlyPage && walked.reachesKnown : walked.isNewestFirst,
    );
  }
  const hasTail = position?.order === 'oldest-first' || position?.tail !== undefined;
  if (hasTail) await walkPages(reader, walked, position.tail);
  if (walked.isOverfull) {
    const message =
      'The audit log has more new entries than can be held; what the others tell is left to the next sweep.';
    reader.parts.log.warn(message, {
      ...reader.parts.process,
      code: 'audit-overfull',
      held: walked.fresh.length,
    });
  }
  return { entries: walked.fresh, readAt: walked.readAt, position: walked.position };
}

async function walkPages(
  reader: Reader,
  walked: WalkedPages,
  after: string | undefined,
  isEnough?: () => boolean,
): Promise<void> {
  const { service, process } = reader.parts;
  for await (const page of service.auditLog(process.processId, after)) {
    walked.add(page);
    await reader.heartbeat.beat();
    if (isEnough?.()) return;
  }
}
