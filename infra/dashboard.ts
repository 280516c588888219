import { Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard as CloudWatchDashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Watched } from './alarms/function-alarms.ts';
import { type OwnMetric, ownMetric } from './alarms/own-metric.ts';
import type { PassQueue } from './parts/pass-queue.ts';
import type { Queues } from './parts/queues.ts';
import type { SnapshotTable } from './parts/table.ts';

export interface DashboardProps {
  /** The name of the stack. */
  readonly name: string;
  readonly table: SnapshotTable;
  readonly topic: ITopic;
  readonly queues: Queues;
  readonly passes: PassQueue;
  readonly handlers: Watched;
}

const PERIOD = Duration.minutes(5);
const HOUR = Duration.hours(1);

/** One dashboard per stack: freshness, deliveries, failures, cost. It stays within the 50 metrics that are free of
 *  charge. The title of each graph states what is normal. */
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
    dashboard.addWidgets(...this.#freshness(), ...this.#deliveries(props));
    dashboard.addWidgets(...this.#failures(props));
    dashboard.addWidgets(...cost(props));
  }

  #freshness(): GraphWidget[] {
    return [
      graph('Oldest pass (s). Normal: below five intervals of the slowest process', [
        this.#of('OldestPassAge', 'Maximum', 'age of the oldest pass'),
      ]),
      graph('Processes. Normal: none late, on hold, or with pending projects', [
        this.#gauge('ProcessesLate', 'late'),
        this.#gauge('ProcessesOnHold', 'on hold'),
        this.#gauge('ProcessesWithRechecks', 'with pending projects'),
      ]),
    ];
  }

  #deliveries({ topic }: DashboardProps): GraphWidget[] {
    return [
      graph('From commit to first attempt (ms). Normal: p50 below 2,000, p99 below 10,000', [
        this.#of('FirstAttemptLag', 'p50', 'p50'),
        this.#of('FirstAttemptLag', 'p99', 'p99'),
      ]),
      graph(
        'Events and deliveries. Normal: follows the changes that people make; failed attempts are retried',
        [
          topic.metricNumberOfMessagesPublished({
            period: PERIOD,
            statistic: 'Sum',
            label: 'events published',
          }),
          this.#sum('Delivered', 'delivered'),
          this.#sum('DeliveryFailed', 'attempts failed'),
        ],
      ),
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
      graph('Stopped reads and failed messages. Normal: none', [
        this.#gauge('ReadingStopped', 'event source mappings stopped'),
        this.#gauge('FailedMessages', 'failed messages'),
      ]),
      graph('Errors and throttled passes. Normal: none, except a few during a deployment', [
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

  /** A metric that is written only when it is not 0, with the gaps filled. */
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

/** Graphs of what costs money, per hour. */
function cost({ table, queues, passes, handlers }: DashboardProps): GraphWidget[] {
  const { poll, tick, deliver } = handlers;
  const hourly = { period: HOUR, statistic: 'Sum' };
  const each = (metric: (fn: IFunction, label: string) => IMetric) =>
    Object.entries(handlers).map(([name, { fn }]) => metric(fn, name));
  return [
    graph(
      'Cost: invocations per hour. Normal: tick 60, poll one per pass, others follow the changes',
      each((fn, label) => fn.metricInvocations({ ...hourly, label })),
    ),
    graph(
      'Cost: function time per hour (ms). Normal: grows with passes and changes, not with the number of records',
      [poll, tick, deliver].map(({ fn, node }) =>
        fn.metricDuration({ ...hourly, label: node.id.toLowerCase() }),
      ),
    ),
    graph('Cost: table capacity units per hour. Normal: at most 4 read and 2 written per idle pass', [
      table.table.metricConsumedReadCapacityUnits({ ...hourly, label: 'read' }),
      table.table.metricConsumedWriteCapacityUnits({ ...hourly, label: 'written' }),
    ]),
    graph(
      'Cost: messages sent per hour. Normal: one for each pass, event and delivery',
      queuesOf(queues, passes).map(([label, queue]) =>
        queue.metricNumberOfMessagesSent({ ...hourly, label }),
      ),
    ),
  ];
}

function queuesOf({ events, deliveries, chat }: Queues, { queue }: PassQueue) {
  return Object.entries({ passes: queue, events, deliveries, chat });
}

/** A graph with a quarter of the width. */
function graph(title: string, left: IMetric[], right: IMetric[] = []): GraphWidget {
  return new GraphWidget({ title, left, right, width: 6, height: 6, leftYAxis: { min: 0 }, liveData: true });
}
