import type { JsonObject } from '../basics/json.ts';
import type { Actor, AuditEvent } from '../model/event.ts';
import { auditEventId } from '../model/event-id.ts';
import { type EventOrigin, envelope } from './build-events.ts';
import { fitAuditEvent } from './fit-audit-event.ts';

/** An entry of the audit log, and what was found in it. */
export interface ReadEntry {
  /** The entry's digest: two entries of the same content are one. */
  readonly id: string;
  readonly entry: JsonObject;
  readonly projects: readonly string[];
  readonly tasks: readonly AuditEvent['data']['tasks'][number][];
  readonly users: readonly Actor[];
}

/** The events of one announcement about audit entries, in their order, each at most 240 KB; `at` is when the entries were
 *  read, in ms since 1970. The same input gives the same bytes. */
export function auditEvents(
  origin: EventOrigin,
  entries: readonly ReadEntry[],
  { version, at }: { readonly version: number; readonly at: number },
): AuditEvent[] {
  return entries.map(({ id, entry, projects, tasks, users }) =>
    fitAuditEvent({
      ...envelope({ ...origin, version }, 0, { after: at, before: at }),
      id: auditEventId(origin.processId, id),
      type: 'audit.recorded',
      data: {
        process: { id: origin.processId },
        entry,
        projects: projects.map(project => ({ id: project })),
        tasks: [...tasks],
        users: [...users],
      },
    }),
  );
}
