import type { JsonObject } from '../basics/json.ts';
import { isPassing, ServiceStatusError } from '../service/errors.ts';
import type { AuditPosition } from '../snapshots/state.ts';
import type { Reader } from './reader.ts';
import { WalkedPages } from './walked-pages.ts';

export interface AuditRead {
  /** The entries that were not there when the log was last read. */
  readonly entries: readonly JsonObject[];
  /** Where the log stands now: as before, while it can't be read; undefined when it never could. */
  readonly position: AuditPosition | undefined;
  /** True when it can't be read. */
  readonly isDenied?: boolean;
}

/** What is new in the audit log (service-api.md §4 #3). An order that we know costs one request: newest-first is read
 *  from its head until a known entry, oldest-first from its last page on. An unknown order is read at both ends; where new
 *  entries come then tells the order. A first reading finds the end and calls nothing new. */
export async function readAudit(reader: Reader, position: AuditPosition | undefined): Promise<AuditRead> {
  if (reader.parts.settings.auditLog === false) return { entries: [], position, isDenied: true };
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
  return { entries: [], position, isDenied: true };
}

/** The service no longer knows the cursor that we kept, or no longer shows the log at all. */
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
  // A log that was one page long, its order unknown, may have grown behind that page, though all of it is known.
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
  return { entries: walked.fresh, position: walked.position };
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
