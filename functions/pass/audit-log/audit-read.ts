import type { JsonObject } from '../../basics/json.ts';
import type { AuditPosition } from '../../model/process-state.ts';
import type { LogEntry } from './placed-entries.ts';

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
