import { Duration } from 'aws-cdk-lib';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { batching, DELIVER_TIMEOUT } from './batching.ts';
import type { EndpointConfig } from './config/endpoint.ts';
import { attributesOf } from './config/filter.ts';
import { keptQueue } from './dead-letter-queue.ts';
import { filterPolicy } from './filter-policy.ts';

/** The queue of one endpoint and what belongs to it: whatever becomes of one endpoint, the others don't notice. */
export class Endpoint extends Construct {
  readonly config: EndpointConfig;
  /** Events that wait for their delivery, or for its next try. */
  readonly queue: Queue;
  /** Events that the endpoint did not take in three days, or refuses for ever. */
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: { topic: ITopic; config: EndpointConfig }) {
    super(scope, id);
    this.config = props.config;
    this.deadLetters = keptQueue(this, 'DeadLetters');
    const { window } = batching(props.config.kind);
    this.queue = keptQueue(this, 'Queue', {
      // What AWS asks for: less, and a run that Lambda had to put off could find its events taken by another. It is also
      // how long events wait when a run was killed.
      visibilityTimeout: Duration.seconds(6 * DELIVER_TIMEOUT.toSeconds() + window.toSeconds()),
      // The function itself gives up, by age. This ends what kills the function each time; 1000 is SQS's most.
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: 1_000 },
    });
    props.topic.addSubscription(
      new SqsSubscription(this.queue, {
        rawMessageDelivery: true,
        deadLetterQueue: this.deadLetters,
        ...filterPolicy(attributesOf(props.config.filter ?? {})),
      }),
    );
  }
}
