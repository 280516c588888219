import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Queues } from '../queues.ts';
import type { OperatorAlarm } from './operator-alarm.ts';
import { notEmpty } from './queue-alarms.ts';

/** Everything to be heard of the queues and the endpoints, however many there are, by a key for the construct. Which endpoint it is
 *  stands in the log and in the table: an alarm for each would be as many alarms as endpoints, and a deployment for each. */
export function deliveryAlarms({ events, deliveries, chat, unsettled }: Queues): [string, OperatorAlarm][] {
  return [
    ['Unsettled', unsettledMessages(unsettled)],
    ['RoutingBehind', routingBehind(events)],
    ['DeliveriesBehind', deliveriesBehind(deliveries, 'deliveries', 'webhooks')],
    ['ChatBehind', deliveriesBehind(chat, 'chat', 'Slack and Teams')],
    ['TickErrors', tickErrors()],
    ['EndpointsFailing', endpointsFailing()],
    ['EndpointStopped', endpointStopped()],
    ['DeliveriesDead', deliveriesDead()],
  ];
}

function unsettledMessages(queue: IQueue): OperatorAlarm {
  return notEmpty(queue, {
    name: 'messages unsettled',
    happened:
      'A message was received 100 times and settled by none of the runs, or SNS could not queue an event.',
    means:
      'At least one endpoint lacks an event. It waits in the queue Unsettled for 14 days; all others go on.',
    first: {
      ask: 'set-aside list unsettled',
      see: 'see what the function of that queue logged: mostly a defect, or a policy that was changed.',
    },
    section: 'messages-unsettled',
  });
}

/** Routing takes milliseconds. Five minutes are no delay of one run, which is shown again after six, but one of many. */
function routingBehind(queue: IQueue): OperatorAlarm {
  return {
    name: 'routing behind',
    happened: 'The oldest event that waits for the route function is over 5 minutes old.',
    means: 'Endpoints get events late; native subscriptions get theirs. None is lost for 14 days.',
    first: { ask: 'logs route --since 30m', see: 'without errors, see whether its queue is being read.' },
    section: 'routing-behind',
    ...olderThan(queue, Duration.minutes(5)),
  };
}

/** What an endpoint doesn't take leaves the queue after some three minutes, as a row of the table. So this age is not about
 *  one endpoint that is down: more comes than the function sends, or it settles nothing. */
function deliveriesBehind(queue: IQueue, name: string, receivers: string): OperatorAlarm {
  return {
    name: `${name} behind`,
    happened: `The oldest delivery in the queue for ${receivers} is over 10 minutes old.`,
    means: 'Some endpoints get events late, those with much to get before others. None is lost for 14 days.',
    first: {
      ask: 'logs deliver --since 30m',
      see: 'without errors, more comes than is sent: see for whom.',
    },
    section: 'deliveries-behind',
    ...olderThan(queue, Duration.minutes(10)),
  };
}

function olderThan(queue: IQueue, age: Duration) {
  return {
    metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), statistic: 'Maximum' }),
    when: 'at least',
    threshold: age.toSeconds(),
    periods: 3,
    missing: 'not breaching',
  } as const;
}

/** Each run that succeeds says how many endpoints fail, be it none. So a minute in which nothing was said is one without such a
 *  run, whether it failed or was never started; a single one is made up for by the next. */
function tickErrors(): OperatorAlarm {
  return {
    name: 'tick errors',
    happened: 'No run of the tick function succeeded for 5 minutes: it fails, or nothing starts it.',
    means:
      'What waits for endpoints goes on waiting, also for those that are back; replays stand still. Endpoints that work get new events.',
    first: { ask: 'logs tick --since 15m', see: 'without errors, see whether its schedule is enabled.' },
    section: 'tick-errors',
    metric: metric('EndpointsFailing', 'SampleCount'),
    when: 'below',
    threshold: 1,
    periods: 5,
    missing: 'breaching',
  };
}

/** The tick function says each minute how many there are, also that there is none. */
function endpointsFailing(): OperatorAlarm {
  return {
    name: 'endpoints failing',
    happened: 'At least one endpoint took nothing for over 30 minutes.',
    means:
      'Its deliveries wait in the table, and come in order when it is back; after 3 days each is given up. Others are not concerned. It can wait until the morning.',
    first: { ask: 'status', see: 'it names the endpoint, since when it fails, and what it answered last.' },
    section: 'endpoints-failing',
    metric: metric('EndpointsFailing', 'Maximum'),
    when: 'at least',
    threshold: 1,
    periods: 1,
    missing: 'ignored',
  };
}

/** The deliver function says it once for each, so the alarm ends by itself: or it would say nothing of the next one. */
function endpointStopped(): OperatorAlarm {
  return {
    name: 'endpoint stopped',
    happened: 'An endpoint answered 410 Gone, or failed for 5 days: nothing is sent to it any more.',
    means:
      'Its deliveries wait in the table until you resume it, for 30 days at most. This alarm ends by itself; the endpoint stays stopped.',
    first: { ask: 'status', see: 'it names the endpoint that is stopped, and why.' },
    section: 'endpoint-stopped',
    metric: metric('EndpointStopped', 'Sum'),
    when: 'at least',
    threshold: 1,
    periods: 1,
    missing: 'not breaching',
  };
}

/** As above: each minute in which some are given up is told, and ends. */
function deliveriesDead(): OperatorAlarm {
  return {
    name: 'deliveries dead',
    happened: 'Deliveries were given up: they waited for 3 days, or can not be delivered at all.',
    means:
      'At least one endpoint lacks events. They are kept in the table for 30 days as dead letters, and can be sent again.',
    first: {
      ask: 'status',
      see: 'it says which endpoint has dead letters; changewire endpoints dead-letters says why.',
    },
    section: 'deliveries-dead',
    metric: metric('DeliveriesDead', 'Sum'),
    when: 'at least',
    threshold: 1,
    periods: 1,
    missing: 'not breaching',
  };
}

/** The tick function says each minute how many there are. A deployment that adds one, and its handshake, take minutes. */
export function subscriptionsUnconfirmed(): OperatorAlarm {
  return {
    name: 'subscriptions unconfirmed',
    happened:
      'For 15 minutes at least one native subscription of the configuration is pending, or is not there.',
    means:
      'Its receiver gets nothing, and SNS keeps nothing for it. SNS forgets a subscription that is pending for 48 hours.',
    first: { ask: 'logs tick --since 15m', see: 'it names the subscription: have its receiver confirm.' },
    section: 'subscriptions-unconfirmed',
    metric: metric('SubscriptionsUnconfirmed', 'Maximum'),
    when: 'at least',
    threshold: 1,
    periods: 15,
    missing: 'ignored',
  };
}

/** A metric of our own, about the whole: its dimensions must be exactly those that the function names. */
function metric(metricName: string, statistic: 'Maximum' | 'SampleCount' | 'Sum'): Metric {
  return new Metric({
    namespace: 'Changewire',
    metricName,
    dimensionsMap: { service: 'changewire' },
    statistic,
    period: Duration.minutes(1),
  });
}
