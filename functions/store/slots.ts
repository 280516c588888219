/** No slot is further ahead than this, in ms: as long as the longest run may wait. One that is was booked by a clock that was
 *  ahead. */
export const MAX_SLOT_AHEAD_MS = 15 * 60_000;

/** When each endpoint gets its next message: all runs that serve it share one rate (docs/architecture.md:
 *  `SLOT`). */
export interface Slots {
  /** Books the endpoint's next slot, `interval` ms after the one that was booked before, if it is at most
   *  `within` ms after `now` (ms since 1970). @returns how many ms after `now` it is; undefined where none is
   *  booked */
  reserveSlot(name: string, interval: number, now: number, within: number): Promise<number | undefined>;
}
