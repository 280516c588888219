import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Endpoint } from '../endpoint.ts';
import type { OperatorAlarm } from './operator-alarm.ts';
import { notEmpty } from './queue-alarms.ts';

/** Everything to be heard of one endpoint, by a key for the construct. */
export function endpointAlarms({ config, queue, deadLetters }: Endpoint): [string, OperatorAlarm][] {
  const { name, kind } = config;
  return [
    [`EndpointUndelivered.${name}`, undelivered(deadLetters, name, kind)],
    [`EndpointStopped.${name}`, stopped(name, kind)],
    [`EndpointBehind.${name}`, behind(queue, name, kind)],
  ];
}

function undelivered(queue: IQueue, name: string, kind: string): OperatorAlarm {
  return notEmpty(queue, {
    name: `endpoint ${name} undelivered`,
    happened: `The ${kind} endpoint ${name} refused events, or did not take them within 3 days.`,
    means:
      'This receiver lacks events; others are not concerned. They wait in its dead-letter queue for 14 days.',
    first: 'See the attributes of one message: they say why it was given up.',
    section: 'endpoint-undelivered',
  });
}

/** The function says it once, when it stops an endpoint, with exactly these dimensions. The alarm then stays, because the
 *  endpoint does, until the operator who starts it again ends the alarm too. */
function stopped(name: string, kind: string): OperatorAlarm {
  return {
    name: `endpoint ${name} stopped`,
    happened: `The ${kind} endpoint ${name} answered 410 Gone: it wants no more events, so none is sent to it.`,
    means:
      'Its events go to its dead-letter queue, for 14 days, until you start it again. Other receivers go on.',
    first: 'Ask the receiver whether it moved, or is gone for good. Then start it again, or take it out.',
    section: 'endpoint-stopped',
    metric: new Metric({
      namespace: 'Changewire',
      metricName: 'EndpointStopped',
      dimensionsMap: { service: 'changewire', endpoint: name },
      statistic: 'Maximum',
      period: Duration.minutes(1),
    }),
    when: 'at least',
    threshold: 1,
    periods: 1,
    missing: 'ignored',
  };
}

/** SQS leaves out of this age what was received more than three times. Retries come after 5 s, 5 min and 30 min, so of a
 *  receiver that is down it tells at most some 35 minutes: 20 is well before that, and well after a short outage. */
function behind(queue: IQueue, name: string, kind: string): OperatorAlarm {
  return {
    name: `endpoint ${name} behind`,
    happened: `The oldest event that waits for the ${kind} endpoint ${name} is over 20 minutes old.`,
    means:
      'This receiver gets events late; others are not concerned. After 3 days of tries they are given up.',
    first:
      "Read the deliver function's last warnings about this endpoint: they say what it answers, and when.",
    section: 'endpoint-behind',
    metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), statistic: 'Maximum' }),
    when: 'at least',
    threshold: 1_200,
    periods: 3,
    missing: 'not breaching',
  };
}
