import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Handler } from '../parts/handler.ts';
import { counted, threeTimes } from './conditions.ts';
import type { OperatorAlarm } from './operator-alarm.ts';

export type Watched = Readonly<Record<'poll' | 'publish' | 'route' | 'deliver' | 'tick', Handler>>;

const FIVE_MINUTES = { period: Duration.minutes(5), statistic: 'Sum' };

/** The alarms about the functions. */
export function functionAlarms(name: string, handlers: Watched): OperatorAlarm[] {
  return [failing(handlers), throttled(handlers), readingStopped(name), publishBehind(handlers.publish.fn)];
}

/** Passes and endpoints that fail are no errors of a function. What remains are wrong settings, missing
 *  permissions and defects. The other functions need no alarm for these, because another alarm shows that
 *  their work is not done: `processes late` for poll, `queues behind` for route, `publish behind` for
 *  publish. And each metric in an alarm costs as much as an alarm (decision 0094). */
function failing({ deliver, tick }: Watched): OperatorAlarm {
  return {
    name: 'functions failing',
    happened:
      'The deliver or the tick function failed in each of three 5-minute periods in a row. An endpoint that fails does not count.',
    means: 'Deliveries or passes are late. They wait in their queue or are made up for; none is lost.',
    first: {
      ask: 'logs deliver --since 30m',
      see: 'ask the same of tick: a deployment, a permission or a defect is at fault.',
    },
    ...threeTimes(
      summed('Errors', { deliver, tick }, fn => fn.metricErrors(FIVE_MINUTES)),
      1,
    ),
  };
}

/** Lambda repeats what stands in a queue, so a minute of throttling is only a peak. The limit is the
 *  account's, and any of the functions behind the queues may meet it first. The other two need no alarm for it: `tick silent` and
 *  `publish behind` ring for them. */
function throttled({ poll, route, deliver }: Watched): OperatorAlarm {
  return {
    name: 'invocations throttled',
    happened:
      'Lambda refused to run the poll, the route or the deliver function in each of three 5-minute periods in a row.',
    means:
      'Passes, events or deliveries are late; their messages come again. The account has fewer concurrent executions than its functions need, or some are reserved.',
    first: {
      ask: 'status',
      see: "it says what is late by now. Compare the account's limit of concurrent executions with what it uses, and have it raised.",
    },
    ...threeTimes(
      summed('Throttles', { poll, route, deliver }, fn => fn.metricThrottles(FIVE_MINUTES)),
      1,
    ),
  };
}

/** Tick looks at each of the event source mappings. While a stack is deployed they are being updated for
 *  a minute or two. */
function readingStopped(name: string): OperatorAlarm {
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
    ...counted(name, 'ReadingStopped', 5),
  };
}

/** Publishing takes seconds. Ten minutes behind is much longer than that, and leaves most of the stream's
 *  24 hours to act. */
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

/** This metric of all these functions. SUM skips metrics without data, as a function has that was not called. */
function summed(
  what: string,
  handlers: Readonly<Record<string, Handler>>,
  metricOf: (fn: IFunction) => IMetric,
): MathExpression {
  const names = Object.keys(handlers).join(', ');
  return new MathExpression({
    expression: `SUM([${names}])`,
    label: `${what} of ${names}`,
    usingMetrics: Object.fromEntries(Object.entries(handlers).map(([name, { fn }]) => [name, metricOf(fn)])),
    period: FIVE_MINUTES.period,
  });
}
