import { Duration } from 'aws-cdk-lib';
import {
  BackoffFunction,
  type DeliveryPolicy,
  type ITopic,
  Subscription,
  SubscriptionProtocol,
} from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { DeliveryConfig, SubscriptionConfig } from '../../functions/config/endpoint.ts';
import { keptDeadLetterQueue } from './dead-letter-queue.ts';
import { filterPolicy } from './filter-policy.ts';
import type { StorageOptions } from './storage-options.ts';

export interface HttpSubscriptionProps {
  readonly topic: ITopic;
  readonly config: SubscriptionConfig;
  readonly storage: StorageOptions;
}

/** A native subscription: a receiver that SNS delivers to over HTTP(S), once it has confirmed the subscription. */
export class HttpSubscription extends Construct {
  /** Events that the receiver did not accept. */
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, props: HttpSubscriptionProps) {
    super(scope, id);
    const { url, raw, filter, delivery } = props.config;
    this.undelivered = keptDeadLetterQueue(this, 'Undelivered', props.storage);
    const protocol = url.toLowerCase().startsWith('https:')
      ? SubscriptionProtocol.HTTPS
      : SubscriptionProtocol.HTTP;
    new Subscription(this, 'Subscription', {
      topic: props.topic,
      endpoint: url,
      protocol,
      rawMessageDelivery: raw,
      deliveryPolicy: deliveryPolicy(delivery),
      deadLetterQueue: this.undelivered,
      ...filterPolicy(filter),
    });
  }
}

const BACKOFF = {
  linear: BackoffFunction.LINEAR,
  arithmetic: BackoffFunction.ARITHMETIC,
  geometric: BackoffFunction.GEOMETRIC,
  exponential: BackoffFunction.EXPONENTIAL,
} as const satisfies Record<DeliveryConfig['backoff'], BackoffFunction>;

/** Our default retries for about 40 minutes of the hour that SNS allows, the default of SNS for one minute. */
function deliveryPolicy(delivery: DeliveryConfig): DeliveryPolicy {
  const { maxPerSecond, contentType } = delivery;
  return {
    healthyRetryPolicy: {
      minDelayTarget: Duration.millis(delivery.minDelay),
      maxDelayTarget: Duration.millis(delivery.maxDelay),
      numRetries: delivery.retries,
      numNoDelayRetries: delivery.noDelayRetries,
      numMinDelayRetries: delivery.minDelayRetries,
      numMaxDelayRetries: delivery.maxDelayRetries,
      backoffFunction: BACKOFF[delivery.backoff],
    },
    ...(maxPerSecond === undefined ? {} : { throttlePolicy: { maxReceivesPerSecond: maxPerSecond } }),
    ...(contentType === undefined ? {} : { requestPolicy: { headerContentType: contentType } }),
  };
}
