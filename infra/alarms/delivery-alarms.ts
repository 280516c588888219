import { Duration } from 'aws-cdk-lib';
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import type { Queues } from '../parts/queues.ts';
import { counted, happened, threeTimes } from './conditions.ts';
import type { OperatorAlarm } from './operator-alarm.ts';

/** The alarms about queues and endpoints, however many there are. Which one it is about stands in the log and
 *  in `status`: an alarm for each would take a deployment for each. */
export function deliveryAlarms(name: string, queues: Queues): OperatorAlarm[] {
  return [
    queuesDelayed(queues),
    failedMessages(name),
    endpointsFailing(name),
    endpointStopped(name),
    deliveriesDead(name),
  ];
}

/** The alarms about native subscriptions, however many there are. */
export function subscriptionAlarms(name: string): OperatorAlarm[] {
  return [subscriptionsUnconfirmed(name), subscriptionsUndelivered(name)];
}

/** Routing takes milliseconds, and what an endpoint doesn't take leaves its queue at once, as a row of the
 *  table. So an endpoint that is down makes no messages this old: more comes than can be worked off, or
 *  nothing is settled. The queue of drains is left out: where its messages are old, nothing is late but
 *  backlogs of endpoints, which have an alarm of their own. */
function queuesDelayed({ events, deliveries, chat }: Queues): OperatorAlarm {
  const period = Duration.minutes(1);
  const age = { period, statistic: 'Maximum' };
  return {
    name: 'queues behind',
    happened: 'The oldest message in the queue of events, of deliveries or of chats is over 10 minutes old.',
    means:
      'Endpoints get events late, those with much to get before others; native subscriptions go on. None is lost for 14 days.',
    first: {
      ask: 'logs deliver --since 30m',
      see: 'ask the same of route: one may fail, or be throttled. Without errors more comes than is sent: the dashboard shows in which queue.',
    },
    ...threeTimes(
      new MathExpression({
        expression: 'MAX([events, deliveries, chat])',
        label: 'Age of the oldest message (s)',
        usingMetrics: {
          events: events.metricApproximateAgeOfOldestMessage(age),
          deliveries: deliveries.metricApproximateAgeOfOldestMessage(age),
          chat: chat.metricApproximateAgeOfOldestMessage(age),
        },
        period,
      }),
      600,
    ),
  };
}

function failedMessages(name: string): OperatorAlarm {
  return {
    name: 'events set aside',
    happened:
      'Events were set aside: no run could settle them, SNS refused them, or publishing gave up a stretch of the stream.',
    means:
      'At least one receiver lacks events. They wait in a queue for 14 days, and are in the journal for 30; others go on.',
    first: {
      ask: 'failed-messages list',
      see: 'each says why, and docs/runbook.md how to send it again.',
    },
    ...counted(name, 'MoveToFailed'),
  };
}

/** Tick counts the endpoints that took nothing for half an hour. One that is away for less is tried
 *  again, and nobody need know. */
function endpointsFailing(name: string): OperatorAlarm {
  return {
    name: 'endpoints failing',
    happened: 'At least one endpoint took nothing for over 30 minutes.',
    means:
      'Its deliveries wait in the table, and come in order when it is back; after 3 days each is given up. Others are not concerned. It can wait until the morning.',
    first: { ask: 'status', see: 'it names the endpoint, since when it fails, and what it answered last.' },
    ...counted(name, 'EndpointsFailing'),
  };
}

function endpointStopped(name: string): OperatorAlarm {
  return {
    name: 'endpoint stopped',
    happened: 'An endpoint answered 410 Gone, or failed for 5 days: nothing is sent to it any more.',
    means:
      'Its deliveries wait in the table until you resume it, for 30 days at most. This alarm ends by itself; the endpoint stays stopped.',
    first: { ask: 'status', see: 'it names the endpoint that is stopped, and why.' },
    ...happened(name, 'EndpointStopped'),
  };
}

function deliveriesDead(name: string): OperatorAlarm {
  return {
    name: 'deliveries dead',
    happened: 'Deliveries were given up: they waited for 3 days, or can not be delivered at all.',
    means:
      'At least one endpoint lacks events. They are kept in the table for 30 days as dead letters, and can be sent again.',
    first: {
      ask: 'status',
      see: 'it says which endpoint has dead letters; npx changewire endpoints dead-letters says why.',
    },
    ...happened(name, 'DeliveriesDead'),
  };
}

/** For 15 minutes, because a deployment that adds a subscription, and its handshake, take minutes. */
function subscriptionsUnconfirmed(name: string): OperatorAlarm {
  return {
    name: 'subscriptions unconfirmed',
    happened:
      'For 15 minutes at least one native subscription of the configuration is pending, or is not there.',
    means:
      'Its receiver gets nothing, and SNS keeps nothing for it. SNS forgets a subscription that is pending for 48 hours.',
    first: { ask: 'logs tick --since 15m', see: 'it names the subscription: have its receiver confirm.' },
    ...counted(name, 'SubscriptionsUnconfirmed', 15),
  };
}

function subscriptionsUndelivered(name: string): OperatorAlarm {
  return {
    name: 'subscriptions undelivered',
    happened: 'SNS gave up on events for a native subscription, after an hour of attempts.',
    means:
      'Its receiver lacks events; others are not concerned. They wait in its dead-letter queue for 14 days.',
    first: {
      ask: 'logs tick --since 15m',
      see: 'it names the subscription and its queue, whose messages say what the receiver answered.',
    },
    ...counted(name, 'SubscriptionsUndelivered'),
  };
}
