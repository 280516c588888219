/** A delivery that a run has in hand: from the queue, or from its row. */
export interface Held {
  /** Identifies it within the run: the id of its message, or the place of its row. */
  readonly id: string;
  /** The event's id; of a message that holds no event, the message's id. */
  readonly eventId: string;
  /** The event, byte for byte. */
  readonly body: string;
  /** Its place in the order of deliveries, in ms since 1970. */
  readonly at: number;
  /** When it was first tried, in ms since 1970; undefined if it was not. */
  readonly triedAt: number | undefined;
  /** Attempts that failed. */
  readonly attempts: number;
  /** True if it is sent once more, out of the journal. */
  readonly replay?: boolean | undefined;
}
