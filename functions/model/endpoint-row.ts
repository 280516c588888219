import type { ProcessKey } from '../basics/process.ts';
import type { EndpointSettings } from './endpoint.ts';
import type { HealthEvent } from './event.ts';
import type { WindowState } from './windows.ts';

/** An endpoint as its row holds it (design.md §6: `ENDPOINTS`). */
export interface EndpointRow {
  readonly name: string;
  /** Undefined for an endpoint of the configuration: its row holds its health alone. */
  readonly settings?: EndpointSettings | undefined;
  readonly health: Health;
  /** When it was added, in ms since 1970: deliveries that were sent before are for an earlier endpoint of this
   *  name. Undefined for one of the configuration, and for rows of earlier versions. */
  readonly addedAt?: number | undefined;
  /** When its secret was last written by an operation, in ms since 1970. Undefined if it never was: it was
   *  put into its store by hand, or before rows had this. */
  readonly secretRevision?: number | undefined;
  /** The operation `by` adds or removes it, or changes its secret; until then (ms since 1970) no other one does. */
  readonly secretClaim?: { readonly by: string; readonly until: number } | undefined;
  /** The origin of its address, for people: path and query may be secret. Undefined until an operation or a
   *  delivery noted it. */
  readonly origin?: string | undefined;
  /** On one machine, the settings of an endpoint of the configuration: commands that open the store without
   *  the configuration take them from here. */
  readonly configured?: EndpointSettings | undefined;
  /** The replay under way. */
  readonly replay?: Replay | undefined;
  /** The last replay of which all deliveries were added; they may still wait. */
  readonly replayed?: Replay | undefined;
  /** The snapshot under way. */
  readonly snapshot?: SnapshotJob | undefined;
  /** The last snapshot of which all deliveries were added; they may still wait. */
  readonly snapshotted?: SnapshotJob | undefined;
}

/** A snapshot: the current state of all records, which is sent to an endpoint process by process. */
export interface SnapshotJob {
  readonly id: string;
  /** The processes that are left, the current one first. */
  readonly processes: readonly ProcessKey[];
  /** Only this project of the process. */
  readonly project?: string | undefined;
  /** How far the current process was read; undefined: not begun. */
  readonly position?: SnapshotPosition | undefined;
  /** How many deliveries were added. */
  readonly added: number;
  /** In ms since 1970, by our clock. */
  readonly startedAt: number;
}

interface SnapshotPosition {
  /** The last project that was read, in the order of `byKey`. */
  readonly project?: string | undefined;
  /** Of that project, the tasks up to this one; undefined: all. */
  readonly task?: string | undefined;
  /** The projects and tasks that were named. */
  readonly projects: number;
  readonly tasks: number;
  /** The end of the process's baseline, in ms since 1970: after another one, its records are no longer those that were
   *  read. */
  readonly baselinedAt?: number | undefined;
  /** All were read: the end with these numbers is left to add. If it were added with the last records, and that were
   *  repeated after a crash, the same event could have other numbers. */
  readonly isRead?: true;
}

/** A replay: events of the journal that are sent to an endpoint again. Times in ms since 1970, by our clock. */
export interface Replay {
  readonly id: string;
  /** Committed at this time or later. */
  readonly since: number;
  /** Committed before this time. */
  readonly until: number;
  /** Only these types; undefined: all. */
  readonly types?: readonly string[] | undefined;
  /** Only these processes; undefined: all. */
  readonly processes?: readonly string[] | undefined;
  /** How far the journal was read; undefined: not begun. */
  readonly position?: string | undefined;
  /** How many deliveries were added. */
  readonly added: number;
  readonly startedAt: number;
}

/** The health of an endpoint, shared by all runs that serve it. Times in ms since 1970, by our clock. */
export interface Health {
  /** An operator paused it: nothing is sent. */
  readonly paused?: { readonly at: number } | undefined;
  /** When an operator last ended a pause, of an endpoint of kind pull. */
  readonly resumedAt?: number | undefined;
  /** It answered 410, or failed for days: nothing is sent until an operator resumes it. */
  readonly stopped?: { readonly at: number; readonly reason: string } | undefined;
  /** Attempts that failed in a row, and when the first of them did. `depth`: the smallest of their events. `slowedAt`:
   *  when one was last answered with a request for a pause. */
  readonly failures?:
    | {
        readonly count: number;
        readonly since: number;
        readonly depth?: number | undefined;
        readonly slowedAt?: number | undefined;
      }
    | undefined;
  /** It fails: nothing but one probe at a time is sent. `idle`: ms that do not count, because no probe was made. */
  readonly failing?:
    | { readonly since: number; readonly probes: number; readonly idle?: number | undefined }
    | undefined;
  /** Nothing is sent before this: the time of its next probe, that of its `Retry-After`, or the latest end of
   *  a slow attempt. */
  readonly notBefore?: number | undefined;
  /** Set while deliveries wait in rows. */
  readonly waiting?: Waiting | undefined;
  /** While none wait: the last value of `waiting.added`. Counting continues from there, so that a run that
   *  still knows an old count never takes a later one for it. */
  readonly added?: number | undefined;
  /** The run `by` sends what waits, until then; no other run does. */
  readonly draining?: { readonly by: string; readonly until: number } | undefined;
  /** Between two turns of sending: the endpoint has accepted everything since then. After `until` it counts
   *  no more. */
  readonly pace?: { readonly since: number; readonly until: number } | undefined;
  readonly window?: WindowState | undefined;
  /** The reports of its health to other endpoints. */
  readonly reports?: Reports | undefined;
}

/** The reports of an endpoint's health (`delivery/reports.ts`). */
export interface Reports {
  /** Not yet added to the deliveries of the other endpoints, oldest first. */
  readonly open?: readonly Report[] | undefined;
  /** The problem that was reported last, until the endpoint accepts an event again. */
  readonly problem?:
    | { readonly as: 'failing' | 'stopped'; readonly since: number; readonly depth: number }
    | undefined;
  /** Deliveries that were given up, and are not yet reported. */
  readonly givenUp?: { readonly count: number; readonly since: number; readonly reason: string } | undefined;
  /** The version of the last report: each has a larger one. */
  readonly version?: number | undefined;
}

/** One event about an endpoint's health, from which it is made each time alike. */
export interface Report {
  readonly type: HealthEvent['type'];
  readonly version: number;
  /** 0 if changes could not be delivered, 1 if only events about the health of endpoints. */
  readonly depth: number;
  readonly at: number;
  readonly since: number;
  readonly reason?: string | undefined;
  readonly deliveries?: number | undefined;
  readonly origin?: string | undefined;
}

/** What a run knows of an endpoint's waiting deliveries without reading their rows. */
interface Waiting {
  /** How often deliveries were added. A run that finds nothing due changes `waiting` only if this has not
   *  changed since it read the row. */
  readonly added: number;
  /** When the next of them is due. */
  readonly due: number;
  /** True when new deliveries must wait for them. */
  readonly first: boolean;
}
