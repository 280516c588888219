import { Duration, Names, Validations } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type ITopic, Subscription, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { keptQueue } from './dead-letter-queue.ts';
import type { Binding } from './handler.ts';
import { snsMayUse } from './key-use.ts';
import { sendingTo } from './sending.ts';
import { CHAT, DRAINS, EVENTS, type Serving, WEBHOOKS } from './serving.ts';
import { removalOfQueue, type StorageOptions } from './storage-options.ts';

/** Receives of a message before it moves to the failed messages. The first ten retries take at most 30 s each
 *  (`soonAgain`), the others 6 minutes (events) or 18 (deliveries): 9 or 27 hours in all. That outlasts an outage of
 *  the table for hours, and ends long before SQS drops the message after 14 days. */
const RECEIVES = 100;

export interface QueuesProps {
  readonly topic: ITopic;
  readonly storage: StorageOptions;
}

/** The queues between the topic and all endpoints. The message group is the name of the endpoint, so that SQS serves
 *  quiet endpoints before a busy or slow one (fair queues). */
export class Queues extends Construct {
  /** Events from the topic, for the route function. */
  readonly events: Queue;
  /** Deliveries: each is one event for one webhook. */
  readonly deliveries: Queue;
  /** Deliveries for chats. They have their own queue, because they wait for others to share a message. */
  readonly chat: Queue;
  /** Messages that start a drain: a run that sends the backlog of an endpoint. */
  readonly drains: Queue;
  /** Messages that could not be processed. They exist nowhere else, so that by default the queue outlives the stack. */
  readonly unsettled: Queue;

  constructor(scope: Construct, id: string, { topic, storage }: QueuesProps) {
    super(scope, id);
    this.unsettled = keptQueue(this, 'Unsettled', storage, { removalPolicy: removalOfQueue(storage) });
    this.events = this.#queue('Events', EVENTS, storage);
    this.deliveries = this.#queue('Deliveries', WEBHOOKS, storage);
    this.chat = this.#queue('Chat', CHAT, storage);
    this.drains = drainsQueue(this, storage);
    snsMayUse(storage.encryptionKey, this);
    this.#subscribe(topic);
  }

  /** `DELIVERIES_QUEUE_URL` and `CHAT_QUEUE_URL`, for functions that send to these queues. */
  forSending(): Record<string, Binding> {
    return { DELIVERIES_QUEUE_URL: sendingTo(this.deliveries), CHAT_QUEUE_URL: sendingTo(this.chat) };
  }

  /** `UNSETTLED_QUEUE_URL`, for functions that move malformed messages to the failed messages. */
  forFailedMessages(): Record<string, Binding> {
    return { UNSETTLED_QUEUE_URL: sendingTo(this.unsettled) };
  }

  /** The same without permission to send, for the function that serves these queues. */
  get urls(): Record<string, Binding> {
    return {
      DELIVERIES_QUEUE_URL: { value: this.deliveries.queueUrl },
      CHAT_QUEUE_URL: { value: this.chat.queueUrl },
    };
  }

  /** `DRAINS_QUEUE_URL`, for functions that start drains. */
  forStartingDrains(): Record<string, Binding> {
    return { DRAINS_QUEUE_URL: sendingTo(this.drains) };
  }

  /** Like CDK's SqsSubscription, which lets the key's policy name the topic: if the topic has the same key, that is a
   *  circular reference, which CloudFormation refuses. */
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

  #queue(id: string, { timeout, window }: Serving, storage: StorageOptions): Queue {
    return keptQueue(this, id, storage, {
      // As AWS recommends: with less, another run could receive the messages of a throttled run. Messages of a killed
      // run wait as long.
      visibilityTimeout: Duration.seconds(6 * timeout.toSeconds() + window.toSeconds()),
      deadLetterQueue: { queue: this.unsettled, maxReceiveCount: RECEIVES },
    });
  }
}

/** Its messages may be lost: the backlog is in rows, and the tick starts another drain each minute. */
function drainsQueue(scope: Construct, storage: StorageOptions): Queue {
  const queue = keptQueue(scope, 'Drains', storage, {
    // The run that received the message has ended by then, even if Lambda was throttled first.
    visibilityTimeout: Duration.seconds(2 * DRAINS.timeout.toSeconds()),
    // The tick adds a message per minute and endpoint with a backlog, even while the queue is not read.
    retentionPeriod: Duration.hours(1),
  });
  Validations.of(queue).acknowledge({
    id: 'AwsSolutions-SQS3',
    reason: 'A lost message is not needed: the backlog is in rows, and the next tick sends another message.',
  });
  return queue;
}
