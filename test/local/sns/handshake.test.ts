import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { freePort } from '../../kit/dynamodb/free-port.ts';
import { listenInTest } from '../../kit/listen-in-test.ts';
import { eventually, receiver, startSns, startSubscribed } from '../../kit/local/sns.ts';

describe('the handshake', () => {
  it('posts a SubscriptionConfirmation with the documented headers and fields', async () => {
    const { sns, endpoint } = await startSubscribed();
    const [confirmation] = endpoint.received;
    const body = JSON.parse(confirmation?.body ?? '{}');
    expect(confirmation?.headers).toMatchObject({
      'x-amz-sns-message-type': 'SubscriptionConfirmation',
      'x-amz-sns-message-id': body.MessageId,
      'x-amz-sns-topic-arn': sns.topicArn,
      'content-type': 'text/plain; charset=UTF-8',
      'user-agent': 'Amazon Simple Notification Service Agent',
    });
    expect(confirmation?.headers['x-amz-sns-subscription-arn']).toBeUndefined();
    expect(Object.keys(body)).toEqual([
      ...['Type', 'MessageId', 'Token', 'TopicArn', 'Message', 'SubscribeURL', 'Timestamp'],
      ...['SignatureVersion', 'Signature', 'SigningCertURL'],
    ]);
    const fields = { Type: 'SubscriptionConfirmation', TopicArn: sns.topicArn, SignatureVersion: '2' };
    expect(body).toMatchObject(fields);
  });

  it('answers a visit of SubscribeURL with the XML of AWS, naming the subscription', async () => {
    const { sns } = await startSns();
    const endpoint = await receiver({ confirm: false });
    const subscribed = await sns.subscribe({ url: endpoint.url });
    const answer = await fetch(await endpoint.subscribeUrl());
    expect(answer.headers.get('content-type')).toBe('text/xml');
    const xmlns = 'xmlns="http://sns.amazonaws.com/doc/2010-03-31/"';
    const arn = `<SubscriptionArn>${subscribed.subscriptionArn}</SubscriptionArn>`;
    expect(await answer.text()).toMatch(new RegExp(`^<ConfirmSubscriptionResponse ${xmlns}>.*${arn}`));
    await subscribed.confirmed;
  });

  it('refuses a wrong token, an unknown action and an unknown subscription', async () => {
    const { sns, publish } = await startSns();
    const endpoint = await receiver({ confirm: false });
    await sns.subscribe({ url: endpoint.url });
    const url = new URL(await endpoint.subscribeUrl());
    const visit = async (change: Record<string, string>) => {
      const changed = new URL(url);
      for (const [name, value] of Object.entries(change)) changed.searchParams.set(name, value);
      const answer = await fetch(changed);
      return [answer.status, /<Code>(.*)<\/Code>/.exec(await answer.text())?.[1]];
    };
    expect(await visit({ Token: 'guess' })).toEqual([400, 'InvalidParameter']);
    const TopicArn = 'arn:aws:sns:us-east-1:000000000000:other';
    expect(await visit({ TopicArn })).toEqual([400, 'InvalidParameter']);
    expect(await visit({ Action: 'Publish' })).toEqual([400, 'InvalidAction']);
    expect(await visit({ Action: 'Unsubscribe', SubscriptionArn: 'none' })).toEqual([404, 'NotFound']);
    expect((await fetch(url, { method: 'POST' })).status).toBe(405);
    await publish(['unseen']);
    await sns.idle();
    expect(endpoint.notifications()).toEqual([]);
  });

  it('delivers nothing that was published before the confirmation, does not keep it, and is idle until then', async () => {
    const { sns, publish } = await startSns();
    const endpoint = await receiver({ confirm: false });
    const subscribed = await sns.subscribe({ url: endpoint.url, raw: true });
    const url = await endpoint.subscribeUrl();
    for (let n = 0; n < 5; n++) await publish(['before']);
    await sns.idle();
    await fetch(url);
    await subscribed.confirmed;
    await publish(['after']);
    await sns.idle();
    expect(endpoint.notifications().map(({ body }) => body)).toEqual(['after']);
  });

  it('asks again, with the same message id, while the endpoint is not up yet, and says so once', async () => {
    const pauses: number[] = [];
    const { sns, notices } = await startSns({
      sleep: async (ms, signal) => {
        pauses.push(ms);
        await new Promise(resolve => setTimeout(resolve, 5));
        signal?.throwIfAborted();
      },
    });
    const port = await freePort();
    const subscribed = await sns.subscribe({ url: `http://127.0.0.1:${port}/hook`, name: 'late' });
    await eventually(() => expect(pauses.slice(0, 6)).toEqual([1000, 2000, 4000, 8000, 16_000, 20_000]));
    const ids = new Set<string>();
    const server = createServer(async (request, response) => {
      const body = JSON.parse((await request.toArray()).join(''));
      ids.add(body.MessageId);
      if (ids.size === 1) await fetch(body.SubscribeURL);
      response.end();
    });
    await listenInTest(server, port);
    await subscribed.confirmed;
    expect(ids.size).toBe(1);
    expect(notices).toEqual([
      'warn late connection refused; will ask again until it confirms',
      'info late subscription confirmed',
    ]);
  });

  it('asks again when an endpoint took the confirmation without visiting its URL', async () => {
    const { sns, notices } = await startSns({ sleep: async () => void (await new Promise(setImmediate)) });
    const endpoint = await receiver({ confirm: false });
    await sns.subscribe({ url: endpoint.url });
    await eventually(() => expect(endpoint.confirmations().length).toBeGreaterThan(2));
    const ids = new Set(endpoint.confirmations().map(({ headers }) => headers['x-amz-sns-message-id']));
    expect(ids.size).toBe(1);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toContain('did not visit SubscribeURL');
  });
});

