import type { Clock } from '../../functions/basics/clock.ts';
import type { ProcessKey } from '../../functions/basics/process.ts';
import type { Count } from '../../functions/basics/telemetry.ts';
import type { Polled } from '../../functions/handlers/workspace-run.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { decodePart } from '../../functions/model/event-id.ts';
import type { Health } from './health.ts';

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [labels: Labels, value: number];

/** Upper bounds, in seconds. */
const REQUEST_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];
const LAG_BOUNDS = [1, 2, 5, 10, 30, 60, 300, 3600];

/** Counts from the start of a run, and writes the counts and the health of the run in Prometheus' text format.
 *  docs/metrics.md lists the series; their names and labels are stable. */
export class Metrics {
  readonly #startedAt: number;
  readonly #version: string;
  readonly #passes = new Counter();
  readonly #requests = new Counter();
  readonly #events = new Counter();
  readonly #dead = new Counter();
  readonly #attempts = new Counter();
  readonly #durations = new Histogram(REQUEST_BOUNDS);
  readonly #lags = new Histogram(LAG_BOUNDS);

  constructor(version: string, clock: Clock) {
    this.#version = version;
    this.#startedAt = clock();
  }

  passed({ workspace, processId: process }: ProcessKey, mode: string, polled: Polled): void {
    const outcome = 'error' in polled ? 'failed' : polled.report.outcome;
    if (outcome !== 'not-due') this.#passes.add({ workspace, process, mode, outcome });
  }

  /** A request to the service of a workspace was answered, or not. */
  requested(workspace: string, status: number | undefined): void {
    this.#requests.add({ workspace, status: String(status ?? 'none') });
  }

  published({ source, type, data }: ChangeEvent): void {
    const workspace = decodePart(source.split('/')[2] ?? '');
    this.#events.add({ workspace, process: data.process.id, type });
  }

  readonly attempted = (endpoint: string, { isAccepted, ms }: { isAccepted: boolean; ms: number }): void => {
    this.#attempts.add({ endpoint, outcome: isAccepted ? 'accepted' : 'failed' });
    this.#durations.observe({ endpoint }, ms / 1000);
  };

  /** The metrics of a run of deliveries, as on AWS. */
  readonly count: Count = ({ DeliveriesDead: dead = 0, FirstAttemptLag: lags = [] }) => {
    this.#dead.add({}, Number(dead));
    for (const ms of [lags].flat()) this.#lags.observe({}, ms / 1000);
  };

