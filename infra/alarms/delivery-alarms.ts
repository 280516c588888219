import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queues } from '../parts/queues.ts';
import { counted, happened } from './conditions.ts';
import type { OperatorAlarm } from './operator-alarm.ts';
import { ownMetric } from './own-metric.ts';

/** The alarms about queues and endpoints. One alarm covers all endpoints, because one for each would need a deployment
 *  for each; the log and `status` name the endpoint. */
export function deliveryAlarms(name: string, queues: Queues): OperatorAlarm[] {
  return [
    queuesDelayed(name, queues),
    failedMessages(name),
    endpointsFailing(name),
    endpointStopped(name),
    deliveriesDead(name),
  ];
}

/** The alarms about native subscriptions. One alarm covers all of them. */
export function subscriptionAlarms(name: string): OperatorAlarm[] {
  return [subscriptionsUnconfirmed(name), subscriptionsUndelivered(name)];
}

/** An endpoint that is down does not cause messages this old, because a delivery that fails leaves its queue for the
 *  backlog at once. The queue of drains is left out: it delays only backlogs, which have an alarm of their own.
 *
 *  SQS leaves messages that were received three times and stay out of the age of the oldest message; route and deliver
 *  report those, which come again after up to 18 minutes: hence 2 of 20. */
function queuesDelayed(name: string, { events, deliveries, chat }: Queues): OperatorAlarm {
  const period = Duration.minutes(1);
  const age = { period, statistic: 'Maximum' };
  return {
    name: 'queues delayed',
    happened: 'The oldest message in the events, deliveries or chat queue is over 10 minutes old.',
    means:
      'Endpoints receive events late, those with many events most. Native subscriptions are not affected. No event is lost: queues keep messages for 14 days.',
    first: {
      ask: 'logs deliver --since 30m',
      see: 'look for errors, here and in `logs route --since 30m`. Without errors, more events arrive than endpoints accept: narrow the filter of the endpoint with the most events in `status`.',
    },
    metric: new MathExpression({
      expression: 'MAX([events, deliveries, chat, retry])',
      label: 'Age of the oldest message (s)',
      usingMetrics: {
        events: events.metricApproximateAgeOfOldestMessage(age),
        deliveries: deliveries.metricApproximateAgeOfOldestMessage(age),
        chat: chat.metricApproximateAgeOfOldestMessage(age),
        retry: ownMetric(name, 'OldestRetry', 'Maximum'),
      },
      period,
    }),
    ...{ threshold: 600, points: 2, of: 20, missing: 'not breaching' },
  };
}

function failedMessages(name: string): OperatorAlarm {
  return {
    name: 'failed messages',
    happened:
      'Events could not be processed: every attempt failed, SNS rejected them, or they could not be published for 23 hours.',
    means:
      'At least one receiver lacks these events; all other events are delivered. They stay in a queue for 14 days, and in the journal: it can wait until the morning.',
    first: {
      ask: 'failed-messages list',
      see: 'repair the reason that is listed with each message, then run `failed-messages retry`. Events that were rejected or not published must be published again: see the runbook.',
    },
    ...counted(name, 'FailedMessages'),
  };
}

/** Tick counts the endpoints that accepted nothing for half an hour. Retries cover a shorter outage. */
function endpointsFailing(name: string): OperatorAlarm {
  return {
    name: 'endpoints failing',
    happened: 'At least one endpoint has accepted no delivery for over 30 minutes.',
    means:
      'Its events are queued, and sent in order when it is back; after 3 days a delivery is given up. Other endpoints are not affected. It can wait until the morning.',
    first: {
      ask: 'status',
      see: 'find the failing endpoint and its last response. Ask its owner to repair it, or correct its address or secret; `endpoints resume NAME` sends the backlog at once.',
    },
    ...counted(name, 'EndpointsFailing'),
  };
}

function endpointStopped(name: string): OperatorAlarm {
  return {
    name: 'endpoint stopped',
    happened: 'An endpoint answered 410 Gone, or failed for 5 days. Delivery to it stopped.',
    means:
      'It receives nothing until you resume it; its events are kept for at most 30 days. Other endpoints are not affected. This alarm ends by itself; the endpoint stays stopped.',
    first: {
      ask: 'status',
      see: 'find the stopped endpoint and the reason. Ask its owner: resume it with `endpoints resume NAME`, or remove it.',
    },
    ...happened(name, 'EndpointStopped'),
  };
}

function deliveriesDead(name: string): OperatorAlarm {
  return {
    name: 'deliveries dead',
    happened: 'Deliveries were given up: they failed for 3 days, or cannot be delivered at all.',
    means:
      'At least one endpoint lacks events. They are kept as dead letters for 30 days, and can be sent again. This alarm ends by itself.',
    first: {
      ask: 'status',
      see: 'find the endpoint with dead letters; `endpoints dead-letters NAME` lists the reasons. Once it accepts events again, run `resend --dead --to NAME`.',
    },
    ...happened(name, 'DeliveriesDead'),
  };
}

/** A deployment that adds a subscription, and its handshake, take minutes: hence 15. */
function subscriptionsUnconfirmed(name: string): OperatorAlarm {
  return {
    name: 'subscriptions unconfirmed',
    happened:
      'At least one native subscription of the configuration has been pending or missing for 15 minutes.',
    means:
      'Its receiver gets no events, and SNS keeps none for it. SNS deletes a subscription that is pending for 48 hours.',
    first: {
      ask: 'logs tick --since 15m',
      see: 'the log names the subscription. Ask its owner to confirm it; the runbook shows how to send the confirmation again.',
    },
    ...counted(name, 'SubscriptionsUnconfirmed', 15),
  };
}

function subscriptionsUndelivered(name: string): OperatorAlarm {
  return {
    name: 'subscriptions undelivered',
    happened: 'SNS gave up on events for a native subscription after an hour of attempts.',
    means:
      'Its receiver lacks events; other receivers are not affected. They stay in its dead-letter queue for 14 days.',
    first: {
      ask: 'logs tick --since 15m',
      see: 'the log names the subscription and its dead-letter queue. When the receiver accepts events again, publish that time again: see the runbook.',
    },
    ...counted(name, 'SubscriptionsUndelivered'),
  };
}
