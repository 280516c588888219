import { Grant } from 'aws-cdk-lib/aws-iam';
import { Alias } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Binding } from './handler.ts';

/** The topic that carries every change event. */
export class ChangeTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', {
      displayName: 'Changewire change events',
      // SHA-256; version 1 signs with SHA-1.
      signatureVersion: '2',
      enforceSSL: true,
      // Events carry the customer's records, so SNS encrypts them at rest. AWS's own key for SNS is enough, and free:
      // only services that publish by themselves can't use it, and here one function publishes. Its key policy lets
      // every principal of the account use it through SNS: no grant is needed.
      masterKey: Alias.fromAliasName(this, 'SnsKey', 'alias/aws/sns'),
    });
  }

  /** `TOPIC_ARN` for who publishes. */
  forPublishing(): Binding {
    return {
      value: this.topic.topicArn,
      grant: grantee =>
        Grant.addToPrincipal({
          grantee,
          actions: ['sns:Publish'],
          resourceArns: [this.topic.topicArn],
        }),
    };
  }

  /** `TOPIC_ARN` for who looks whether its subscriptions are confirmed, and where what they don't take goes. */
  forWatching(): Binding {
    return {
      value: this.topic.topicArn,
      grant: grantee =>
        Grant.addToPrincipal({
          grantee,
          actions: ['sns:ListSubscriptionsByTopic', 'sns:GetSubscriptionAttributes'],
          resourceArns: [this.topic.topicArn],
        }),
    };
  }
}
