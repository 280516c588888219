/** An attribute of a published message, as it stands in an SNS envelope. */
export type Attributes = Readonly<Record<string, { readonly Type: string; readonly Value: string }>>;

/** One event for one endpoint. */
export interface NewDelivery {
  readonly endpoint: string;
  readonly eventId: string;
  /** When it was published, by our clock, ms since 1970. */
  readonly at: number;
  /** The event as it was published, byte for byte. */
  readonly body: string;
  readonly attributes: Attributes;
}

/** A delivery that waits (DESIGN §6: `PENDING`). */
export interface PendingDelivery extends NewDelivery {
  /** Its place in the order of publication; unique. */
  readonly seq: number;
  /** When it is tried next, by our clock; the time of its publication before the first attempt. */
  readonly due: number;
  /** Attempts that failed. */
  readonly attempts: number;
  /** When the first attempt was made, by our clock. */
  readonly triedAt: number | undefined;
}

/** A delivery that was given up (DESIGN §6: `DEAD`); it is kept for 30 days. */
export interface DeadDelivery extends NewDelivery {
  readonly diedAt: number;
  /** Why, in words for people. */
  readonly reason: string;
  readonly attempts: number;
}

/** What waits for an endpoint, and what was given up. */
export interface Standing {
  readonly pending: number;
  /** When the oldest one that waits was published; undefined when none does. */
  readonly oldest: number | undefined;
  readonly dead: number;
}

/** What endpoints have yet to get. Each call happened whole, and outlives whatever crashes, once it has resolved. */
export interface Deliveries {
  /** An event that waits for that endpoint already is not added again. */
  add(deliveries: readonly NewDelivery[]): Promise<void>;
  /** What is due at `now`, but for those that somebody has in hand: the longest due first, at most `limit`. */
  due(endpoint: string, now: number, limit: number, inHand?: readonly number[]): Promise<PendingDelivery[]>;
  /** When the next delivery becomes due after `now`. */
  nextDue(endpoint: string, now: number): Promise<number | undefined>;
  /** An attempt failed at `at`: it is tried again at `due`. */
  putOff(
    endpoint: string,
    seq: number,
    attempt: { readonly at: number; readonly due: number },
  ): Promise<void>;
  /** They are delivered, or of no further interest. */
  remove(endpoint: string, seqs: readonly number[]): Promise<void>;
  /** It is given up: dead instead of pending, in one step. */
  bury(endpoint: string, seq: number, death: { readonly at: number; readonly reason: string }): Promise<void>;
  /** All that was published before `before` is given up. @returns how many */
  buryBefore(
    endpoint: string,
    before: number,
    death: { readonly at: number; readonly reason: string },
  ): Promise<number>;
  /** All that waits is due at `now`. @returns how many that changed */
  bringForward(endpoint: string, now: number): Promise<number>;
  /** Its dead letters are pending again, due at `now`, in the order of their publication. @returns how many */
  revive(endpoint: string, now: number): Promise<number>;
  /** The dead letters, the oldest first, at most `limit`. */
  dead(endpoint: string, limit: number): Promise<DeadDelivery[]>;
  standing(endpoint: string): Promise<Standing>;
  /** Every endpoint that something waits for, or that has dead letters. */
  endpoints(): Promise<string[]>;
  /** Drops dead letters that died before `before`. @returns how many */
  expire(before: number): Promise<number>;
}
