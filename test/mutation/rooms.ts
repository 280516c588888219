/** The rooms that mutation tests hold, in the order of a run. */
export const ROOMS = {
  /** `break`: the score in percent, rounded down, below which the run fails. */
  changes: { break: 100 },
  snapshots: { break: 100 },
  // Not looked through yet: a threshold follows its first whole run.
  pass: { break: 0 },
} as const;

export type Room = keyof typeof ROOMS;
