import { createVerify, X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { snsRetryDelays } from '../../../local/sns/delivery.ts';
import { afterwards, eventually, receiver, startHouse } from './house.ts';

const attributes = { eventType: 'task.updated', changedFields: ['status', 'dueDate'] };

describe('a delivery in the envelope', () => {
  it('has the documented headers and fields', async () => {
    const { sns, publish } = await startHouse();
    const endpoint = await receiver();
    const subscribed = await sns.subscribe({ url: endpoint.url });
    await subscribed.confirmed;
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
      Timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
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

  it('carries a signature that verifies over the documented string, and over no other', async () => {
    const { sns, publish } = await startHouse();
    const endpoint = await receiver();
    await (await sns.subscribe({ url: endpoint.url })).confirmed;
    await publish(['first\nsecond Ω']);
    await sns.idle();
    const note = JSON.parse(endpoint.notifications()[0]?.body ?? '{}');
    const hello = JSON.parse(endpoint.confirmations()[0]?.body ?? '{}');
    const pem = await (await fetch(note.SigningCertURL)).text();
    const verifies = (text: string, signature: string) =>
      createVerify('RSA-SHA256')
        .update(text, 'utf8')
        .verify(new X509Certificate(pem).publicKey, signature, 'base64');
    const noteText = `Message\n${note.Message}\nMessageId\n${note.MessageId}\nTimestamp\n${note.Timestamp}\nTopicArn\n${note.TopicArn}\nType\nNotification\n`;
    const helloText = `Message\n${hello.Message}\nMessageId\n${hello.MessageId}\nSubscribeURL\n${hello.SubscribeURL}\nTimestamp\n${hello.Timestamp}\nToken\n${hello.Token}\nTopicArn\n${hello.TopicArn}\nType\nSubscriptionConfirmation\n`;
    expect(verifies(noteText, note.Signature)).toBe(true);
    expect(verifies(helloText, hello.Signature)).toBe(true);
    expect(verifies(noteText.replace('Ω', 'Ψ'), note.Signature)).toBe(false);
    const details = new X509Certificate(pem).publicKey.asymmetricKeyDetails;
    expect(details?.modulusLength).toBe(2048);
  });
});

describe('a raw delivery', () => {
  it('is the message alone, with its header and without attributes', async () => {
    const { sns, publish } = await startHouse();
    const endpoint = await receiver();
    const subscribed = await sns.subscribe({ url: endpoint.url, raw: true });
    await subscribed.confirmed;
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

describe('a delivery that fails', () => {
  it('is retried after 5xx, 429, a reset and a time-out, with the same message id, until it succeeds', async () => {
    const pauses: number[] = [];
    const replies = [500, 429, 'reset', 'hang', 302, 204] as const;
    const { sns, publish } = await startHouse({
      retryDelays: [1, 2, 3, 4, 5],
      requestTimeout: 200,
      sleep: async ms => void pauses.push(ms),
    });
    const endpoint = await receiver({ reply: (_, n) => replies[n - 1] ?? 200 });
    const subscribed = await sns.subscribe({ url: endpoint.url });
    await subscribed.confirmed;
    await publish(['one']);
    await sns.idle();
    const ids = endpoint.notifications().map(({ headers }) => headers['x-amz-sns-message-id']);
    expect(ids).toHaveLength(6);
    expect(new Set(ids).size).toBe(1);
    expect(pauses).toEqual([1, 2, 3, 4, 5]);
    expect(await subscribed.deadLetters()).toEqual([]);
  });

  it('becomes a dead letter in a private file when the retries are used up', async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'sns-'));
    afterwards(() => rm(dataDirectory, { recursive: true }));
    const { sns, publish, notices } = await startHouse({ dataDirectory });
    const endpoint = await receiver({ reply: () => 503 });
    const subscribed = await sns.subscribe({ url: endpoint.url, name: 'down' });
    await subscribed.confirmed;
    await publish(['one', 'two'], attributes);
    await sns.idle();
    expect(endpoint.notifications()).toHaveLength(6);
    const path = join(dataDirectory, 'dead-letters', 'down.jsonl');
    expect(subscribed.dlqPath).toBe(path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const letters = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    expect(letters.map(({ Body }) => JSON.parse(Body).Message).sort()).toEqual(['one', 'two']);
    expect(letters[0]).toMatchObject({
      MessageId: expect.any(String),
      MessageAttributes: { eventType: { DataType: 'String', StringValue: 'task.updated' } },
      SubscriptionArn: subscribed.subscriptionArn,
      Attempts: 3,
      ErrorCode: '503',
      ErrorMessage: 'answered 503',
    });
    expect(await subscribed.deadLetters()).toEqual(letters);
    const told = notices.filter(({ kind }) => kind === 'dead-lettered');
    expect(told).toHaveLength(2);
    expect(told[0]?.text).toContain(`answered 503; a message was given up (attempts: 3), kept in ${path}`);
  });

  it('becomes a dead letter at once when the endpoint refuses it for good', async () => {
    const { sns, publish } = await startHouse();
    const endpoint = await receiver({ reply: () => 404 });
    const subscribed = await sns.subscribe({ url: endpoint.url, raw: true });
    await subscribed.confirmed;
    await publish(['one']);
    await sns.idle();
    expect(endpoint.notifications()).toHaveLength(1);
    expect(await subscribed.deadLetters()).toMatchObject([{ Body: 'one', Attempts: 1, ErrorCode: '404' }]);
  });

  it('is delivered again from the start when the dead letter cannot be written', async () => {
    const dataDirectory = await mkdtemp(join(tmpdir(), 'sns-'));
    afterwards(() => rm(dataDirectory, { recursive: true }));
    const { sns, publish, notices } = await startHouse({ dataDirectory, sleep: async () => {} });
    const endpoint = await receiver({ reply: (_, n) => (n === 1 ? 400 : 200) });
    const subscribed = await sns.subscribe({ url: endpoint.url, name: 'x'.repeat(100) });
    await subscribed.confirmed;
    await rm(dataDirectory, { recursive: true });
    await writeFile(dataDirectory, 'a file where the directory should be');
    await publish(['one']);
    await sns.idle();
    expect(endpoint.notifications()).toHaveLength(2);
    expect(notices.find(({ kind }) => kind === 'trouble')?.text).toMatch(/ENOTDIR|EEXIST/);
  });

  it('follows by default the policy that SNS documents for HTTP endpoints', () => {
    expect(snsRetryDelays).toEqual([20_000, 20_000, 20_000]);
  });
});

describe('several subscribers', () => {
  it('are not delayed by one that hangs, however much waits for it', async () => {
    const { sns, publish } = await startHouse();
    const slow = await receiver({ reply: () => 'hang' });
    const quick = await receiver();
    await Promise.all([
      (await sns.subscribe({ url: slow.url })).confirmed,
      (await sns.subscribe({ url: quick.url })).confirmed,
    ]);
    for (let batch = 0; batch < 4; batch++)
      await publish(Array.from({ length: 10 }, (_, n) => `${batch}.${n}`));
    await eventually(() => expect(quick.notifications()).toHaveLength(40));
    expect(slow.notifications()).toHaveLength(10);
  });

  it('get every message once, in several deliveries at once', async () => {
    const { sns, publish } = await startHouse();
    const endpoint = await receiver();
    await (await sns.subscribe({ url: endpoint.url, raw: true })).confirmed;
    const texts = Array.from({ length: 100 }, (_, n) => `message ${n}`);
    await Promise.all(Array.from({ length: 10 }, (_, n) => publish(texts.slice(n * 10, n * 10 + 10))));
    await sns.idle();
    expect(
      endpoint
        .notifications()
        .map(({ body }) => body)
        .sort(),
    ).toEqual(texts.toSorted());
  });

  it('let others pass while a message of theirs waits for its retry', async () => {
    const waits: (() => void)[] = [];
    const { sns, publish } = await startHouse({
      sleep: () => new Promise(resolve => waits.push(resolve)),
    });
    const endpoint = await receiver({
      reply: ({ body }) => (body.startsWith('bad') && waits.length < 12 ? 500 : 200),
    });
    await (await sns.subscribe({ url: endpoint.url, raw: true })).confirmed;
    await publish(Array.from({ length: 10 }, (_, n) => `bad ${n}`));
    await eventually(() => expect(waits.length).toBeGreaterThanOrEqual(10));
    await publish(['good']);
    await eventually(() => expect(endpoint.notifications().map(({ body }) => body)).toContain('good'));
  });
});
