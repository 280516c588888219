/** Lines, newest first, each once; beyond `most` the oldest are dropped. Immutable, so that a view sees
 *  by identity whether anything changed. */
export interface Feed<Line extends { readonly id: string; readonly at: number }> {
  readonly lines: readonly Line[];
  readonly ids: ReadonlySet<string>;
  /** How many lines were added at the top since the feed began. */
  readonly arrived: number;
}

export const MAX_LINES = 10_000;

export function emptyFeed<Line extends { readonly id: string; readonly at: number }>(): Feed<Line> {
  return { lines: [], ids: new Set(), arrived: 0 };
}

/** Adds new lines, given in any order, without those that are there already. A line that became visible
 *  late is put in its place by time. */
export function withNew<Line extends { readonly id: string; readonly at: number }>(
  feed: Feed<Line>,
  came: readonly Line[],
  most = MAX_LINES,
): Feed<Line> {
  const fresh = once(feed.ids, came).toReversed().toSorted(newestFirst);
  if (fresh.length === 0) return feed;
  const newest = feed.lines[0]?.at ?? Number.NEGATIVE_INFINITY;
  const isInOrder = (fresh.at(-1) as Line).at >= newest;
  const all = isInOrder ? [...fresh, ...feed.lines] : [...fresh, ...feed.lines].toSorted(newestFirst);
  return limited(all, feed.arrived + fresh.length, most);
}

/** Adds older lines below, as far as there is room. */
export function withOlder<Line extends { readonly id: string; readonly at: number }>(
  feed: Feed<Line>,
  older: readonly Line[],
  most = MAX_LINES,
): Feed<Line> {
  const fresh = once(feed.ids, older);
  return fresh.length === 0 ? feed : limited([...feed.lines, ...fresh], feed.arrived, most);
}

function limited<Line extends { readonly id: string; readonly at: number }>(
  all: readonly Line[],
  arrived: number,
  most: number,
): Feed<Line> {
  const lines = all.slice(0, most);
  return { lines, ids: new Set(lines.map(({ id }) => id)), arrived };
}

function once<Line extends { readonly id: string }>(
  known: ReadonlySet<string>,
  came: readonly Line[],
): Line[] {
  const seen = new Set<string>();
  return came.filter(({ id }) => !known.has(id) && !seen.has(id) && seen.add(id));
}

function newestFirst(one: { readonly at: number }, other: { readonly at: number }): number {
  return other.at - one.at;
}
