import type { ChangeLine } from './change-line.ts';
import { type LineFilter, lineMatcher, ofAllTimes } from './line-filter.ts';
import { partOf, type TimeAxis, timeAxis } from './time-axis.ts';

/** What distinguishes the changes in a chart: a key of the filter. */
export const DIVISIONS = ['type', 'process'] as const;
export type Division = (typeof DIVISIONS)[number];

/** The changes of a type or process. */
export interface Series {
  /** The value in the filter; undefined for all others together. */
  readonly key: string | undefined;
  readonly count: number;
}

/** The number of changes over time. */
export interface Activity {
  readonly axis: TimeAxis;
  readonly series: readonly Series[];
  /** In each part of the axis: its beginning, and the number of changes of each series. */
  readonly parts: readonly { readonly at: number; readonly counts: readonly number[] }[];
  /** The changes that were compared with the filter, the time of the first of them, and how many matched. */
  readonly compared: number;
  readonly since: number;
  readonly matching: number;
}

/** Each has a colour. */
const MAX_SERIES = 5;

/** Counts the changes that match the filter in any time; undefined without changes.
 *  @param now in ms since 1970 */
export function activity(
  lines: readonly ChangeLine[],
  filter: LineFilter,
  by: Division,
  now: number,
): Activity | undefined {
  const dated = lines.filter(({ at }) => !Number.isNaN(at));
  if (dated.length === 0) return undefined;
  const since = dated.reduce((first, { at }) => Math.min(first, at), Number.POSITIVE_INFINITY);
  const last = dated.reduce((latest, { at }) => Math.max(latest, at), now);
  const axis = timeAxis(since, last);
  const matching = dated.filter(lineMatcher(ofAllTimes(filter)));
  const series = seriesOf(matching, by);
  const places = new Map(series.map(({ key }, place) => [key, place]));
  const parts = Array.from({ length: axis.count }, (_, part) => ({
    at: axis.since + part * axis.size,
    counts: series.map(() => 0),
  }));
  for (const line of matching) {
    const counts = parts[partOf(axis, line.at) ?? -1]?.counts;
    const place = places.get(keyOf(line, by)) ?? places.get(undefined);
    if (counts && place !== undefined) counts[place] = (counts[place] ?? 0) + 1;
  }
  return { axis, series, parts, compared: dated.length, since, matching: matching.length };
}

/** The most frequent keys in alphabetical order, so that their colours do not change with each change. */
function seriesOf(lines: readonly ChangeLine[], by: Division): Series[] {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(keyOf(line, by), (counts.get(keyOf(line, by)) ?? 0) + 1);
  const ranked = [...counts].toSorted(([, one], [, other]) => other - one);
  const others = ranked.slice(MAX_SERIES).reduce((sum, [, count]) => sum + count, 0);
  const named = ranked
    .slice(0, MAX_SERIES)
    .map(([key, count]) => ({ key, count }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  return others > 0 ? [...named, { key: undefined, count: others }] : named;
}

function keyOf({ type, workspace, process }: ChangeLine, by: Division): string {
  return by === 'type' ? type : `${workspace}/${process}`;
}
