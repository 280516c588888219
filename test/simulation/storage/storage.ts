import type { DynamoDBRecord } from 'aws-lambda';
import type { Clock, Sleep } from '../../../functions/basics/clock.ts';
import type { TickPasses } from '../../../functions/handlers/create-tick.ts';
import type {
  Deliveries,
  EndpointRows,
  JournalReader,
  Slots,
  Snapshots,
  Store,
  TickClaims,
  TickProgresses,
  WorkspaceRows,
} from '../../../functions/store/store.ts';
import type { Life } from '../life.ts';
import type { Item } from '../models/table.ts';
import type { RestoreStep } from '../plan.ts';
import type { PortCall } from '../port-calls.ts';

/** A call of a pass, or the claim of a tick. */
export type StorageCall = PortCall | 'claim';

/** A process that reaches the storage. */
export interface Reaching {
  readonly life: Life;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** Called after each call that arrived, with whether it was carried out, and the process that it is about. */
  readonly ran: (call: StorageCall | undefined, isDone: boolean, processId: string | undefined) => void;
  /** Whether the plan lets the writing of a row for this event fail now. */
  readonly refusesRow?: (eventId: string) => boolean;
}

/** The ports of storage as one process has them. */
export interface Ports {
  readonly snapshots: Snapshots;
  readonly rows: EndpointRows;
  readonly deliveries: Deliveries;
  readonly slots: Slots;
  readonly journal: JournalReader;
  readonly remember: Required<TickPasses>['remember'];
  readonly claims: TickClaims;
  readonly progress: TickProgresses;
  readonly workspaces: WorkspaceRows;
}

/** The kinds of rows that expire. */
export type Expiring = 'change' | 'tombstone' | 'entry' | 'delivery' | 'dead letter' | 'attempt';

/** What the storage held at one moment. */
export interface Backup {
  readonly items: readonly Item[];
  /** Makes the storage hold this again, as an operator's restore does. */
  restore(how: RestoreStep['how']): void;
}

/** The database of a simulated world. Whichever it is, the oracles see its content as items of the table, and its writes as records of the
 *  table's stream. */
export interface Storage {
  /** The writes so far, in their order. */
  readonly stream: readonly DynamoDBRecord[];
  items(): Iterable<Item>;
  backup(): Backup;
  /** Deletes what has expired at `now`, in ms since 1970, as if all of it had been published. @returns the names of the kinds of rows that are left, of those that expire */
  expire(now: number): ReadonlyMap<Expiring, number>;
  /** Releases the hold of a process, as an operator does. */
  release(processId: string): void;
  reachedBy(reaching: Reaching): Ports;
  /** Reads what is stored, without faults and delays. */
  readonly readers: Pick<Store, 'snapshots' | 'states' | 'journal'>;
  /** Whether one process of one machine uses it, as that of `npm start`. */
  readonly isLocal: boolean;
}
