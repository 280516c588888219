import type { EndpointSettings } from '../endpoints/endpoint.ts';

/** An endpoint as its row holds it (design.md §6: `ENDPOINTS`). */
export interface EndpointRow {
  readonly name: string;
  /** Undefined: it stands in the configuration, and the row tells of its health alone. */
  readonly settings?: EndpointSettings | undefined;
  readonly health: Health;
  /** Of one of a local run's configuration: its settings, for who looks at the rows alone. */
  readonly configured?: EndpointSettings | undefined;
  /** What is being added to its deliveries from the journal. */
  readonly replay?: Replay | undefined;
}

/** Events of the journal that an endpoint gets once more, and how far that is. Times in ms since 1970, by our clock. */
export interface Replay {
  readonly id: string;
  /** Committed from then on. */
  readonly since: number;
  /** And before that. */
  readonly until: number;
  /** Of these types; undefined: of all. */
  readonly types?: readonly string[] | undefined;
  /** Of these processes; undefined: of all. */
  readonly processes?: readonly string[] | undefined;
  /** As far as the journal was read; undefined: not yet. */
  readonly position?: string | undefined;
  /** Deliveries that were added. */
  readonly added: number;
  readonly startedAt: number;
}

/** What all runs that serve one endpoint must know. All times in ms since 1970, by our clock. */
export interface Health {
  /** By an operator: nothing is sent. */
  readonly paused?: { readonly at: number } | undefined;
  /** By itself, or after days of failure: nothing is sent until an operator resumes it. */
  readonly stopped?: { readonly at: number; readonly reason: string } | undefined;
  /** Attempts that failed in a row, and when the first of them did. */
  readonly failures?: { readonly count: number; readonly since: number } | undefined;
  /** It fails: one probe at a time is sent. */
  readonly failing?: { readonly since: number; readonly probes: number } | undefined;
  /** Nothing is sent before: its next probe, what its `Retry-After` asked for, or an attempt that takes long. */
  readonly notBefore?: number | undefined;
  /** Deliveries wait in rows. */
  readonly waiting?: Waiting | undefined;
  /** While none wait: how often some were added until then. The count never begins anew, so that nobody takes it for an older one. */
  readonly added?: number | undefined;
  /** A run sends what waits, until then: no other does. */
  readonly draining?: { readonly by: string; readonly until: number } | undefined;
}

/** What is known of an endpoint's rows without reading them. */
export interface Waiting {
  /** How often some were added: who finds none left forgets them only if this is as it was. */
  readonly added: number;
  /** When the next of them is tried. */
  readonly due: number;
  /** New deliveries wait behind them. */
  readonly first: boolean;
}

/** The registry of endpoints. */
export interface EndpointRows {
  /** All of them, by name. */
  list(): Promise<EndpointRow[]>;
  read(name: string): Promise<EndpointRow | undefined>;
  /** Reads the row, and writes what `decide` makes of it unless somebody else was first: then both again. `decide` answers
   *  undefined to leave it as it is, and `removed` to remove it. @returns the row as it is then */
  change(name: string, decide: Decide): Promise<EndpointRow | undefined>;
}

export type Decide = (row: EndpointRow | undefined) => EndpointRow | 'removed' | undefined;
