/** An attribute of a published message, as in an SNS envelope. */
export type Attributes = Readonly<Record<string, { readonly Type: string; readonly Value: string }>>;

/** One event for one endpoint. */
export interface NewDelivery {
  readonly endpoint: string;
  readonly eventId: string;
  /** Its place in the order of what waits, in ms since 1970: the time of its publication, or of its commit.
   *  Always the same for the same event, however often that comes. */
  readonly at: number;
  /** The event as it was published, byte for byte. */
  readonly body: string;
  readonly attributes: Attributes;
  /** True if it is replayed from the journal. */
  readonly replay?: boolean | undefined;
  /** When it is first tried, by our clock; `at` by default. */
  readonly due?: number | undefined;
  /** Attempts that failed before it was added, and when the first of them was made. */
  readonly attempts?: number | undefined;
  readonly triedAt?: number | undefined;
}

/** A delivery that waits (design.md §6: `PENDING`). */
export interface PendingDelivery extends NewDelivery {
  /** Identifies it among those of its endpoint. */
  readonly place: string;
  /** When it is tried next, by our clock. */
  readonly due: number;
  /** Attempts that failed. */
  readonly attempts: number;
  /** When the first attempt was made, by our clock. */
  readonly triedAt: number | undefined;
}

/** A delivery that was given up (design.md §6: `DEAD`); it is kept for 30 days. */
export interface DeadDelivery extends NewDelivery {
  /** Identifies it among those of its endpoint, in their order. */
  readonly place: string;
  readonly diedAt: number;
  /** Why, in words for people. */
  readonly reason: string;
  readonly attempts: number;
}

/** When and why a delivery was given up. */
export interface Death {
  /** In ms since 1970, by our clock. */
  readonly at: number;
  readonly reason: string;
}

/** How many deliveries wait for an endpoint, and how many were given up. */
export interface DeliveryCounts {
  readonly pending: number;
  /** When the oldest that waits was published; undefined when none waits. */
  readonly oldest: number | undefined;
  /** The same of replayed deliveries; undefined also where a store did not look that far. */
  readonly oldestReplayed?: number | undefined;
  readonly dead: number;
}

/** One attempt (design.md §6: `ATTEMPT`). */
export interface Attempt {
  readonly endpoint: string;
  /** When it began, in ms since 1970 by our clock. */
  readonly at: number;
  /** The events that it sent: one, or the several of a chat message. */
  readonly events: readonly SentEvent[];
  /** The origin of the address that it was sent to; absent for attempts of earlier versions. */
  readonly origin?: string | undefined;
  /** Absent where no answer came. */
  readonly status?: number | undefined;
  /** Why it failed, in words; absent for an attempt that succeeded, whatever its `status`. */
  readonly failure?: string | undefined;
  /** ms until the answer, or until it was given up. */
  readonly took: number;
  /** Of a failed attempt, some headers of the answer, made harmless. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The first 1 KB of the answer, made harmless. */
  readonly answer?: string | undefined;
}

/** The thread of a project's messages in a chat. */
export interface Thread {
  readonly channel: string;
  /** The first message, by the name that the chat gave it. */
  readonly ts: string;
  /** By our clock, in ms since 1970: it is kept for 90 days after that. */
  readonly usedAt: number;
}

/** An event in an attempt. */
interface SentEvent {
  readonly id: string;
  readonly type: string;
  /** The `at` of its delivery, by which `attemptsOf` finds the attempt; not kept. Absent for a test event. */
  readonly at?: number | undefined;
}
