/** An attribute of a published message, as it stands in an SNS envelope. */
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
  /** True if it is sent once more, out of the journal. */
  readonly replay?: boolean | undefined;
  /** When it is first tried, by our clock; `at` by default. */
  readonly due?: number | undefined;
  /** Attempts that failed before it was added, and when the first of them was made. */
  readonly attempts?: number | undefined;
  readonly triedAt?: number | undefined;
}

/** A delivery that waits (docs/architecture.md: `PENDING`). */
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

/** A delivery that was given up (docs/architecture.md: `DEAD`); it is kept for 30 days. */
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
export interface Standing {
  readonly pending: number;
  /** When the oldest that waits was published; undefined when none waits. */
  readonly oldest: number | undefined;
  /** The same of replayed deliveries; undefined also where a store did not look that far. */
  readonly oldestReplayed?: number | undefined;
  readonly dead: number;
}

/** One attempt (docs/architecture.md: `ATTEMPT`); it is kept for 7 days. */
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
  /** Why it failed, in words; absent for one that did not. */
  readonly failure?: string | undefined;
  /** ms until the answer, or until it was given up. */
  readonly took: number;
  /** The first 1 KB of the answer, made harmless. */
  readonly answer?: string | undefined;
}

/** An event in an attempt. */
interface SentEvent {
  readonly id: string;
  readonly type: string;
  /** The `at` of its delivery, by which `attemptsOf` finds the attempt; not kept. Absent for a test event. */
  readonly at?: number | undefined;
}

/** Which of an endpoint's attempts are wanted; times in ms since 1970. */
export interface AttemptStretch {
  /** Begun then, or later. */
  readonly since?: number | undefined;
  /** Begun before. */
  readonly until?: number | undefined;
  /** Older than this one; with `oldestFirst`, newer. */
  readonly behind?: Pick<Attempt, 'at' | 'events'> | undefined;
  readonly oldestFirst?: boolean | undefined;
}

/** Deliveries that wait in rows, dead letters, and attempts. A call takes effect as a whole or for some of
 *  its deliveries, and lasts through any crash once it has resolved. */
export interface Deliveries {
  /** Adds deliveries. An event that waits for its endpoint already is not added again, except that a store may
   *  hold it once live and once replayed. */
  add(deliveries: readonly NewDelivery[]): Promise<void>;
  /** The deliveries that are due at `now`, without those at the places `inHand`, in the order of publication,
   *  but all live ones before replayed ones; at most `limit`. */
  due(endpoint: string, now: number, limit: number, inHand?: readonly string[]): Promise<PendingDelivery[]>;
  /** The delivery of one event, if it waits. */
  find(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>): Promise<PendingDelivery | undefined>;
  /** When the next delivery becomes due after `now`. */
  nextDue(endpoint: string, now: number): Promise<number | undefined>;
  /** Notes that an attempt failed at `at`, and that the next is made at `due`. */
  putOff(
    endpoint: string,
    place: string,
    attempt: { readonly at: number; readonly due: number },
  ): Promise<void>;
  /** Removes deliveries that succeeded, or that are no longer wanted. */
  remove(endpoint: string, places: readonly string[]): Promise<void>;
  /** The same by event, for deliveries from the queue that may have a row as well. */
  forget(deliveries: readonly Pick<NewDelivery, 'endpoint' | 'at' | 'eventId' | 'replay'>[]): Promise<void>;
  /** Gives up a delivery that waits: dead instead of pending. */
  bury(endpoint: string, place: string, death: Death): Promise<void>;
  /** Gives up all that was published before `before`. @returns how many */
  buryBefore(endpoint: string, before: number, death: Death): Promise<number>;
  /** Gives up a delivery that never waited in a row. */
  addDead(delivery: NewDelivery, death: Death): Promise<void>;
  /** Makes all that is due later due at `now`. @returns how many these were */
  bringForward(endpoint: string, now: number): Promise<number>;
  /** Makes dead letters pending again, due at `now`, in the order of their publication, at most `limit`: all
   *  of the endpoint's, or that of one event. The latter is then sent as a replay. @returns how many */
  revive(endpoint: string, now: number, eventId?: string, limit?: number): Promise<number>;
  /** The dead letters, the oldest first, at most `limit`, after the one at the place `behind`. */
  dead(endpoint: string, limit: number, behind?: string): Promise<DeadDelivery[]>;
  /** The dead letter of one event, if there is one. */
  findDead(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>): Promise<DeadDelivery | undefined>;
  /** Counts what waits and what was given up, each up to `atMost`; all by default. */
  standing(endpoint: string, atMost?: number): Promise<Standing>;
  /** Keeps attempts. */
  note(attempts: readonly Attempt[]): Promise<void>;
  /** The last attempts, the newest first, at most `limit`. */
  attempts(endpoint: string, limit: number, stretch?: AttemptStretch): Promise<Attempt[]>;
  /** The last attempts that sent one event, the oldest first, at most `limit`. What it costs does not grow with
   *  the number of the endpoint's attempts. */
  attemptsOf(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>, limit: number): Promise<Attempt[]>;
}

/** An attempt as it is kept, as JSON. */
export function keptAttempt({ events, ...attempt }: Attempt): string {
  return JSON.stringify({ ...attempt, events: events.map(({ id, type }) => ({ id, type })) });
}
