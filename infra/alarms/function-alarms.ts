import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { Handler } from '../handler.ts';
import { counted, threeTimes } from './conditions.ts';
import type { OperatorAlarm } from './operator-alarm.ts';

export type Watched = Readonly<Record<'poll' | 'publish' | 'route' | 'deliver' | 'tick', Handler>>;

/** What is to be heard of the functions. */
export function functionAlarms(scope: Construct, handlers: Watched): OperatorAlarm[] {
  return [failing(handlers), throttled(handlers), readingStopped(scope), publishBehind(handlers.publish.fn)];
}

/** A pass that fails and an endpoint that fails are no errors of a function. What remains are settings, permissions and defects. Errors of
 *  publish are those of the stream, which `publish behind` tells of. */
function failing({ poll, route, deliver, tick }: Watched): OperatorAlarm {
  return {
    name: 'functions failing',
    happened:
      'The poll, route, deliver or tick function failed in each of three 5-minute periods in a row. A pass or an endpoint that fails does not count.',
    means:
      'Some passes, events or deliveries are late. They wait in their queue or are made up for; none is lost.',
    first: {
      ask: 'logs deliver --since 30m',
      see: 'ask the same of route, poll and tick: a deployment, a permission or a defect is at fault.',
    },
    ...threeTimes(summed('metricErrors', { poll, route, deliver, tick }), 1),
  };
}

/** Lambda tries again what a queue or the stream holds; a minute of it is a peak. */
function throttled(handlers: Watched): OperatorAlarm {
  return {
    name: 'invocations throttled',
    happened: 'Lambda refused to run functions of this stack in each of three 5-minute periods in a row.',
    means:
      'Passes, events or deliveries are late; what waits is tried again. The account has fewer concurrent executions than its functions need, or somebody reserved some.',
    first: {
      ask: 'status',
      see: "it says what is late by now. Compare the account's limit of concurrent executions with what it uses, and have it raised.",
    },
    ...threeTimes(summed('metricThrottles', handlers), 1),
  };
}

/** Tick asks after each of the event source mappings. A deployment has them updating for a minute or two. */
function readingStopped(scope: Construct): OperatorAlarm {
  return {
    name: 'reading stopped',
    happened:
      'For 5 minutes Lambda did not read a queue or the stream: the mapping is disabled, or can not read it.',
    means:
      'Passes, events or deliveries stand still. What is in the stream is lost to publishing after 24 hours (the table has it for 30 days), in the queues after 14 days.',
    first: {
      ask: 'logs tick --since 15m',
      see: 'it names the mapping, its state, and what Lambda says of it. Enable it, or repair the permission.',
    },
    ...counted(scope, 'ReadingStopped', 5),
  };
}

/** Publishing takes seconds. Ten minutes behind is far outside that, and far inside the stream's 24 hours. */
function publishBehind(publish: IFunction): OperatorAlarm {
  return {
    name: 'publish behind',
    happened:
      'The oldest change record that the publish function works on is over 10 minutes old, for 5 minutes.',
    means:
      'Events reach nobody, or late. After 23 hours the records are given up; they stay in the table for 30 days.',
    first: {
      ask: 'logs publish --since 30m',
      see: 'mostly SNS refuses (permission, throttling) or is down. After a stack was made again it reads the last 24 hours, and there is nothing to do.',
    },
    metric: publish.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(1) }),
    ...{ threshold: 600_000, points: 5, of: 5, missing: 'not breaching' },
  };
}

/** All together, by 5 minutes. SUM takes those that have data: a function that nobody calls has none. */
function summed(
  metric: 'metricErrors' | 'metricThrottles',
  handlers: Readonly<Record<string, Handler>>,
): MathExpression {
  const period = Duration.minutes(5);
  const names = Object.keys(handlers);
  return new MathExpression({
    expression: `SUM([${names.join(', ')}])`,
    label: `${metric.replace('metric', '')} of ${names.join(', ')}`,
    usingMetrics: Object.fromEntries(
      Object.entries(handlers).map(([name, { fn }]) => [name, fn[metric]({ period, statistic: 'Sum' })]),
    ),
    period,
  });
}
