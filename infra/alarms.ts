import { Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Subscription, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { deliveryAlarms } from './alarms/delivery-alarms.ts';
import { functionAlarms, type Watched } from './alarms/function-alarms.ts';
import { operatorAlarm } from './alarms/operator-alarm.ts';
import { processAlarms } from './alarms/process-alarms.ts';
import type { Queues } from './parts/queues.ts';

export interface AlarmsProps {
  readonly email: string | undefined;
  readonly queues: Queues;
  readonly handlers: Watched;
}

/** Everything that an operator must hear of: 15 alarms, whatever the stack's size, each with an entry in docs/runbook.md. */
export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { email, queues, handlers }: AlarmsProps) {
    super(scope, id);
    this.topic = alarmTopic(this, email);
    const action = new SnsAction(this.topic);
    const all = [...processAlarms(this), ...functionAlarms(this, handlers), ...deliveryAlarms(this, queues)];
    for (const spec of all) operatorAlarm(this, spec, action);
  }
}

/** Not encrypted at rest: CloudWatch can't use AWS's key for SNS. Its messages hold the names of
 *  processes and what is wrong with them, but no records, so they need no key of our own. */
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
