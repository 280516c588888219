import { useMemo, useRef } from 'preact/hooks';
import type { EndpointStatus } from '../../functions/operations/protocol/status.ts';
import { counted } from '../model/counted.ts';
import { type DeliveryPicture, deliveryPicture } from '../model/delivery-picture.ts';
import { momentText, sizeText } from '../model/time-axis.ts';
import { about } from '../model/times.ts';
import { type LastAttempts, PAGE, readLastAttempts } from '../state/last-attempts.ts';
import { type Asked, useAsked, useWorld } from '../state/use.ts';
import { Bar, Chart, ChartTable, Line, PLOT_HEIGHT } from './chart.tsx';
import { Failed, Loading } from './states.tsx';

const EVERY_MS = 60_000;

function useLastAttempts(endpoint: string): Asked<LastAttempts> {
  const { session } = useWorld();
  const known = useRef<LastAttempts | undefined>(undefined);
  return useAsked(
    `charts ${endpoint}`,
    async signal => {
      known.current = await readLastAttempts(
        known.current,
        place => session.ask({ operation: 'attempts', endpoint, limit: PAGE, ...place }, signal),
        Date.now(),
      );
      return known.current;
    },
    EVERY_MS,
  );
}

/** Success, latency and waiting times of an endpoint in the last week. */
export function DeliveryCharts({ status }: { readonly status: EndpointStatus }) {
  const { name, oldestWaiting, keepSuccesses } = status;
  const { answer, error, again } = useLastAttempts(name);
  const picture = useMemo(
    () =>
      answer &&
      deliveryPicture(answer.attempts, {
        now: answer.now,
        oldestWaiting: oldestWaiting === undefined ? undefined : Date.parse(oldestWaiting),
      }),
    [answer, oldestWaiting],
  );
  if (answer && !picture) return null;
  return (
    <section aria-labelledby="delivery-charts">
      <h2 id="delivery-charts">Last 7 days</h2>
      {error !== undefined && <Failed error={error} again={again} />}
      {!answer && error === undefined && <Loading what="The charts" />}
      {answer && picture && (
        <figure class="sheet padded charts">
          <figcaption>
            {keepSuccesses ? captionOf(picture) : failuresText(picture)}
            {answer.isCut && ` Older attempts are not shown.`}
          </figcaption>
          <Charts picture={picture} keepSuccesses={keepSuccesses} />
        </figure>
      )}
    </section>
  );
}

/** So that the seconds of a prompt delivery do not look like a backlog. */
const MIN_SCALE_MS = 60_000;

interface ChartsProps {
  readonly picture: DeliveryPicture;
  readonly keepSuccesses: boolean;
}

function Charts({ picture: { axis, parts }, keepSuccesses }: ChartsProps) {
  const highest = (values: readonly (number | undefined)[]) =>
    Math.max(0, ...values.map(value => value ?? 0));
  const most = highest(parts.map(({ delivered, failed }) => delivered + failed));
  const slowest = highest(parts.map(({ p95 }) => p95));
  const longest = highest(parts.map(({ wait }) => wait));
  const down = parts.map(({ at, isDown }, part) =>
    isDown ? <rect key={at} class="fill down" x={part} width={1.02} y={0} height={PLOT_HEIGHT} /> : null,
  );
  const isDown = parts.some(part => part.isDown);
  return (
    <>
      <Chart
        axis={axis}
        title={`Attempts per ${sizeText(axis)}`}
        max={most.toLocaleString('en')}
        legend={[
          ...(keepSuccesses ? [{ tone: 'good', text: 'delivered' }] : []),
          { tone: 'bad', text: 'failed' },
          ...(isDown && keepSuccesses ? [{ tone: 'down', text: 'down' }] : []),
        ]}
      >
        {keepSuccesses && down}
        {parts.map(({ at, delivered, failed }, part) => (
          <g key={at}>
            <Bar part={part} value={failed} max={most} tone="bad" />
            <Bar part={part} value={delivered} below={failed} max={most} tone="good" />
          </g>
        ))}
      </Chart>
      {keepSuccesses && (
        <>
          <Chart
            axis={axis}
            title="Latency"
            max={msText(slowest)}
            legend={[
              { tone: 'series-1', text: 'p50' },
              { tone: 'series-2', text: 'p95' },
            ]}
          >
            {down}
            <Line values={parts.map(({ p95 }) => p95)} max={slowest} tone="series-2" />
            <Line values={parts.map(({ p50 }) => p50)} max={slowest} tone="series-1" />
          </Chart>
          <Chart axis={axis} title="Longest wait in the backlog" max={about(longest)}>
            {down}
            {parts.map(({ at, wait }, part) => (
              <Bar
                key={at}
                part={part}
                value={wait}
                max={Math.max(longest, MIN_SCALE_MS)}
                min={0}
                tone="series-3"
              />
            ))}
          </Chart>
        </>
      )}
      <ChartTable
        name="Attempts over time"
        heads={[
          'From',
          ...(keepSuccesses ? ['Delivered', 'Failed', 'p50', 'p95', 'Longest wait'] : ['Failed']),
        ]}
        rows={() =>
          parts
            .filter(({ delivered, failed, wait, isDown }) => delivered + failed + wait > 0 || isDown)
            .toReversed()
            .map(({ at, delivered, failed, p50, p95, wait, isDown }) => ({
              key: String(at),
              cells: [
                `${momentText(at)}${isDown && keepSuccesses ? ' (down)' : ''}`,
                ...(keepSuccesses ? [delivered, failed, msText(p50), msText(p95), about(wait)] : [failed]),
              ],
            }))
        }
      />
    </>
  );
}

function msText(ms: number | undefined): string {
  if (ms === undefined) return '–';
  return ms < 10_000 ? `${Math.ceil(ms).toLocaleString('en')} ms` : about(ms);
}

function captionOf({ attempts, since, delivered, p50, p95, parts, axis }: DeliveryPicture): string {
  const down = parts.filter(({ isDown }) => isDown).length;
  const share = Math.floor((delivered / attempts) * 1_000) / 10;
  return [
    `${share} % of ${counted(attempts, 'attempt')} since ${momentText(since)} succeeded.`,
    ...(p50 === undefined ? [] : [`Half of these took at most ${msText(p50)}, 95 % at most ${msText(p95)}.`]),
    ...(down > 0 ? [`Down for about ${about(down * axis.size)}: no attempt succeeded.`] : []),
  ].join(' ');
}

function failuresText({ attempts, since }: DeliveryPicture): string {
  return `${counted(attempts, 'failed attempt')} since ${momentText(since)}. Successful attempts are not kept.`;
}
