import { Grant } from 'aws-cdk-lib/aws-iam';
import { Alias, type IKey } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Binding } from './handler.ts';
import { mayUse } from './key-use.ts';

/** The topic that carries every change event. */
export class ChangeTopic extends Construct {
  readonly topic: Topic;
  readonly #encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, encryptionKey?: IKey) {
    super(scope, id);
    this.#encryptionKey = encryptionKey;
    this.topic = new Topic(this, 'Topic', {
      displayName: 'Changewire change events',
      // Version 2 signs with SHA-256, version 1 with SHA-1.
      signatureVersion: '2',
      enforceSSL: true,
      // AWS's key for SNS is free, and its policy lets every principal of the account use it through SNS. Other AWS
      // services can't publish with it, but only a function publishes here. A customer's key needs grants (key-use.ts).
      masterKey: encryptionKey ?? Alias.fromAliasName(this, 'SnsKey', 'alias/aws/sns'),
    });
  }

  /** `TOPIC_ARN` for the function that publishes. */
  forPublishing(): Binding {
    return {
      value: this.topic.topicArn,
      grant: grantee => {
        Grant.addToPrincipal({ grantee, actions: ['sns:Publish'], resourceArns: [this.topic.topicArn] });
        mayUse(this.#encryptionKey, 'send', grantee);
      },
    };
  }

  /** `TOPIC_ARN` for the function that checks subscriptions and finds their dead-letter queues. */
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
