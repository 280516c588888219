import { Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { deliveryAlarms, subscriptionsUnconfirmed } from './alarms/delivery-alarms.ts';
import { deliverErrors, pollErrors, publishBehind, routeErrors } from './alarms/function-alarms.ts';
import { type OperatorAlarm, operatorAlarm } from './alarms/operator-alarm.ts';
import { held, skipped, stale, stalled } from './alarms/pass-alarms.ts';
import { rejectedEvents, unpublished, unstarted } from './alarms/queue-alarms.ts';
import type { Config } from './config/schema.ts';
import type { Deliver } from './deliver.ts';
import { passes } from './passes.ts';
import type { Poll } from './poll.ts';
import type { Publish } from './publish.ts';
import type { Queues } from './queues.ts';
import type { Route } from './route.ts';
import type { Schedules } from './schedules.ts';

export interface AlarmsProps {
  readonly config: Config;
  readonly poll: Poll;
  readonly publish: Publish;
  readonly schedules: Schedules;
  readonly queues: Queues;
  readonly route: Route;
  readonly deliver: Deliver;
}

/** Everything that an operator must hear of; each has an entry in docs/runbook.md. */
export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.topic = alarmTopic(this, props.config.alarmEmail);
    const action = new SnsAction(this.topic);
    const { stackName } = props.config;
    for (const [key, spec] of specs(props)) operatorAlarm(this, key, spec, { action, stackName });
  }
}

function specs(props: AlarmsProps): [string, OperatorAlarm][] {
  const { config, poll, publish, schedules, queues, route, deliver } = props;
  const scheduled = passes(config);
  return [
    ...scheduled.map((pass): [string, OperatorAlarm] => [`Stale.${pass.key}`, stale(pass)]),
    ...scheduled
      .filter(pass => pass.mode === 'sweep')
      .flatMap((pass): [string, OperatorAlarm][] => [
        [`Held.${pass.key}`, held(pass)],
        [`Stalled.${pass.key}`, stalled(pass)],
        [`Skipped.${pass.key}`, skipped(pass)],
      ]),
    ['PollErrors', pollErrors(poll.fn)],
    ['PublishBehind', publishBehind(publish.fn)],
    ['EventsRejected', rejectedEvents(publish.rejected)],
    ['RecordsUnpublished', unpublished(publish.unpublished)],
    ['PassesUnstarted', unstarted(schedules.unstarted)],
    ['RouteErrors', routeErrors(route.fn)],
    ['DeliverErrors', deliverErrors(deliver.fn)],
    ...deliveryAlarms(queues),
    ...(config.subscriptions.length > 0
      ? [['SubscriptionsUnconfirmed', subscriptionsUnconfirmed()] satisfies [string, OperatorAlarm]]
      : []),
  ];
}

/** Not encrypted at rest: CloudWatch can't use AWS's key for SNS, and what it sends are the names of processes and of
 *  what is wrong with them, no records: nothing that a key of our own would have to guard. */
function alarmTopic(scope: Construct, email: string | undefined): Topic {
  const topic = new Topic(scope, 'Topic', {
    displayName: 'Changewire alarms',
    signatureVersion: '2',
    enforceSSL: true,
  });
  // A topic with a policy of its own loses the default one, and with it CloudWatch's permission.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsMayPublish',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  if (email !== undefined)
    new Subscription(scope, 'Email', { topic, protocol: SubscriptionProtocol.EMAIL, endpoint: email });
  return topic;
}
