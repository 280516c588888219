import {
  GetSubscriptionAttributesCommand,
  ListSubscriptionsByTopicCommand,
  type SNSClient,
  type Subscription,
} from '@aws-sdk/client-sns';

/** A native subscription that the topic should have. */
export interface ExpectedSubscription {
  readonly name: string;
  readonly url: string;
}

/** One that doesn't get everything. */
export interface SilentSubscription extends ExpectedSubscription {
  /** `pending`: the receiver has not answered SNS's handshake. `missing`: SNS has no such subscription, be it that it never was
   *  made, that somebody deleted it, or that SNS did, 48 hours after a handshake without an answer. `undelivered`: SNS gave up on events, which
   *  its dead-letter queue holds. */
  readonly state: 'pending' | 'missing' | 'undelivered';
  /** How many that queue holds. */
  readonly messages?: number;
  /** Its ARN. */
  readonly queue?: string;
}

interface WatchParts {
  readonly client: Pick<SNSClient, 'send'>;
  readonly topicArn: string;
  /** How many messages the queue of this ARN holds. */
  readonly countIn: (queueArn: string) => Promise<number>;
}

/** Tells which of the expected subscriptions don't get everything: SNS waits for their confirmation, doesn't have them, or gave up on events.
 *  Subscriptions that nobody expects are none of its business. */
export function createSubscriptionWatch(
  { client, topicArn, countIn }: WatchParts,
  expected: readonly ExpectedSubscription[],
): () => Promise<SilentSubscription[]> {
  /** By subscription; a redrive policy is changed by a deployment alone. */
  const queues = new Map<string, string | undefined>();
  const undelivered = async (subscriptionArn: string) => {
    if (!queues.has(subscriptionArn))
      queues.set(subscriptionArn, await deadLetterQueueOf(client, subscriptionArn));
    const queue = queues.get(subscriptionArn);
    return { queue, messages: queue === undefined ? 0 : await countIn(queue) };
  };
  return async () => {
    if (expected.length === 0) return [];
    const states = statesOf(await subscriptionsOf(client, topicArn));
    const looks = expected.map(async (each): Promise<SilentSubscription[]> => {
      const state = states.get(normal(each.url)) ?? 'missing';
      if (typeof state === 'string') return [{ ...each, state }];
      const { queue, messages } = await undelivered(state.arn);
      return messages > 0 ? [{ ...each, state: 'undelivered', messages, ...(queue && { queue }) }] : [];
    });
    return (await Promise.all(looks)).flat();
  };
}

/** By address. */
function statesOf(found: readonly Subscription[]): Map<string, 'pending' | { readonly arn: string }> {
  const states = new Map<string, 'pending' | { readonly arn: string }>();
  for (const { Endpoint = '', SubscriptionArn = '' } of found) {
    const address = normal(Endpoint);
    // An ARN is what a confirmed one alone has; of a deleted one SNS still tells for a while, as `Deleted`.
    if (SubscriptionArn.startsWith('arn:')) states.set(address, { arn: SubscriptionArn });
    else if (SubscriptionArn === 'PendingConfirmation' && !states.has(address))
      states.set(address, 'pending');
  }
  return states;
}

/** The ARN of the queue to which SNS moves what it gave up on; undefined where there is none. */
async function deadLetterQueueOf(
  client: Pick<SNSClient, 'send'>,
  SubscriptionArn: string,
): Promise<string | undefined> {
  const { Attributes = {} } = await client.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }));
  const policy = JSON.parse(Attributes.RedrivePolicy ?? '{}') as { deadLetterTargetArn?: string };
  return policy.deadLetterTargetArn;
}

/** All pages of the topic's subscriptions; a page holds 100. */
async function subscriptionsOf(
  client: Pick<SNSClient, 'send'>,
  TopicArn: string,
): Promise<readonly Subscription[]> {
  const found: Subscription[] = [];
  let NextToken: string | undefined;
  do {
    const page = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn, NextToken }));
    found.push(...(page.Subscriptions ?? []));
    NextToken = page.NextToken;
  } while (NextToken);
  return found;
}

/** One address is written in several ways: `https://Example.com` is `https://example.com/`. */
function normal(url: string): string {
  return URL.parse(url)?.href ?? url;
}
