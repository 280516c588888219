import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { keptQueue } from './dead-letter-queue.ts';
import type { Binding } from './handler.ts';
import { CHAT, EVENTS, type Serving, WEBHOOKS } from './serving.ts';

/** Receives of one message before it counts as one that no code can settle. What a run did not settle is shown again after 6 minutes
 *  (events) or 18 (deliveries): 100 receives take 10 hours or 30. So an outage of the table for hours puts nothing aside, and a
 *  message that kills its run each time is out of the way long before the 14 days after which SQS forgets it. */
const RECEIVES = 100;

/** The queues between the topic and the endpoints, for all endpoints together. They are standard queues whose messages carry the
 *  endpoint's name as their group: SQS then serves the quiet groups before a busy or slow one (fair queues). */
export class Queues extends Construct {
  /** Events as the topic delivers them, each once, for the route function. */
  readonly events: Queue;
  /** One event for one webhook. */
  readonly deliveries: Queue;
  /** One event for one channel of Slack or Teams: apart, because they wait for each other to become one message. */
  readonly chat: Queue;
  /** What no code could settle. It stays when the stack goes, for nobody else has what is in it. */
  readonly unsettled: Queue;

  constructor(scope: Construct, id: string, { topic }: { topic: ITopic }) {
    super(scope, id);
    this.unsettled = keptQueue(this, 'Unsettled', {
      // But for one of a first deployment that failed: nothing can be in it.
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    this.events = this.#queue('Events', EVENTS);
    this.deliveries = this.#queue('Deliveries', WEBHOOKS);
    this.chat = this.#queue('Chat', CHAT);
    topic.addSubscription(
      new SqsSubscription(this.events, { rawMessageDelivery: true, deadLetterQueue: this.unsettled }),
    );
  }

  /** `DELIVERIES_QUEUE_URL` and `CHAT_QUEUE_URL`, for who fills these queues. */
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
      // What AWS asks for: less, and a run that Lambda had to put off could find its messages taken by another. It is also
      // how long they wait when a run was killed.
      visibilityTimeout: Duration.seconds(6 * timeout.toSeconds() + window.toSeconds()),
      deadLetterQueue: { queue: this.unsettled, maxReceiveCount: RECEIVES },
    });
  }
}
