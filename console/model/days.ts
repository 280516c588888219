import type { Entry } from './history.ts';

/** Entries of a local day. */
export interface Day {
  readonly key: string;
  /** Local midnight, in ms since 1970. */
  readonly at: number;
  readonly entries: readonly Entry[];
}

/** Groups entries by day, in the order given. */
export function byDay(entries: readonly Entry[]): Day[] {
  const days = Map.groupBy(entries, ({ line }) => new Date(line.at).setHours(0, 0, 0, 0));
  return [...days].map(([at, ofDay]) => ({ key: String(at), at, entries: ofDay }));
}
