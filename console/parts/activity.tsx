import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Activity as ActivityCounts, activity, DIVISIONS, type Division } from '../model/activity.ts';
import type { ChangeLine } from '../model/change-line.ts';
import { counted } from '../model/counted.ts';
import { isFiltered, type LineFilter, ofAllTimes } from '../model/line-filter.ts';
import { addressOf } from '../model/routes.ts';
import { momentText, sizeText } from '../model/time-axis.ts';
import { useStore } from '../state/store.ts';
import { useNow, useWorld } from '../state/use.ts';
import { Bar, Chart, ChartTable } from './chart.tsx';

/** Loaded for the chart; it also shows what is loaded beyond. */
const MIN_LINES = 1_000;
const MINUTE_MS = 60_000;

interface Props {
  readonly filter: LineFilter;
  readonly lines: readonly ChangeLine[];
}

/** The number of changes over time, by type or process. Each bar leads to its changes. */
export function Activity({ filter, lines }: Props) {
  const [by, setBy] = useState<Division>('type');
  const now = Math.floor(useNow() / MINUTE_MS) * MINUTE_MS;
  const isAll = useLoadedLines();
  const counts = useMemo(() => activity(lines, filter, by, now), [lines, filter, by, now]);
  const shown = useMemo(
    () => counts && <Counts counts={counts} by={by} filter={filter} />,
    [counts, by, filter],
  );
  if (!counts) return null;
  return (
    <figure class="activity">
      <figcaption class="quiet">{captionOf(counts, filter, isAll)}</figcaption>
      <select
        class="small"
        aria-label="Colours of the chart"
        value={by}
        onChange={event => setBy(event.currentTarget.value as Division)}
      >
        {DIVISIONS.map(each => (
          <option key={each} value={each}>
            by {each}
          </option>
        ))}
      </select>
      {shown}
    </figure>
  );
}

/** Loads changes until there are MIN_LINES. @returns whether the whole journal is loaded */
function useLoadedLines(): boolean {
  const { live } = useWorld();
  const { feed, older } = useStore(live.store);
  const asked = useRef(0);
  const { length } = feed.lines;
  useEffect(() => {
    // Once for each length, because it stays the same after a failure.
    if (older !== 'more' || length >= MIN_LINES || asked.current === length) return;
    asked.current = length;
    void live.older();
  }, [live, older, length]);
  return older === 'all';
}

interface CountsProps {
  readonly counts: ActivityCounts;
  readonly by: Division;
  readonly filter: LineFilter;
}

function Counts({ counts: { axis, series, parts }, by, filter }: CountsProps) {
  const sums = parts.map(({ counts }) => counts.reduce((sum, one) => sum + one, 0));
  const max = Math.max(0, ...sums);
  const toneOf = (place: number) =>
    series[place]?.key === undefined ? 'series-other' : `series-${place + 1}`;
  const iso = (at: number) => new Date(at).toISOString();
  const addressAt = (at: number, key: string | undefined) =>
    addressOf('now', undefined, {
      ...filter,
      ...(key !== undefined && { [by]: key }),
      since: iso(at),
      until: iso(at + axis.size),
    });
  const [since, until] = [Date.parse(filter.since), Date.parse(filter.until)];
  const isOutside = (at: number) => at + axis.size <= since || at >= until;
  const names = series.map(({ key }) => nameOf(key, by));
  return (
    <>
      <Chart
        axis={axis}
        title={`Events per ${sizeText(axis)}`}
        max={max.toLocaleString('en')}
        legend={names.map((text, place) => ({ tone: toneOf(place), text }))}
      >
        {parts.map(({ at, counts }, part) => (
          <g key={at} class={isOutside(at) ? 'faint' : ''}>
            {counts.map(
              (count, place) =>
                count > 0 && (
                  <a key={place} href={addressAt(at, series[place]?.key)} tabindex={-1}>
                    <title>{`${momentText(at)}: ${count} × ${names[place]}`}</title>
                    <Bar
                      part={part}
                      value={count}
                      below={counts.slice(0, place).reduce((sum, one) => sum + one, 0)}
                      max={max}
                      tone={toneOf(place)}
                    />
                  </a>
                ),
            )}
          </g>
        ))}
      </Chart>
      <ChartTable
        name="Events over time"
        heads={['From', ...names.map(name => <bdi key={name}>{name}</bdi>), 'All']}
        rows={() =>
          parts
            .map(({ at, counts }, part) => ({
              key: String(at),
              sum: sums[part] ?? 0,
              cells: [
                <a key="from" href={addressAt(at, undefined)}>
                  {momentText(at)}
                </a>,
                ...counts.map((count, place) =>
                  count === 0 ? (
                    '–'
                  ) : (
                    <a key={place} href={addressAt(at, series[place]?.key)}>
                      {count}
                    </a>
                  ),
                ),
                sums[part],
              ],
            }))
            .filter(({ sum }) => sum > 0)
            .toReversed()
        }
      />
    </>
  );
}

/** Without the workspace, which the filter needs. */
function nameOf(key: string | undefined, by: Division): string {
  if (key === undefined) return 'other';
  return by === 'type' ? key : key.slice(key.indexOf('/') + 1);
}

function captionOf(
  { compared, since, matching }: ActivityCounts,
  filter: LineFilter,
  isAll: boolean,
): string {
  const all = isAll ? counted(compared, 'event') : `the newest ${counted(compared, 'event')}`;
  const what = isFiltered(ofAllTimes(filter)) ? `${matching.toLocaleString('en')} of ${all}` : all;
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}, since ${momentText(since)}.`;
}
