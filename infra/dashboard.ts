import { Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Watched } from './alarms/function-alarms.ts';
import { type OwnMetric, ownMetric } from './alarms/own-metric.ts';
import type { PassQueue } from './parts/pass-queue.ts';
import type { Queues } from './parts/queues.ts';
import type { SnapshotTable } from './parts/table.ts';

export interface DashboardProps {
  /** The name of the whole. */
  readonly name: string;
  readonly table: SnapshotTable;
  readonly queues: Queues;
  readonly passes: PassQueue;
  readonly handlers: Watched;
}

const PERIOD = Duration.minutes(5);
const HOUR = Duration.hours(1);

/** One page for the whole, whatever its size: how fresh it is, whether events arrive, what fails,
 *  what it costs. It keeps to the 50 metrics that are free of charge. Each graph's title says what is
 *  normal. */
export class Dashboard extends Construct {
  readonly #name: string;

  constructor(scope: Construct, id: string, props: DashboardProps) {
    super(scope, id);
    this.#name = props.name;
    const dashboard = new CloudWatchDashboard(this, 'Page', {
      // A dashboard's name is unique in an account, and two regions may each have one for the same name.
      dashboardName: `${props.name}-${Stack.of(this).region}`,
      defaultInterval: Duration.hours(12),
    });
    dashboard.addWidgets(...this.#freshness(), ...this.#way());
    dashboard.addWidgets(...this.#failures(props));
    dashboard.addWidgets(...cost(props));
  }

  #freshness(): GraphWidget[] {
    return [
      graph('Oldest pass (s). Normal: below five intervals of the slowest process', [
        this.#of('OldestPassAge', 'Maximum', 'age of the oldest pass'),
      ]),
      graph('Processes. Normal: none is late, on hold, or owes projects', [
        this.#gauge('ProcessesLate', 'late'),
        this.#gauge('ProcessesOnHold', 'on hold'),
        this.#gauge('ProcessesWithRechecks', 'owe projects'),
      ]),
    ];
  }

  #way(): GraphWidget[] {
    return [
      graph('From commit to first attempt (ms). Normal: half within 2,000, 99 of 100 within 10,000', [
        this.#of('FirstAttemptLag', 'p50', 'half'),
        this.#of('FirstAttemptLag', 'p99', '99 of 100'),
      ]),
      graph('Events and deliveries. Normal: as many as people change; failed ones come again', [
        this.#sum('EventsPublished', 'events published'),
        this.#sum('Delivered', 'delivered'),
        this.#sum('DeliveryFailed', 'attempts failed'),
      ]),
    ];
  }

  #failures({ queues, passes, handlers }: DashboardProps): GraphWidget[] {
    return [
      graph('Endpoints and subscriptions. Normal: none', [
        this.#gauge('EndpointsFailing', 'endpoints failing for half an hour'),
        this.#sum('EndpointStopped', 'endpoints stopped'),
        this.#sum('DeliveriesDead', 'deliveries given up'),
        this.#gauge('SubscriptionsUnconfirmed', 'subscriptions unconfirmed'),
        this.#gauge('SubscriptionsUndelivered', 'subscriptions undelivered'),
      ]),
      graph('DeliveryCounts still. Normal: no mapping, no message set aside', [
        this.#gauge('ReadingStopped', 'mappings that do not read'),
        this.#gauge('MoveToFailed', 'messages set aside'),
      ]),
      graph('Errors, and passes throttled. Normal: none, but for a few in a deployment', [
        ...Object.entries(handlers).map(([name, { fn }]) =>
          fn.metricErrors({ period: PERIOD, statistic: 'Sum', label: `${name} errors` }),
        ),
        handlers.poll.fn.metricThrottles({ period: PERIOD, statistic: 'Sum', label: 'poll throttled' }),
      ]),
      graph(
        'Oldest message (s). Normal: below 60 in each queue, below 60,000 ms in the stream',
        [...queuesOf(queues, passes), ['drains', queues.drains] as const].map(([label, queue]) =>
          queue.metricApproximateAgeOfOldestMessage({ period: PERIOD, statistic: 'Maximum', label }),
        ),
        [
          handlers.publish.fn.metric('IteratorAge', {
            period: PERIOD,
            statistic: 'Maximum',
            label: 'stream (ms)',
          }),
        ],
      ),
    ];
  }

  #of(name: OwnMetric, statistic: string, label: string): IMetric {
    return ownMetric(this.#name, name, statistic, PERIOD).with({ label });
  }

  /** A metric that is written only where it is not 0, with the gaps filled. */
  #gauge(name: OwnMetric, label: string): IMetric {
    return filled(this.#of(name, 'Maximum', label), name, label);
  }

  #sum(name: OwnMetric, label: string): IMetric {
    return this.#of(name, 'Sum', label);
  }
}

function filled(metric: IMetric, name: string, label: string): IMetric {
  const id = name.charAt(0).toLowerCase() + name.slice(1);
  return new MathExpression({
    expression: `FILL(${id}, 0)`,
    usingMetrics: { [id]: metric },
    label,
    period: PERIOD,
  });
}

/** Graphs of what costs money, by the hour, as bills count. */
function cost({ table, queues, passes, handlers }: DashboardProps): GraphWidget[] {
  const { poll, tick, deliver } = handlers;
  const hourly = { period: HOUR, statistic: 'Sum' };
  const each = (metric: (fn: IFunction, label: string) => IMetric) =>
    Object.entries(handlers).map(([name, { fn }]) => metric(fn, name));
  return [
    graph(
      'Cost: invocations an hour. Normal: tick 60, poll one for each pass, others by the changes',
      each((fn, label) => fn.metricInvocations({ ...hourly, label })),
    ),
    graph(
      'Cost: time of the functions an hour (ms). Normal: grows with passes and changes, not with what exists',
      [poll, tick, deliver].map(({ fn, node }) =>
        fn.metricDuration({ ...hourly, label: node.id.toLowerCase() }),
      ),
    ),
    graph('Cost: units of the table an hour. Normal: for an idle pass at most 4 read and 2 written', [
      table.table.metricConsumedReadCapacityUnits({ ...hourly, label: 'read' }),
      table.table.metricConsumedWriteCapacityUnits({ ...hourly, label: 'written' }),
    ]),
    graph(
      'Cost: messages sent an hour. Normal: one for each pass and event, and one for each delivery',
      queuesOf(queues, passes).map(([label, queue]) =>
        queue.metricNumberOfMessagesSent({ ...hourly, label }),
      ),
    ),
  ];
}

function queuesOf({ events, deliveries, chat }: Queues, { queue }: PassQueue) {
  return Object.entries({ passes: queue, events, deliveries, chat });
}

/** A graph; four of them make a row. */
function graph(title: string, left: IMetric[], right: IMetric[] = []): GraphWidget {
  return new GraphWidget({ title, left, right, width: 6, height: 6, leftYAxis: { min: 0 }, liveData: true });
}