describe('unsubscribing', () => {
  it('by UnsubscribeURL ends deliveries and posts an UnsubscribeConfirmation', async () => {
    const { sns, publish, endpoint, subscribed } = await startSubscribed();
    await publish(['one']);
    await sns.idle();
    const { UnsubscribeURL } = JSON.parse(endpoint.notifications()[0]?.body ?? '{}');
    expect(await (await fetch(UnsubscribeURL)).text()).toContain('<UnsubscribeResponse');
    await publish(['two']);
    await sns.idle();
    expect(endpoint.notifications()).toHaveLength(1);
    const last = endpoint.received.at(-1);
    expect(last?.type).toBe('UnsubscribeConfirmation');
    expect(last?.headers['x-amz-sns-subscription-arn']).toBe(subscribed.subscriptionArn);
  });

  it('of an endpoint that hangs lets idle go on', async () => {
    const { sns, publish, endpoint, subscribed } = await startSubscribed({ reply: () => 'hang' });
    await publish(['one']);
    const idle = sns.idle();
    await eventually(() => expect(endpoint.notifications()).toHaveLength(1));
    await sns.unsubscribe(subscribed.subscriptionArn);
    await expect(idle).resolves.toBeUndefined();
  });

  it('before the confirmation rejects `confirmed`', async () => {
    const { sns } = await startSns();
    const endpoint = await receiver({ confirm: false });
    const subscribed = await sns.subscribe({ url: endpoint.url, name: 'shy' });
    await sns.unsubscribe(subscribed.subscriptionArn);
    await expect(subscribed.confirmed).rejects.toThrow('shy: unsubscribed before it was confirmed');
  });
});

describe('subscribing', () => {
  it('twice with one URL is refused, by its origin alone', async () => {
    const { sns } = await startSns();
    const url = 'http://127.0.0.1:1/secret-path';
    const { endpoint } = await sns.subscribe({ url });
    expect(endpoint).toMatch(/^sns:127\.0\.0\.1-1-[0-9a-f]{8}$/);
    const refused = '--subscribe: this URL at http://127.0.0.1:1 is already subscribed.';
    await expect(sns.subscribe({ url, name: 'other' })).rejects.toThrow(refused);
  });

  it('lets a user name and password in the URL become basic authentication', async () => {
    const { sns } = await startSns();
    const endpoint = await receiver();
    await (await sns.subscribe({ url: endpoint.url.replace('//', '//me:s%26cret@') })).confirmed;
    expect(endpoint.received[0]?.headers.authorization).toBe(`Basic ${btoa('me:s&cret')}`);
  });
});
