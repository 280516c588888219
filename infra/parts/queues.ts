import { Duration, Names, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Subscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { keptQueue } from './dead-letter-queue.ts';
import type { Binding } from './handler.ts';
import { type Keeping, removalOfQueue } from './keeping.ts';
import { snsMayUse } from './key-use.ts';
import { sendingTo } from './sending.ts';
import { CHAT, DRAINS, EVENTS, type Serving, WEBHOOKS } from './serving.ts';

/** How often a message is received before it counts as one that can't be settled. The first ten times a
 *  message is shown again within 30 s (`soonAgain`), then after 6 minutes (events) or 18 (deliveries), so 100
 *  receives take 9 hours or 27. So an outage of the table for hours puts nothing aside, and a message that
 *  kills each run is put aside long before SQS drops it after 14 days. */
const RECEIVES = 100;

export interface QueuesProps {
  readonly topic: ITopic;
  readonly keeping: Keeping;
}

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
  /** Messages that wake a run, which sends the backlog of one endpoint for one turn. */
  readonly drains: Queue;
  /** Messages that could not be settled. The queue stays when the stack is destroyed, unless that is not
   *  wanted, because they are nowhere else. */
  readonly unsettled: Queue;

  constructor(scope: Construct, id: string, { topic, keeping }: QueuesProps) {
    super(scope, id);
    this.unsettled = keptQueue(this, 'Unsettled', keeping, { removalPolicy: removalOfQueue(keeping) });
    this.events = this.#queue('Events', EVENTS, keeping);
    this.deliveries = this.#queue('Deliveries', WEBHOOKS, keeping);
    this.chat = this.#queue('Chat', CHAT, keeping);
    this.drains = drainsQueue(this, keeping);
    snsMayUse(keeping.encryptionKey, this);
    this.#subscribe(topic);
  }

  /** `DELIVERIES_QUEUE_URL` and `CHAT_QUEUE_URL`, for functions that send to these queues. */
  forSending(): Record<string, Binding> {
    return { DELIVERIES_QUEUE_URL: sendingTo(this.deliveries), CHAT_QUEUE_URL: sendingTo(this.chat) };
  }

  /** `UNSETTLED_QUEUE_URL`, for functions that set malformed messages aside. */
  forFailedMessages(): Record<string, Binding> {
    return { UNSETTLED_QUEUE_URL: sendingTo(this.unsettled) };
  }

  /** The same without permission to send: for the function that serves them. */
  get urls(): Record<string, Binding> {
    return {
      DELIVERIES_QUEUE_URL: { value: this.deliveries.queueUrl },
      CHAT_QUEUE_URL: { value: this.chat.queueUrl },
    };
  }

  /** `DRAINS_QUEUE_URL`, for functions that wake a run. */
  forWaking(): Record<string, Binding> {
    return { DRAINS_QUEUE_URL: sendingTo(this.drains) };
  }

  /** As CDK's SqsSubscription does it, but for the key: where topic and queue have the same one, that has the
   *  key's policy name the topic, which names the key, and CloudFormation refuses the circle. */
  #subscribe(topic: ITopic): void {
    const { policyDependable } = this.events.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('sns.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.events.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': topic.topicArn } },
      }),
    );
    const subscription = new Subscription(this.events, Names.nodeUniqueId(topic.node), {
      topic,
      protocol: SubscriptionProtocol.SQS,
      endpoint: this.events.queueArn,
      rawMessageDelivery: true,
      deadLetterQueue: this.unsettled,
    });
    if (policyDependable) subscription.node.addDependency(policyDependable);
  }

  #queue(id: string, { timeout, window }: Serving, keeping: Keeping): Queue {
    return keptQueue(this, id, keeping, {
      // As AWS recommends: with less, messages of a run that Lambda had to put off could be given to
      // another. Messages of a killed run also wait this long.
      visibilityTimeout: Duration.seconds(6 * timeout.toSeconds() + window.toSeconds()),
      deadLetterQueue: { queue: this.unsettled, maxReceiveCount: RECEIVES },
    });
  }
}

/** Its messages hold nothing: the rows of the endpoint do, and the tick wakes another run each minute. */
function drainsQueue(scope: Construct, keeping: Keeping): Queue {
  const queue = keptQueue(scope, 'Drains', keeping, {
    // By then the run that got the message has ended for certain, even if Lambda first had to put it off. A
    // message of a killed run comes again sooner than the alarm for old messages looks at it.
    visibilityTimeout: Duration.seconds(2 * DRAINS.timeout.toSeconds()),
    // The tick adds a message each minute for each endpoint with a backlog, even while none is received.
    retentionPeriod: Duration.hours(1),
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason:
      'A message that was not received needs no keeping: the backlog is in rows, and the next tick sends the next message.',
  });
  return queue;
}
