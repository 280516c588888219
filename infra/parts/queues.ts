import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { keptQueue } from './dead-letter-queue.ts';
import type { Binding } from './handler.ts';
import { CHAT, EVENTS, type Serving, WEBHOOKS } from './serving.ts';

/** How often a message is received before it counts as one that can't be settled. What a run did not
 *  settle is shown again after 6 minutes (events) or 18 (deliveries), so 100 receives take 10 hours or
 *  30. So an outage of the table for hours puts nothing aside, and a message that kills each run is put
 *  aside long before SQS drops it after 14 days. */
const RECEIVES = 100;

/** The queues between the topic and the endpoints, for all endpoints together. They are standard queues
 *  whose messages carry the endpoint's name as message group: SQS then serves quiet endpoints before a
 *  busy or slow one (fair queues). */
export class Queues extends Construct {
  /** Events as the topic delivers them, for the route function. */
  readonly events: Queue;
  /** Deliveries: one event for one webhook each. */
  readonly deliveries: Queue;
  /** One event for one channel of Slack or Teams. They have a queue of their own, because they wait for
   *  others to become one message. */
  readonly chat: Queue;
  /** Messages that could not be settled. The queue stays when the stack is destroyed, because they are
   *  nowhere else. */
  readonly unsettled: Queue;

  constructor(scope: Construct, id: string, { topic }: { topic: ITopic }) {
    super(scope, id);
    this.unsettled = keptQueue(this, 'Unsettled', {
      // Not RETAIN: if a first deployment fails, the queue goes, because nothing can be in it.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.events = this.#queue('Events', EVENTS);
    this.deliveries = this.#queue('Deliveries', WEBHOOKS);
    this.chat = this.#queue('Chat', CHAT);
    topic.addSubscription(
      new SqsSubscription(this.events, { rawMessageDelivery: true, deadLetterQueue: this.unsettled }),
    );
  }

  /** `DELIVERIES_QUEUE_URL` and `CHAT_QUEUE_URL`, for functions that send to these queues. */
  forSending(): Record<string, Binding> {
    const bound = (queue: Queue): Binding => ({
      value: queue.queueUrl,
      grant: grantee =>
        Grant.addToPrincipal({ grantee, actions: ['sqs:SendMessage'], resourceArns: [queue.queueArn] }),
    });
    return { DELIVERIES_QUEUE_URL: bound(this.deliveries), CHAT_QUEUE_URL: bound(this.chat) };
  }

  #queue(id: string, { timeout, window }: Serving): Queue {
    return keptQueue(this, id, {
      // As AWS recommends: with less, messages of a run that Lambda had to put off could be given to
      // another. Messages of a killed run also wait this long.
      visibilityTimeout: Duration.seconds(6 * timeout.toSeconds() + window.toSeconds()),
      deadLetterQueue: { queue: this.unsettled, maxReceiveCount: RECEIVES },
    });
  }
}
