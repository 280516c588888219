/** When each endpoint takes its next message: all runs that serve it share one rate (design.md §6: `ENDPOINT#<name>`, `SLOT`). */
export interface Slots {
  /** Books the endpoint's next moment to send, `interval` ms after the one booked before. Returns how many ms after `now`
   *  (ms since 1970) it is. */
  reserveSlot(name: string, interval: number, now: number): Promise<number>;
}
