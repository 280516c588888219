import {
  GetSubscriptionAttributesCommand,
  ListSubscriptionsByTopicCommand,
  type SNSClient,
  type Subscription,
} from '@aws-sdk/client-sns';

/** A native subscription that is configured for the topic. */
interface ExpectedSubscription {
  readonly name: string;
  readonly url: string;
}

/** A subscription that doesn't get all events. */
export interface SilentSubscription extends ExpectedSubscription {
  /** `pending`: the receiver has not answered SNS's handshake. `missing`: SNS has no such subscription: it
   *  was never made, it was deleted, or SNS removed it 48 hours after an unanswered handshake.
   *  `undelivered`: SNS gave up on events, which are in the subscription's dead-letter queue. */
  readonly state: 'pending' | 'missing' | 'undelivered';
  /** The number of messages in its dead-letter queue. */
  readonly messages?: number;
  /** The ARN of that queue. */
  readonly queue?: string;
}

interface WatchParts {
  readonly client: Pick<SNSClient, 'send'>;
  readonly topicArn: string;
  /** Counts the messages in the queue of this ARN. */
  readonly countIn: (queueArn: string) => Promise<number>;
}

/** Finds the expected subscriptions that don't get all events. Ignores other subscriptions of the topic. */
export function createSubscriptionWatch(
  { client, topicArn, countIn }: WatchParts,
  expected: readonly ExpectedSubscription[],
): () => Promise<SilentSubscription[]> {
  /** Dead-letter queues by subscription, cached because only a deployment changes them. */
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
    const checks = expected.map(async (each): Promise<SilentSubscription[]> => {
      const state = states.get(normal(each.url)) ?? 'missing';
      if (typeof state === 'string') return [{ ...each, state }];
      const { queue, messages } = await undelivered(state.arn);
      return messages > 0 ? [{ ...each, state: 'undelivered', messages, ...(queue && { queue }) }] : [];
    });
    return (await Promise.all(checks)).flat();
  };
}

/** The states of subscriptions, by normal address. */
function statesOf(found: readonly Subscription[]): Map<string, 'pending' | { readonly arn: string }> {
  const states = new Map<string, 'pending' | { readonly arn: string }>();
  // Stryker disable next-line StringLiteral: a subscription without address or ARN matches no expected one
  for (const { Endpoint = '', SubscriptionArn = '' } of found) {
    const address = normal(Endpoint);
    // Only a confirmed subscription has an ARN here. SNS lists a deleted one for a while, with `Deleted`.
    if (SubscriptionArn.startsWith('arn:')) states.set(address, { arn: SubscriptionArn });
    else if (SubscriptionArn === 'PendingConfirmation' && !states.has(address))
      states.set(address, 'pending');
  }
  return states;
}

/** The ARN of the subscription's dead-letter queue, if it has one. */
async function deadLetterQueueOf(
  client: Pick<SNSClient, 'send'>,
  SubscriptionArn: string,
): Promise<string | undefined> {
  const { Attributes = {} } = await client.send(new GetSubscriptionAttributesCommand({ SubscriptionArn }));
  const policy = JSON.parse(Attributes.RedrivePolicy ?? '{}') as { deadLetterTargetArn?: string };
  return policy.deadLetterTargetArn;
}

/** All subscriptions of the topic; a page has 100. */
async function subscriptionsOf(
  client: Pick<SNSClient, 'send'>,
  TopicArn: string,
): Promise<readonly Subscription[]> {
  // Stryker disable next-line ArrayDeclaration: an entry with neither address nor ARN is ignored
  const found: Subscription[] = [];
  let NextToken: string | undefined;
  do {
    const page = await client.send(new ListSubscriptionsByTopicCommand({ TopicArn, NextToken }));
    // Stryker disable next-line ArrayDeclaration: as above
    found.push(...(page.Subscriptions ?? []));
    NextToken = page.NextToken;
  } while (NextToken);
  return found;
}

/** One spelling of a URL: `https://Example.com` is `https://example.com/`. */
function normal(url: string): string {
  return URL.parse(url)?.href ?? url;
}
