/** An attribute of a published message, as it stands in an SNS envelope. */
export type Attributes = Readonly<Record<string, { readonly Type: string; readonly Value: string }>>;

/** One event for one endpoint. */
export interface NewDelivery {
  readonly endpoint: string;
  readonly eventId: string;
  /** Its place in the order of what waits, in ms since 1970: the time of its publication, or of its commit. The same event
   *  has the same, however often it comes. */
  readonly at: number;
  /** The event as it was published, byte for byte. */
  readonly body: string;
  readonly attributes: Attributes;
  /** It was asked for once more, from the journal. */
  readonly replay?: boolean | undefined;
  /** When it is tried first, by our clock; `at` by default. */
  readonly due?: number | undefined;
  /** Attempts that failed before it was added, and when the first was made. */
  readonly attempts?: number | undefined;
  readonly triedAt?: number | undefined;
}

/** A delivery that waits (design.md §6: `PENDING`). */
export interface PendingDelivery extends NewDelivery {
  /** Its name among those of its endpoint. */
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
  /** Its place in the order of those of its endpoint. */
  readonly place: string;
  readonly diedAt: number;
  /** Why, in words for people. */
  readonly reason: string;
  readonly attempts: number;
}

/** How a delivery dies. */
export interface Death {
  /** In ms since 1970, by our clock. */
  readonly at: number;
  readonly reason: string;
}

/** What waits for an endpoint, and what was given up. */
export interface Standing {
  readonly pending: number;
  /** When the oldest one that waits was published; undefined when none does. */
  readonly oldest: number | undefined;
  readonly dead: number;
}

/** One attempt (design.md §6: `ATTEMPT`); it is kept for 7 days. */
export interface Attempt {
  readonly endpoint: string;
  /** When it began, in ms since 1970 by our clock. */
  readonly at: number;
  /** The events that it told: one, or several of a chat's message. */
  readonly events: readonly { readonly id: string; readonly type: string }[];
  /** Absent where no answer came. */
  readonly status?: number | undefined;
  /** Why it failed, in words; absent for one that did not. */
  readonly failure?: string | undefined;
  /** ms until the answer, or until it was given up. */
  readonly took: number;
  /** The first 1 KB of the answer, made harmless. */
  readonly answer?: string | undefined;
}

/** Some of an endpoint's attempts; times in ms since 1970. */
export interface AttemptStretch {
  /** Begun then, or later. */
  readonly since?: number | undefined;
  /** Begun before. */
  readonly until?: number | undefined;
  /** Older than this one; with `oldestFirst`, newer. */
  readonly behind?: Pick<Attempt, 'at' | 'events'> | undefined;
  readonly oldestFirst?: boolean | undefined;
}

/** What endpoints have yet to get. Each call happened whole, or its deliveries one by one, and what happened outlives whatever
 *  crashes once the call has resolved. */
export interface Deliveries {
  /** An event that waits for that endpoint already is not added again. */
  add(deliveries: readonly NewDelivery[]): Promise<void>;
  /** What is due at `now`, but for those that somebody has in hand, in the order of publication, at most `limit`. */
  due(endpoint: string, now: number, limit: number, inHand?: readonly string[]): Promise<PendingDelivery[]>;
  /** The delivery of one event, if it waits. */
  find(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>): Promise<PendingDelivery | undefined>;
  /** When the next delivery becomes due after `now`. */
  nextDue(endpoint: string, now: number): Promise<number | undefined>;
  /** An attempt failed at `at`: it is tried again at `due`. */
  putOff(
    endpoint: string,
    place: string,
    attempt: { readonly at: number; readonly due: number },
  ): Promise<void>;
  /** They are delivered, or of no further interest. */
  remove(endpoint: string, places: readonly string[]): Promise<void>;
  /** The same by their events: what may wait in a row, though it was delivered from elsewhere. */
  forget(deliveries: readonly Pick<NewDelivery, 'endpoint' | 'at' | 'eventId'>[]): Promise<void>;
  /** It is given up: dead instead of pending. */
  bury(endpoint: string, place: string, death: Death): Promise<void>;
  /** All that was published before `before` is given up. @returns how many */
  buryBefore(endpoint: string, before: number, death: Death): Promise<number>;
  /** What never waited in a row is given up. */
  addDead(delivery: NewDelivery, death: Death): Promise<void>;
  /** All that waits is due at `now`. @returns how many that changed */
  bringForward(endpoint: string, now: number): Promise<number>;
  /** Its dead letters, or those of one event, are pending again, due at `now`, in the order of their publication, at most `limit`. What is
   *  asked for by its event goes out as a replay does. @returns how many */
  revive(endpoint: string, now: number, eventId?: string, limit?: number): Promise<number>;
  /** The dead letters, the oldest first, at most `limit`, behind the place of one of them. */
  dead(endpoint: string, limit: number, behind?: string): Promise<DeadDelivery[]>;
  /** The dead letter of one event, if there is one. */
  findDead(endpoint: string, event: Pick<NewDelivery, 'eventId' | 'at'>): Promise<DeadDelivery | undefined>;
  /** Each counted up to `atMost`; all by default. */
  standing(endpoint: string, atMost?: number): Promise<Standing>;
  /** Writes down attempts. */
  note(attempts: readonly Attempt[]): Promise<void>;
  /** The last attempts, the newest first, at most `limit`. */
  attempts(endpoint: string, limit: number, stretch?: AttemptStretch): Promise<Attempt[]>;
}
