import { Stack } from 'aws-cdk-lib';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { deliveryAlarms, subscriptionAlarms } from './alarms/delivery-alarms.ts';
import { functionAlarms, type Watched } from './alarms/function-alarms.ts';
import { operatorAlarm } from './alarms/operator-alarm.ts';
import { processAlarms } from './alarms/process-alarms.ts';
import type { Queues } from './parts/queues.ts';

export interface AlarmsProps {
  /** The name of the stack. */
  readonly name: string;
  /** Receives the alarms; undefined: a topic is created. */
  readonly topic: ITopic | undefined;
  readonly email: string | undefined;
  readonly queues: Queues;
  readonly handlers: Watched;
  /** Whether the configuration has native subscriptions. */
  readonly hasSubscriptions: boolean;
}

/** All alarms for operators: 13, plus two with native subscriptions, whatever the number of processes and endpoints.
 *  Each has a section in docs/runbook.md. */
export class Alarms extends Construct {
  readonly topic: ITopic;
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const { name, topic, email, queues, handlers, hasSubscriptions } = props;
    this.topic = topic ?? alarmTopic(this);
    if (email !== undefined)
      new Subscription(this, 'Email', {
        topic: this.topic,
        protocol: SubscriptionProtocol.EMAIL,
        endpoint: email,
      });
    const action = new SnsAction(this.topic);
    const specs = [
      ...processAlarms(name),
      ...functionAlarms(name, handlers),
      ...deliveryAlarms(name, queues),
      ...(hasSubscriptions ? subscriptionAlarms(name) : []),
    ];
    this.all = specs.map(spec => operatorAlarm(this, name, spec, action));
  }
}

/** Not encrypted at rest: CloudWatch can't use AWS's key for SNS. The messages hold no records, so a key of our own
 *  is not needed. */
function alarmTopic(scope: Construct): Topic {
  const topic = new Topic(scope, 'Topic', {
    displayName: 'Changewire alarms',
    signatureVersion: '2',
    enforceSSL: true,
  });
  // A custom topic policy replaces the default one, which lets CloudWatch publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      sid: 'AlarmsMayPublish',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  return topic;
}
