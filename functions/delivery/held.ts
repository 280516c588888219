/** A delivery that a run has in hand: from the queue, or from its row. */
export interface Held {
  /** Its name in this run. */
  readonly id: string;
  /** Of what is no event: the id of its message. */
  readonly eventId: string;
  /** The event, byte for byte. */
  readonly body: string;
  /** Its place in the order of deliveries, in ms since 1970. */
  readonly at: number;
  /** When it was tried first, in ms since 1970; undefined: it was not. */
  readonly triedAt: number | undefined;
  /** Attempts that failed. */
  readonly attempts: number;
  /** It was asked for once more, from the journal. */
  readonly replay?: boolean | undefined;
}
