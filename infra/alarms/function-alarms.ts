import { Duration } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Handler } from '../parts/handler.ts';
import { counted, threeTimes } from './conditions.ts';
import type { OperatorAlarm } from './operator-alarm.ts';

export type Watched = Readonly<Record<'poll' | 'publish' | 'route' | 'deliver' | 'tick', Handler>>;

const FIVE_MINUTES = { period: Duration.minutes(5), statistic: 'Sum' };

/** The alarms about the functions. Each metric in an alarm costs as much as an alarm, so errors that another
 *  alarm shows by their effect have none: `processes late` covers poll, `queues delayed` covers route and deliver,
 *  `publish delayed` covers publish, `tick silent` covers tick. */
export function functionAlarms(name: string, handlers: Watched): OperatorAlarm[] {
  return [
    tickFailing(handlers.tick.fn),
    throttled(handlers.poll.fn),
    readingStopped(name),
    publishDelayed(handlers.publish.fn),
  ];
}

/** Needed beside `tick silent`, which cannot begin before the first tick. */
function tickFailing(tick: IFunction): OperatorAlarm {
  return {
    name: 'tick failing',
    happened: 'The tick function failed in each of three 5-minute periods in a row.',
    means:
      'No process is polled, and no backlog is sent: receivers get events late. Nothing is lost; the next tick that succeeds catches up.',
    first: {
      ask: 'logs tick --since 30m',
      see: 'the log names the permission or setting at fault; a deployment restores it (npx changewire deploy -- --revert-drift). If it began with a deployment, deploy the previous configuration, or the previous version if it reads this table.',
    },
    ...threeTimes(tick.metricErrors(FIVE_MINUTES), 1),
  };
}

/** Lambda retries messages of a queue, so that a minute of throttling does no harm. The limit is the account's; poll
 *  reaches it first, because it runs most often. */
function throttled(poll: IFunction): OperatorAlarm {
  return {
    name: 'invocations throttled',
    happened: 'Lambda refused to run the poll function in each of three 5-minute periods in a row.',
    means:
      'Changes are found late, and events may be delivered late. Nothing is lost: Lambda retries. The account has too few concurrent executions, or other functions use or reserve them.',
    first: {
      ask: 'status',
      see: "it shows what is late. Compare the account's limit (aws lambda get-account-settings) with the metric ConcurrentExecutions, and request a higher limit.",
    },
    ...threeTimes(poll.metricThrottles(FIVE_MINUTES), 1),
  };
}

/** Tick checks each event source mapping. A deployment updates them for a minute or two: hence 5. */
function readingStopped(name: string): OperatorAlarm {
  return {
    name: 'reading stopped',
    happened:
      'Lambda has not read a queue or the stream for 5 minutes: an event source mapping is disabled, or lacks a permission.',
    means:
      'Passes, events or deliveries have stopped. Records that stay in the stream for 24 hours are not published (the journal keeps them); queues keep messages for 14 days.',
    first: {
      ask: 'logs tick --since 15m',
      see: 'the log names the mapping, its uuid and its state. Restore permissions with a deployment (npx changewire deploy -- --revert-drift), then enable it with aws lambda update-event-source-mapping --uuid UUID --enabled.',
    },
    ...counted(name, 'ReadingStopped', 5),
  };
}

/** Publishing takes seconds, and ten minutes leave most of the stream's 24 hours to act. */
function publishDelayed(publish: IFunction): OperatorAlarm {
  return {
    name: 'publish delayed',
    happened: 'For 5 minutes the oldest change record that is not published has been over 10 minutes old.',
    means:
      'No receiver gets events, or all get them late: act now. Records that cannot be published for 23 hours move to the failed messages; the journal keeps them.',
    first: {
      ask: 'logs publish --since 30m',
      see: 'the log shows the answer of SNS. Restore a permission or key with a deployment (npx changewire deploy -- --revert-drift); wait if SNS throttles or is down.',
    },
    metric: publish.metric('IteratorAge', { statistic: 'Maximum', period: Duration.minutes(1) }),
    ...{ threshold: 600_000, points: 5, of: 5, missing: 'not breaching' },
  };
}
