import {
  GetSubscriptionAttributesCommand,
  ListSubscriptionsByTopicCommand,
  type SNSClient,
  type Subscription,
} from '@aws-sdk/client-sns';
import { describe, expect, it } from 'vitest';
import { createSubscriptionWatch } from '../../functions/topic/watch-subscriptions.ts';

const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:Changes';
const at = (host: string) => `https://${host}.example.com/hook`;
const expected = (...names: string[]) => names.map(name => ({ name, url: at(name) }));
const confirmed = (Endpoint: string, id = '1'): Subscription => ({
  Endpoint,
  SubscriptionArn: `${TOPIC}:${id}`,
});
const pending = (Endpoint: string): Subscription => ({ Endpoint, SubscriptionArn: 'PendingConfirmation' });
const queueOf = (id: string) => `arn:aws:sqs:eu-central-1:123456789012:Undelivered${id}`;

/** A topic that shows its subscriptions in these pages, each asked for by the token of the one before. Each subscription but `none` has a
 *  dead-letter queue. */
function topic(...pages: readonly (readonly Subscription[])[]) {
  const asked: unknown[] = [];
  const looked: unknown[] = [];
  const send = async (command: unknown) => {
    if (command instanceof GetSubscriptionAttributesCommand) {
      const id = command.input.SubscriptionArn?.split(':').at(-1) ?? '';
      looked.push(id);
      const policy = JSON.stringify({ deadLetterTargetArn: queueOf(id) });
      return { Attributes: id === 'none' ? {} : { RedrivePolicy: policy } };
    }
    if (!(command instanceof ListSubscriptionsByTopicCommand)) throw new Error('another command');
    const { TopicArn, NextToken } = command.input;
    if (TopicArn !== TOPIC) throw new Error('another topic');
    asked.push(NextToken);
    const index = Number(NextToken ?? 0);
    const next = index + 1 < pages.length ? { NextToken: String(index + 1) } : {};
    return { Subscriptions: pages[index], ...next };
  };
  return { asked, looked, client: { send } as unknown as SNSClient };
}

const watchOf = (
  client: SNSClient,
  wanted: { name: string; url: string }[],
  counts: Record<string, number> = {},
) => {
  const countIn = async (arn: string) => {
    if (!arn.startsWith('arn:')) throw new Error('not a queue');
    return counts[arn] ?? 0;
  };
  return createSubscriptionWatch({ client, topicArn: TOPIC, countIn }, wanted);
};
const watch = (...given: Parameters<typeof watchOf>) => watchOf(...given)();

describe('watching the native subscriptions', () => {
  it('tells those that are pending or missing, by name', async () => {
    const deleted = { Endpoint: at('c'), SubscriptionArn: 'Deleted' };
    const { client } = topic([pending(at('a')), confirmed(at('b')), deleted]);
    expect(await watch(client, expected('a', 'b', 'c'))).toEqual([
      { name: 'a', url: at('a'), state: 'pending' },
      { name: 'c', url: at('c'), state: 'missing' },
    ]);
  });

  it('tells those for which SNS gave up on events, asks once for their queue, and each time for the number', async () => {
    const { client, looked } = topic([confirmed(at('a'), '7'), confirmed(at('b'), 'none')]);
    const counts: Record<string, number> = {};
    const look = watchOf(client, expected('a', 'b'), counts);
    expect(await look()).toEqual([]);
    counts[queueOf('7')] = 3;
    const silent = { name: 'a', url: at('a'), state: 'undelivered', messages: 3, queue: queueOf('7') };
    expect(await look()).toEqual([silent]);
    expect(looked).toEqual(['7', 'none']);
  });

  it('reads all pages', async () => {
    const { client, asked } = topic([confirmed(at('a'))], [], [confirmed(at('b')), pending(at('c'))]);
    expect(await watch(client, expected('a', 'b', 'c'))).toMatchObject([{ name: 'c', state: 'pending' }]);
    expect(asked).toEqual([undefined, '1', '2']);
  });

  it.each([
    [pending(at('a')), confirmed(at('a'))],
    [confirmed(at('a')), pending(at('a'))],
  ])('is content with one that is confirmed beside a pending one of the same address', async (...both) => {
    expect(await watch(topic(both).client, expected('a'))).toEqual([]);
  });

  it('knows an address however it is written', async () => {
    const { client } = topic([confirmed('https://a.example.com/')]);
    expect(await watch(client, [{ name: 'a', url: 'https://A.example.com:443' }])).toEqual([]);
  });

  it('leaves alone what nobody expects: queues, functions, other receivers', async () => {
    const queue = { Endpoint: 'arn:aws:sqs:eu-central-1:123456789012:Events', SubscriptionArn: `${TOPIC}:2` };
    const { client, looked } = topic([queue, pending(at('z')), confirmed(at('a')), {}]);
    expect(await watch(client, expected('a'))).toEqual([]);
    expect(looked).toEqual(['1']);
  });

  it('asks nothing when none is expected', async () => {
    const { client, asked } = topic([]);
    expect(await watch(client, [])).toEqual([]);
    expect(asked).toEqual([]);
  });
});
