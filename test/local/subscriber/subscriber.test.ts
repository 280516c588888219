import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../../functions/changes/event.ts';
import { signed } from '../../../local/sns/signature.ts';
import type { EventMeta } from '../../../local/subscriber/inbox.ts';
import { type SubscriberOptions, startSubscriber } from '../../../local/subscriber/subscriber.ts';
import { afterwards, eventually, receiver, startHouse } from '../sns/house.ts';
import { taskUpdated } from './events.ts';

async function start(options: Partial<SubscriberOptions> = {}) {
  const events: ChangeEvent[] = [];
  const metas: EventMeta[] = [];
  const onEvent = (event: ChangeEvent, meta: EventMeta) => {
    events.push(event);
    metas.push(meta);
  };
  const subscriber = await startSubscriber({ onEvent, ...options });
  afterwards(() => subscriber.stop());
  return { ...subscriber, events, metas };
}

/** A house whose SNS is subscribed by a subscriber and by a receiver that shows what goes over the wire. */
async function subscribed(options: { raw?: boolean } & Partial<SubscriberOptions> = {}) {
  const house = await startHouse();
  const wire = await receiver();
  await (await house.sns.subscribe({ url: wire.url, raw: options.raw ?? false })).confirmed;
  const subscriber = await start({ topicArn: house.sns.topicArn, ...options });
  const subscription = await house.sns.subscribe({ url: subscriber.url, raw: options.raw ?? false });
  await subscription.confirmed;
  const replay = async (change: (body: string) => string, headers: Record<string, string> = {}) => {
    const [seen] = wire.notifications();
    const sent = {
      'x-amz-sns-message-type': 'Notification',
      'x-amz-sns-topic-arn': house.sns.topicArn,
      'x-amz-sns-subscription-arn': subscription.subscriptionArn,
      ...(options.raw ? { 'x-amz-sns-rawdelivery': 'true' } : {}),
      ...headers,
    };
    const answer = await fetch(subscriber.url, {
      method: 'POST',
      headers: sent,
      body: change(seen?.body ?? ''),
    });
    return `${answer.status} ${(await answer.text()).trim()}`;
  };
  return { ...house, subscriber, subscription, replay };
}

