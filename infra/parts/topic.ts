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
      // Events hold the customer's records, so SNS encrypts them at rest, with AWS's own key for SNS,
      // which is free. Only other services of AWS can't publish with that key, and here it is one
      // function that publishes. The key's policy lets every principal of the account use it through SNS,
      // so no grant is needed. With the customer's key it is (key-use.ts).
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

  /** `TOPIC_ARN` for the function that checks whether subscriptions are confirmed, and where their
   *  undelivered messages go. */
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
