import { describe, expect, it, vi } from 'vitest';
import type { Sleep } from '../../../functions/basics/clock.ts';
import { sleep } from '../../../functions/basics/system.ts';
import { eventually, receiver, startSns, startSubscribed } from '../../kit/local/sns.ts';

const attributes = { eventType: 'task.updated', changedFields: ['status', 'dueDate'] };

describe('a delivery in the envelope', () => {
  it('has the documented headers and fields, and the time of sending: receivers refuse old messages', async () => {
    const sent = Date.now() + 2 * 3_600_000;
    const { sns, publish, endpoint, subscribed } = await startSubscribed({}, { clock: () => sent });
    await publish(['{"id":"1","name":"Zürich\\u0007"}'], attributes);
    await sns.idle();
    const [delivered] = endpoint.notifications();
    const body = JSON.parse(delivered?.body ?? '{}');
    expect(delivered?.headers).toMatchObject({
      'x-amz-sns-message-type': 'Notification',
      'x-amz-sns-message-id': body.MessageId,
      'x-amz-sns-topic-arn': sns.topicArn,
      'x-amz-sns-subscription-arn': subscribed.subscriptionArn,
      'content-type': 'text/plain; charset=UTF-8',
      'user-agent': 'Amazon Simple Notification Service Agent',
    });
    expect(delivered?.headers['x-amz-sns-rawdelivery']).toBeUndefined();
    expect(body).toEqual({
      Type: 'Notification',
      MessageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      TopicArn: sns.topicArn,
      Message: '{"id":"1","name":"Zürich\\u0007"}',
      Timestamp: new Date(sent).toISOString(),
      SignatureVersion: '2',
      Signature: expect.any(String),
      SigningCertURL: expect.stringMatching(
        /^http:\/\/127\.0\.0\.1:\d+\/SimpleNotificationService-[0-9a-f]{32}\.pem$/,
      ),
      UnsubscribeURL: expect.stringContaining('Action=Unsubscribe'),
      MessageAttributes: {
        eventType: { Type: 'String', Value: 'task.updated' },
        changedFields: { Type: 'String.Array', Value: '["status","dueDate"]' },
      },
    });
  });
});

describe('a raw delivery', () => {
  it('is the message alone, with its header and without attributes', async () => {
    const { sns, publish, endpoint, subscribed } = await startSubscribed({ raw: true });
    await publish(['{"id":"1"}'], attributes);
    await sns.idle();
    const [delivered] = endpoint.notifications();
    expect(delivered?.body).toBe('{"id":"1"}');
    expect(delivered?.headers).toMatchObject({
      'x-amz-sns-rawdelivery': 'true',
      'x-amz-sns-message-type': 'Notification',
      'x-amz-sns-message-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-amz-sns-topic-arn': sns.topicArn,
      'x-amz-sns-subscription-arn': subscribed.subscriptionArn,
      'content-type': 'text/plain; charset=UTF-8',
    });
    expect(JSON.stringify(delivered?.headers)).not.toContain('task.updated');
  });
});

it('a delivery has the content type and keeps to the rate of its subscription', async () => {
  const slept: number[] = [];
  const paced: Sleep = async (ms, signal) => (ms < 1000 ? void slept.push(ms) : sleep(ms, signal));
  const asked = { contentType: 'application/json', maxPerSecond: 4 };
  const now = Date.now() + 3_600_000;
  const { sns, publish, endpoint } = await startSubscribed(asked, { sleep: paced, clock: () => now });
  await publish(['1', '2', '3']);
  await sns.idle();
  const types = endpoint.notifications().map(({ headers }) => headers['content-type']);
  expect([types, slept]).toEqual([Array(3).fill('application/json'), [0, 250, 500]]);
});

describe('a delivery that fails', () => {
  it('is retried after 5xx, 429, a reset and a time-out, with the same message id, until it succeeds', async () => {
    const replies = [500, 429, 'reset', 'hang', 302, 204] as const;
    const { sns, publish, deadLetters, notices, endpoint, subscribed } = await startSubscribed(
      { reply: (_, n) => replies[n - 1] ?? 200 },
      { retryDelays: [1, 2, 3, 4, 5], requestTimeout: 200 },
    );
    await publish(['one']);
    await sns.idle();
    const ids = endpoint.notifications().map(({ headers }) => headers['x-amz-sns-message-id']);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(1);
    const pauses = notices.flatMap(line => /^failed .*"pause":(\d)/.exec(line)?.slice(1) ?? []);
    expect(pauses).toEqual(['1', '2', '3', '4', '5']);
    expect(await deadLetters(subscribed)).toEqual([]);
  });

  it('invariant 11: becomes a dead letter when the retries are used up, and says so', async () => {
    const down = { reply: () => 503, name: 'down' } as const;
    const { sns, publish, notices, deadLetters, endpoint, subscribed } = await startSubscribed(down);
    await publish(['{"id":"e1"}', '{"id":"e2"}'], attributes);
    await sns.idle();
    expect(endpoint.notifications()).toHaveLength(6);
    const letters = await deadLetters(subscribed);
    expect(letters.map(({ eventId, body }) => [eventId, body])).toEqual([
      ['e1', '{"id":"e1"}'],
      ['e2', '{"id":"e2"}'],
    ]);
    expect(letters[0]).toMatchObject({ attempts: 3, reason: 'answered 503' });
    expect(letters[0]?.attributes.eventType).toEqual({ Type: 'String', Value: 'task.updated' });
    const dead = notices.filter(line => line.startsWith('failed') && !line.includes('pause'));
    expect(dead.toSorted()).toEqual([
      'failed down {"eventId":"e1","reason":"answered 503"}',
      'failed down {"eventId":"e2","reason":"answered 503"}',
    ]);
  });

  it('becomes a dead letter at once when the endpoint refuses it for good', async () => {
    const refusing = { reply: () => 404, raw: true } as const;
    const { sns, publish, deadLetters, endpoint, subscribed } = await startSubscribed(refusing);
    await publish(['one']);
    await sns.idle();
    expect(endpoint.notifications()).toHaveLength(1);
    const letter = { body: 'one', attempts: 1, reason: 'answered 404' };
    expect(await deadLetters(subscribed)).toMatchObject([letter]);
  });
});

