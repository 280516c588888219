import { ListSubscriptionsByTopicCommand, type SNSClient, type Subscription } from '@aws-sdk/client-sns';

/** A native subscription that the topic should have. */
export interface ExpectedSubscription {
  readonly name: string;
  readonly url: string;
}

/** One that gets nothing. */
export interface UnconfirmedSubscription extends ExpectedSubscription {
  /** `pending`: the receiver has not answered SNS's handshake. `missing`: SNS has no such subscription, be it that it never was
   *  made, that somebody deleted it, or that SNS did, 48 hours after a handshake without an answer. */
  readonly state: 'pending' | 'missing';
}

/** Which of the expected subscriptions get nothing because SNS waits for their confirmation, or doesn't have them. Subscriptions
 *  that nobody expects are none of its business. */
export async function watchSubscriptions(
  client: Pick<SNSClient, 'send'>,
  topicArn: string,
  expected: readonly ExpectedSubscription[],
): Promise<UnconfirmedSubscription[]> {
  if (expected.length === 0) return [];
  const states = new Map<string, 'pending' | 'confirmed'>();
  for (const { Endpoint = '', SubscriptionArn = '' } of await subscriptionsOf(client, topicArn)) {
    const address = normal(Endpoint);
    // An ARN is what a confirmed one alone has; of a deleted one SNS still tells for a while, as `Deleted`.
    if (SubscriptionArn.startsWith('arn:')) states.set(address, 'confirmed');
    else if (SubscriptionArn === 'PendingConfirmation' && !states.has(address))
      states.set(address, 'pending');
  }
  return expected.flatMap(each => {
    const state = states.get(normal(each.url)) ?? 'missing';
    return state === 'confirmed' ? [] : [{ ...each, state }];
  });
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
