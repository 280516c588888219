/** When each endpoint gets its next message: all runs that serve it share one rate (docs/architecture.md:
 *  `SLOT`). */
export interface Slots {
  /** Books the endpoint's next slot, `interval` ms after the one that was booked before. @returns how many ms
   *  after `now` (ms since 1970) it is */
  reserveSlot(name: string, interval: number, now: number): Promise<number>;
}
