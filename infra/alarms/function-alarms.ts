import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Handler } from '../parts/handler.ts';
import { counted, threeTimes } from './conditions.ts';
import type { OperatorAlarm } from './operator-alarm.ts';

export type Watched = Readonly<Record<'poll' | 'publish' | 'route' | 'deliver' | 'tick', Handler>>;

const FIVE_MINUTES = { period: Duration.minutes(5), statistic: 'Sum' };

/** The alarms about the functions. The other ones need none for their errors and throttles, because another
 *  alarm shows that their work is not done: `processes late` for poll, `queues behind` for route and deliver,
 *  `publish behind` for publish, `tick silent` for tick. Each metric in an alarm costs as much as an alarm
 *  (decision 0094). */
export function functionAlarms(name: string, handlers: Watched): OperatorAlarm[] {
  return [
    tickFailing(handlers.tick.fn),
    throttled(handlers.poll.fn),
    readingStopped(name),
    publishDelayed(handlers.publish.fn),
  ];
}

/** `tick silent` can't ring before the first tick. */
function tickFailing(tick: IFunction): OperatorAlarm {
  return {
    name: 'tick failing',
    happened: 'The tick function failed in each of three 5-minute periods in a row.',
    means:
      'No process is polled, and backlogs are not sent. Nothing is lost: the next tick that succeeds makes up for it.',
    first: {
      ask: 'logs tick --since 30m',
      see: 'a deployment, a permission or a defect is at fault.',
    },
    ...threeTimes(tick.metricErrors(FIVE_MINUTES), 1),
  };
}

/** Lambda repeats what stands in a queue, so a minute of throttling is only a peak. The limit is the
 *  account's; poll, which has most of the runs, meets it first. */
function throttled(poll: IFunction): OperatorAlarm {
  return {
    name: 'invocations throttled',
    happened: 'Lambda refused to run the poll function in each of three 5-minute periods in a row.',
    means:
      'Passes are late, events and deliveries perhaps; their messages come again. The account has fewer concurrent executions than its functions need, or some are reserved.',
    first: {
      ask: 'status',
      see: "it says what is late by now. Compare the account's limit of concurrent executions with what it uses, and have it raised.",
    },
    ...threeTimes(poll.metricThrottles(FIVE_MINUTES), 1),
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
function publishDelayed(publish: IFunction): OperatorAlarm {
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
