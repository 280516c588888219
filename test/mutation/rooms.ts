/** The rooms that mutation tests hold, in the order of a run. */
export const ROOMS = {
  /** `break`: the score in percent, rounded down, below which the run fails. */
  changes: { break: 100 },
  snapshots: { break: 100 },
  // Its mutants that loop end by a time-out, which a busy machine may blur: one of a hundred is left for that.
  pass: { break: 99 },
} as const;

export type Room = keyof typeof ROOMS;