describe('several subscribers', () => {
  it('are not delayed by one that hangs, however much waits for it', async () => {
    const { sns, publish } = await startSns();
    const [slow, quick] = [await receiver({ reply: () => 'hang' }), await receiver()];
    for (const { url } of [slow, quick]) await (await sns.subscribe({ url })).confirmed;
    for (let batch = 0; batch < 4; batch++)
      await publish(Array.from({ length: 10 }, (_, n) => `${batch}.${n}`));
    await eventually(() => expect(quick.notifications()).toHaveLength(40));
    expect(slow.notifications()).toHaveLength(10);
  });

  it('are tried again at once when the endpoint answers after three that failed', async () => {
    const { sns, publish, notices } = await startSns({ retryDelays: [600_000] });
    let away = true;
    const endpoint = await receiver({ reply: () => (away ? 500 : 200) });
    await (await sns.subscribe({ url: endpoint.url, raw: true })).confirmed;
    await publish(['1', '2', '3']);
    await eventually(() => expect(notices.filter(line => line.startsWith('failed'))).toHaveLength(3));
    away = false;
    await publish(['4']);
    await sns.idle();
    const arrived = endpoint.notifications().map(({ body }) => body);
    expect(arrived.slice(3).sort()).toEqual(['1', '2', '3', '4']);
    expect(notices.filter(line => line.startsWith('arrived')).length).toBeGreaterThan(2);
  });

  it('let others pass while a message of theirs waits for its retry', async () => {
    const { publish, notices, endpoint } = await startSubscribed(
      { reply: ({ body }) => (body.startsWith('bad') ? 500 : 200), raw: true },
      { retryDelays: [600_000] },
    );
    await publish(Array.from({ length: 10 }, (_, n) => `bad ${n}`));
    await eventually(() => expect(notices.filter(line => line.startsWith('failed'))).toHaveLength(10));
    await publish(['good']);
    await eventually(() => expect(endpoint.notifications().map(({ body }) => body)).toContain('good'));
  });
});

describe('idle', () => {
  it('waits for the delivery to every confirmed subscription', async () => {
    const { sns, publish, deliveries } = await startSns({ retryDelays: [600_000] });
    const slow = await receiver({ reply: (_, n) => (n === 1 ? 500 : 200) });
    const quick = await receiver();
    const waiting = await sns.subscribe({ url: slow.url });
    await waiting.confirmed;
    await (await sns.subscribe({ url: quick.url })).confirmed;
    await publish(['one']);
    const idle = vi.fn();
    const ended = sns.idle().then(idle);
    await eventually(async () => {
      expect(quick.notifications()).toHaveLength(1);
      expect(await deliveries.nextDue(waiting.endpoint, Date.now())).toBeGreaterThan(Date.now());
    });
    expect(idle).not.toHaveBeenCalled();
    await deliveries.bringForward(waiting.endpoint, Date.now());
    await publish(['two']);
    await ended;
    expect(slow.notifications().length).toBeGreaterThanOrEqual(2);
  });

  it('rejects when the SNS stops first, so that nothing undelivered passes for delivered', async () => {
    const { sns, publish, endpoint } = await startSubscribed({ reply: () => 'hang' });
    await publish(['one']);
    const idle = sns.idle();
    const outcome = expect(idle).rejects.toThrow('The local SNS was stopped');
    await eventually(() => expect(endpoint.notifications()).toHaveLength(1));
    await sns.stop();
    await outcome;
  });
});

describe('stop', () => {
  it('takes less than 2 s under subscribers that hang, in the handshake or in a delivery', async () => {
    const { sns, publish, notices } = await startSns({ retryDelays: [20_000] });
    const hanging = await receiver({ reply: () => 'hang' });
    const failing = await receiver({ reply: () => 500 });
    const silent = await receiver({ confirm: false });
    const pending = await sns.subscribe({ url: silent.url });
    await (await sns.subscribe({ url: hanging.url })).confirmed;
    await (await sns.subscribe({ url: failing.url })).confirmed;
    await publish(['one']);
    await eventually(() => expect([hanging, failing].map(r => r.notifications().length)).toEqual([1, 1]));
    const before = performance.now();
    const said = notices.length;
    await sns.stop();
    expect(performance.now() - before).toBeLessThan(2000);
    await expect(pending.confirmed).rejects.toThrow('stopped before it was confirmed');
    expect(notices.slice(said)).toEqual([]);
  });
});