describe('the built-in subscriber', () => {
  it('confirms its subscription and gets the events, enveloped', async () => {
    const { sns, publish, subscriber } = await subscribed();
    await publish([JSON.stringify(taskUpdated())]);
    await sns.idle();
    expect(subscriber.events).toEqual([taskUpdated()]);
    expect(subscriber.metas).toEqual([{ raw: false, messageId: expect.stringMatching(/^[0-9a-f-]{36}$/) }]);
  });

  it('gets raw events of the subscription that it confirmed', async () => {
    const { sns, publish, subscriber } = await subscribed({ raw: true });
    await publish([JSON.stringify(taskUpdated())]);
    await sns.idle();
    expect(subscriber.events).toEqual([taskUpdated()]);
    expect(subscriber.metas[0]?.raw).toBe(true);
  });

  it('drops an event whose id it has handled, though it comes as another message', async () => {
    const { sns, publish, subscriber, subscription, deadLetters } = await subscribed();
    const [first, second] = [taskUpdated(), { ...taskUpdated(), id: 'p.7.1777777777778.0' }];
    await publish([first, first, second].map(event => JSON.stringify(event)));
    await publish([JSON.stringify(first)]);
    await sns.idle();
    expect(subscriber.events.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    expect(await deadLetters(subscription)).toEqual([]);
  });

  it('asks for an event again when handling it failed', async () => {
    let calls = 0;
    const onEvent = () => {
      calls++;
      if (calls === 1) throw new Error('disk full');
    };
    const { sns, publish } = await subscribed({ onEvent });
    await publish([JSON.stringify(taskUpdated())]);
    await sns.idle();
    expect(calls).toBe(2);
  });

  it('refuses an envelope in which one byte was altered, in any signed field', async () => {
    const { sns, publish, subscriber, replay } = await subscribed();
    await publish([JSON.stringify(taskUpdated())]);
    await sns.idle();
    expect(await replay(body => body)).toMatch(/^200/);
    const bad = '403 The signature does not verify.';
    expect(await replay(body => body.replace('Prepare', 'Prepars'))).toBe(bad);
    expect(await replay(body => body.replace(/"Timestamp": "2/, '"Timestamp": "3'))).toBe(bad);
    expect(await replay(body => body.replace(/"MessageId": "(.)/, '"MessageId": "x'))).toBe(bad);
    expect(await replay(body => body.replace('"Message":', '"Subject": "added", "Message":'))).toBe(bad);
    expect(await replay(body => body.replace(/"Signature": "../, '"Signature": "AA'))).toBe(bad);
    expect(await replay(body => body.replace('"SignatureVersion": "2"', '"SignatureVersion": "1"'))).toBe(
      '403 There is no version 2 signature.',
    );
    expect(subscriber.events).toHaveLength(1);
  });

  it('refuses what is signed with a certificate from elsewhere than this machine', async () => {
    const { sns, publish, replay } = await subscribed();
    await publish([JSON.stringify(taskUpdated())]);
    await sns.idle();
    const at = (address: string) =>
      replay(body => body.replace(/"SigningCertURL": "[^"]*"/, `"SigningCertURL": "${address}"`));
    const refused = '403 SigningCertURL is not an http address on this machine.';
    for (const address of [
      'http://127.0.0.1.example.com/a.pem',
      'http://127.0.0.1@example.com/a.pem',
      'https://sns.us-east-1.amazonaws.com/a.pem',
      'file:///etc/passwd',
      'nowhere',
    ]) {
      expect(await at(address)).toBe(refused);
    }
    expect(await at('http://127.0.0.1:1/a.pem')).toBe('403 SigningCertURL could not be read.');
    const { url } = await receiver();
    expect(await at(url)).toBe('403 SigningCertURL leads to no certificate.');
  });

  it('refuses a message from another topic, and from a subscription that it did not confirm', async () => {
    for (const raw of [false, true]) {
      const { sns, publish, replay } = await subscribed({ raw });
      await publish([JSON.stringify(taskUpdated())]);
      await sns.idle();
      expect(await replay(body => body)).toMatch(/^200/);
      expect(await replay(body => body, { 'x-amz-sns-subscription-arn': 'arn:forged' })).toBe(
        '403 The message is from a subscription that was not confirmed here.',
      );
    }
    const { replay, sns, publish } = await subscribed({ raw: true });
    await publish([JSON.stringify(taskUpdated())]);
    await sns.idle();
    expect(await replay(body => body, { 'x-amz-sns-topic-arn': 'arn:other' })).toBe(
      '403 The message is from another topic.',
    );
  });

  it('does not confirm a subscription to another topic', async () => {
    const { sns } = await startHouse();
    const subscriber = await start({ topicArn: 'arn:aws:sns:us-east-1:000000000000:other' });
    const pending = await sns.subscribe({ url: subscriber.url });
    const outcome = expect(pending.confirmed).rejects.toThrow('before it was confirmed');
    await sns.unsubscribe(pending.subscriptionArn);
    await outcome;
  });

  it('does not visit a SubscribeURL that is forged or leads elsewhere', async () => {
    const visited: string[] = [];
    const server = createServer((request, response) => {
      visited.push(request.url ?? '');
      response.end(certificate);
    }).listen(0, '127.0.0.1');
    afterwards(async () => server.close().closeAllConnections());
    await eventually(() => expect(server.listening).toBe(true));
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    const { certificate, key } = await ownCertificate();
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const subscriber = await start();
    const post = async (SubscribeURL: string, signer: string) => {
      const message = {
        Type: 'SubscriptionConfirmation' as const,
        MessageId: '1',
        TopicArn: 'arn:x',
        Message: 'm',
        Token: 't',
        Timestamp: 'now',
        SubscribeURL,
      };
      const body = JSON.stringify({
        ...(await signed(message, signer)),
        SigningCertURL: `${base}/certificate`,
      });
      return (await fetch(subscriber.url, { method: 'POST', body })).status;
    };
    expect(await post(`${base}/confirm`, privateKey)).toBe(403);
    expect(await post('http://example.com/confirm', key)).toBe(403);
    expect(visited).toEqual(['/certificate']);
  });

  it('refuses with 400 what is no event, so that it goes to the dead letters at once', async () => {
    const { sns, publish, subscriber, subscription, deadLetters } = await subscribed();
    const { sequence, ...incomplete } = taskUpdated();
    await publish(['not JSON', '{"type":"weather.changed"}', JSON.stringify(incomplete)]);
    await sns.idle();
    expect(sequence).toBeDefined();
    expect(subscriber.events).toEqual([]);
    expect((await deadLetters(subscription)).map(({ reason, attempts }) => [reason, attempts])).toEqual(
      Array(3).fill(['answered 400', 1]),
    );
  });

  it('answers 404, 405, 413 and 400 to what is none of its business', async () => {
    const { url } = await start({ path: '/inbox' });
    const status = async (address: string, init?: RequestInit) => (await fetch(address, init)).status;
    expect(new URL(url).pathname).toBe('/inbox');
    expect(await status(`${url}x`, { method: 'POST' })).toBe(404);
    expect(await status(url)).toBe(405);
    expect(await status(url, { method: 'POST', body: 'x'.repeat(1_100_000) })).toBe(413);
    for (const body of ['', '[]', '{}', '{"Type":"constructor"}']) {
      expect(await status(url, { method: 'POST', body })).toBe(400);
    }
  });

  it('takes the largest event that SNS carries', async () => {
    const { sns, publish, subscriber } = await subscribed();
    const event = taskUpdated();
    const large = {
      ...event,
      data: { ...event.data, task: { id: '1', record: { text: '"'.repeat(120_000) } } },
    };
    await publish([JSON.stringify(large)]);
    await sns.idle();
    expect(subscriber.events).toEqual([large]);
  });
});

async function ownCertificate() {
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: 'x' }], { keySize: 2048, algorithm: 'sha256' });
  return { certificate: made.cert, key: made.private };
}
