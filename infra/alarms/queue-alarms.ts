import { Duration } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { OperatorAlarm } from './operator-alarm.ts';

type Text = Pick<OperatorAlarm, 'name' | 'happened' | 'means' | 'first' | 'section'>;

/** One message is enough: each is an event or a run that nobody else will take care of. */
export function notEmpty(queue: IQueue, text: Text): OperatorAlarm {
  return {
    ...text,
    metric: queue.metricApproximateNumberOfMessagesVisible({
      period: Duration.minutes(1),
      statistic: 'Maximum',
    }),
    when: 'at least',
    threshold: 1,
    periods: 1,
    missing: 'not breaching',
  };
}

export function undelivered(queue: IQueue, subscription: string, url: string): OperatorAlarm {
  return notEmpty(queue, {
    name: `${subscription} undelivered`,
    happened: `SNS gave up on events for the subscription ${subscription} (${url}).`,
    means:
      'This receiver lacks events; others are not concerned. They wait in its dead-letter queue for 14 days.',
    first: {
      // SNS's own: nothing of Changewire stands between it and this receiver.
      run: `aws sqs receive-message --queue-url ${queue.queueUrl} --visibility-timeout 0 --message-attribute-names All`,
      see: 'ERROR_CODE and ERROR_MESSAGE say what the endpoint answered.',
    },
    section: 'subscription-undelivered',
  });
}

export function rejectedEvents(queue: IQueue): OperatorAlarm {
  return notEmpty(queue, {
    name: 'events rejected',
    happened: 'SNS refused events as invalid, and the publish function put them aside, whole.',
    means: 'No receiver got these events, later ones went on. They wait in the queue for 14 days.',
    first: {
      ask: 'set-aside list rejected',
      see: 'each says why; the log of the publish function says more.',
    },
    section: 'events-rejected',
  });
}

export function unpublished(queue: IQueue): OperatorAlarm {
  return notEmpty(queue, {
    name: 'records unpublished',
    happened: 'Lambda gave up a stretch of the change stream after 23 hours of failures.',
    means: 'No receiver got the events of that time. They stay in the table for 30 days and can be replayed.',
    first: {
      ask: 'set-aside list unpublished',
      see: 'repair what "publish behind" reported before, then publish once more the time that the message names.',
    },
    section: 'records-unpublished',
  });
}

export function unstarted(queue: IQueue): OperatorAlarm {
  return notEmpty(queue, {
    name: 'passes unstarted',
    happened: 'EventBridge Scheduler could not start the poll or the tick function.',
    means:
      'That process was not polled then, or failing endpoints not tried. Nothing is lost: the next run makes up for it.',
    first: {
      ask: 'set-aside list unstarted',
      see: 'each says why: mostly throttling or a changed permission.',
    },
    section: 'passes-unstarted',
  });
}
