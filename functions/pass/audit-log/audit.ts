import type { AuditPosition } from '../../model/process-state.ts';
import { isPassing, ServiceStatusError } from '../../service/errors.ts';
import type { PassContext } from '../context/context.ts';
import type { AuditRead } from './audit-read.ts';
import { readEntries } from './read-entries.ts';
import { walkLog } from './walk-log.ts';

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
