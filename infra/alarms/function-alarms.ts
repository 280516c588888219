import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { OperatorAlarm } from './operator-alarm.ts';

/** A quarter of an hour of errors: a failed pass alone is repaired by the next one. */
export function pollErrors(poll: IFunction): OperatorAlarm {
  return {
    name: 'poll errors',
    happened: 'The poll function failed in each of three 5-minute periods in a row.',
    means: 'At least one process cannot be polled. Its changes are late, not lost; other processes go on.',
    first: {
      ask: 'logs poll --since 30m',
      see: 'each error names what was asked, what came and the remedy.',
    },
    section: 'poll-errors',
    metric: poll.metricErrors({ period: Duration.minutes(5), statistic: 'Sum' }),
    when: 'at least',
    threshold: 1,
    periods: 3,
    missing: 'not breaching',
  };
}

/** Publishing takes seconds. Ten minutes behind is far outside that, and far inside the stream's 24 hours. */
export function publishBehind(publish: IFunction): OperatorAlarm {
  return {
    name: 'publish behind',
    happened:
      'The oldest change record that the publish function works on is over 10 minutes old, for 5 minutes.',
    means:
      'Events reach nobody, or late. After 23 hours the records are given up; they stay in the table for 30 days.',
    first: {
      ask: 'logs publish --since 30m',
      see: 'mostly SNS refuses (permission, throttling) or is down.',
    },
    section: 'publish-behind',
    metric: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'IteratorAge',
      dimensionsMap: { FunctionName: publish.functionName },
      statistic: 'Maximum',
      period: Duration.minutes(1),
    }),
    when: 'at least',
    threshold: 600_000,
    periods: 5,
    missing: 'not breaching',
  };
}

/** An endpoint that fails is no error of the function. What remains are its settings, its permissions and defects. */
export function deliverErrors(deliver: IFunction): OperatorAlarm {
  return {
    name: 'deliver errors',
    happened: 'The deliver function failed in each of three 5-minute periods in a row.',
    means: 'Some deliveries are late. They wait in their queue, or as rows of the table; none is lost.',
    first: { ask: 'logs deliver --since 30m', see: 'a deployment, a permission or a defect is at fault.' },
    section: 'deliver-errors',
    ...failing(deliver),
  };
}

export function routeErrors(route: IFunction): OperatorAlarm {
  return {
    name: 'route errors',
    happened: 'The route function failed in each of three 5-minute periods in a row.',
    means: 'Some events reach no endpoint yet. They wait in the queue Events; native subscriptions go on.',
    first: { ask: 'logs route --since 30m', see: 'a deployment, a permission or a defect is at fault.' },
    section: 'route-errors',
    ...failing(route),
  };
}

function failing(fn: IFunction) {
  return {
    metric: fn.metricErrors({ period: Duration.minutes(5), statistic: 'Sum' }),
    when: 'at least',
    threshold: 1,
    periods: 3,
    missing: 'not breaching',
  } as const;
}