  /** All series. `health`: that of now; undefined when the store cannot be read. */
  text(health: Health | undefined): string {
    const { processes = [], endpoints = [], unpublishedSince, status, disk } = health ?? {};
    const ofProcess = (value: (process: Health['processes'][number]) => number | undefined): Sample[] =>
      processes.flatMap(one => known({ workspace: one.workspace, process: one.process }, value(one)));
    const ofEndpoint = (value: (endpoint: Health['endpoints'][number]) => number | undefined): Sample[] =>
      endpoints.flatMap(one => known({ endpoint: one.name }, value(one)));
    return [
      gauge('info', 'The version that runs.', [[{ version: this.#version }, 1]]),
      gauge('start_time_seconds', 'When the run began, in Unix time.', [[{}, this.#startedAt / 1000]]),
      gauge('healthy', 'Whether /healthz answers 200.', [[{}, flag(status === 'ok')]]),
      gauge('disk_free_bytes', 'Free space of the disk with the data.', known({}, disk?.free)),
      gauge('disk_size_bytes', 'Size of the disk with the data.', known({}, disk?.size)),
      gauge('data_bytes', 'Size of the data file with its log.', known({}, disk?.data)),
      counter('passes_total', 'Passes that ended, by mode and outcome.', this.#passes),
      gauge(
        'pass_completed_time_seconds',
        'When a changes pass last completed, in Unix time.',
        ofProcess(({ completedAt }) => seconds(completedAt)),
      ),
      gauge(
        'process_baselined',
        'Whether the baseline is complete.',
        ofProcess(one => flag(one.baselined)),
      ),
      gauge(
        'process_on_hold',
        'Whether deletions wait for an operator.',
        ofProcess(({ onHoldSince }) => flag(onHoldSince !== undefined)),
      ),
      gauge(
        'skipped_projects',
        'Projects that cannot be read or committed.',
        ofProcess(one => one.skipped),
      ),
      counter('service_requests_total', 'Requests to the service, by HTTP status.', this.#requests),
      counter('events_total', 'Published events, by type.', this.#events),
      gauge(
        'unpublished_since_time_seconds',
        'When the oldest unpublished event was committed, in Unix time; absent if all are published.',
        known({}, seconds(unpublishedSince)),
      ),
      counter('attempts_total', 'Requests to endpoints, by outcome.', this.#attempts),
      histogram('attempt_duration_seconds', 'Time of requests to endpoints.', this.#durations),
      histogram('first_attempt_lag_seconds', 'From the commit of an event to its first attempt.', this.#lags),
      counter('dead_letters_total', 'Deliveries that were given up.', this.#dead),
      gauge(
        'endpoint_dead_letters',
        'Dead letters that are kept.',
        ofEndpoint(({ dead }) => dead),
      ),
      gauge(
        'endpoint_backlog',
        'Deliveries that wait.',
        ofEndpoint(({ undelivered }) => undelivered),
      ),
      gauge(
        'endpoint_backlog_since_time_seconds',
        'The time of the oldest waiting event, in Unix time; absent if none waits.',
        ofEndpoint(({ since }) => seconds(since)),
      ),
      gauge(
        'endpoint_failing',
        'Whether each attempt fails.',
        ofEndpoint(({ failingSince }) => flag(failingSince !== undefined)),
      ),
      gauge(
        'endpoint_stopped',
        'Whether nothing is sent until an operator resumes it.',
        ofEndpoint(({ stopped, pausedSince }) => flag((stopped ?? pausedSince) !== undefined)),
      ),
    ].join('');
  }
}

const flag = (is: boolean): number => Number(is);
const seconds = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time) / 1000);
const known = (labels: Labels, value: number | undefined): Sample[] =>
  value === undefined ? [] : [[labels, value]];

class Counter {
  readonly #values = new Map<string, { readonly labels: Labels; value: number }>();

  add(labels: Labels, by = 1): void {
    const key = JSON.stringify(labels);
    const counted = this.#values.get(key) ?? { labels, value: 0 };
    this.#values.set(key, counted);
    counted.value += by;
  }

  get samples(): Sample[] {
    return [...this.#values.values()].map(({ labels, value }) => [labels, value]);
  }
}

class Histogram {
  readonly #bounds: readonly number[];
  readonly #counted = new Map<string, { readonly labels: Labels; counts: number[]; sum: number }>();

  constructor(bounds: readonly number[]) {
    this.#bounds = [...bounds, Number.POSITIVE_INFINITY];
  }

  observe(labels: Labels, value: number): void {
    const key = JSON.stringify(labels);
    const counted = this.#counted.get(key) ?? { labels, counts: this.#bounds.map(() => 0), sum: 0 };
    this.#counted.set(key, counted);
    counted.counts = counted.counts.map(
      (count, index) => count + flag(value <= (this.#bounds[index] as number)),
    );
    counted.sum += value;
  }

  /** Each bucket counts those of the smaller ones, too. */
  lines(name: string): string[] {
    return [...this.#counted.values()].flatMap(({ labels, counts, sum }) => [
      ...counts.map((count, index) =>
        line(`${name}_bucket`, { ...labels, le: bound(this.#bounds[index]) }, count),
      ),
      line(`${name}_sum`, labels, sum),
      line(`${name}_count`, labels, counts.at(-1) as number),
    ]);
  }
}

const bound = (value: number | undefined) => (value === Number.POSITIVE_INFINITY ? '+Inf' : String(value));

const PREFIX = 'changewire_';

const gauge = (name: string, help: string, samples: readonly Sample[]) =>
  series(
    name,
    help,
    'gauge',
    samples.map(([labels, value]) => line(name, labels, value)),
  );

const counter = (name: string, help: string, { samples }: Counter) =>
  series(
    name,
    help,
    'counter',
    samples.map(([labels, value]) => line(name, labels, value)),
  );

const histogram = (name: string, help: string, counted: Histogram) =>
  series(name, help, 'histogram', counted.lines(name));

function series(name: string, help: string, type: string, lines: readonly string[]): string {
  return `# HELP ${PREFIX}${name} ${help}\n# TYPE ${PREFIX}${name} ${type}\n${lines.join('')}`;
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${PREFIX}${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

const escaped = (text: string): string =>
  text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
