/** Unique lines, newest first; beyond `max` the oldest are dropped. Immutable, so that a view detects changes by
 *  identity. */
export interface Feed<Line extends { readonly id: string; readonly at: number }> {
  readonly lines: readonly Line[];
  readonly ids: ReadonlySet<string>;
  /** The number of lines that were added at the top. */
  readonly arrived: number;
}

export const MAX_LINES = 10_000;

export function emptyFeed<Line extends { readonly id: string; readonly at: number }>(): Feed<Line> {
  return { lines: [], ids: new Set(), arrived: 0 };
}

/** Adds new lines, given in any order, without duplicates. They are sorted by time. */
export function withNew<Line extends { readonly id: string; readonly at: number }>(
  feed: Feed<Line>,
  added: readonly Line[],
  max = MAX_LINES,
): Feed<Line> {
  const fresh = once(feed.ids, added).toReversed().toSorted(newestFirst);
  if (fresh.length === 0) return feed;
  const newest = feed.lines[0]?.at ?? Number.NEGATIVE_INFINITY;
  const isInOrder = (fresh.at(-1) as Line).at >= newest;
  const all = isInOrder ? [...fresh, ...feed.lines] : [...fresh, ...feed.lines].toSorted(newestFirst);
  return limited(all, feed.arrived + fresh.length, max);
}

/** Adds older lines at the end, up to the limit. */
export function withOlder<Line extends { readonly id: string; readonly at: number }>(
  feed: Feed<Line>,
  older: readonly Line[],
  max = MAX_LINES,
): Feed<Line> {
  const fresh = once(feed.ids, older);
  return fresh.length === 0 ? feed : limited([...feed.lines, ...fresh], feed.arrived, max);
}

function limited<Line extends { readonly id: string; readonly at: number }>(
  all: readonly Line[],
  arrived: number,
  max: number,
): Feed<Line> {
  const lines = all.slice(0, max);
  return { lines, ids: new Set(lines.map(({ id }) => id)), arrived };
}

function once<Line extends { readonly id: string }>(
  known: ReadonlySet<string>,
  lines: readonly Line[],
): Line[] {
  const seen = new Set<string>();
  return lines.filter(({ id }) => !known.has(id) && !seen.has(id) && seen.add(id));
}

function newestFirst(one: { readonly at: number }, other: { readonly at: number }): number {
  return other.at - one.at;
}
