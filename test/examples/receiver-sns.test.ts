import { describe, expect, it } from 'vitest';
import { exampleEvent, post, type RunningReceiver, runReceiver } from '../kit/examples/receiver.ts';
import { eventually, type House, receiver, startHouse } from '../kit/local/sns-house.ts';
import type { Received } from '../kit/local/sns-receiver.ts';

type Fields = Record<string, unknown>;

const listening = (house: House, args = ['--allow-loopback']) =>
  runReceiver({ SNS_TOPIC_ARN: house.sns.topicArn }, { args });

/** A receiver with its subscription confirmed. */
async function subscribed(): Promise<{ house: House; running: RunningReceiver }> {
  const house = await startHouse();
  const running = await listening(house);
  const { confirmed } = await house.sns.subscribe({ url: running.sns });
  await confirmed;
  return { house, running };
}

/** A message as SNS signs it, to be sent again with what an attacker may change. */
async function recorded(house: House, message: string): Promise<Received> {
  const recorder = await receiver();
  const { confirmed } = await house.sns.subscribe({ url: recorder.url });
  await confirmed;
  await house.publish([message]);
  await eventually(() => expect(recorder.notifications()).toHaveLength(1));
  return recorder.notifications()[0] as Received;
}

const changed = (body: string, change: Fields) =>
  JSON.stringify({ ...(JSON.parse(body) as Fields), ...change });

describe('the receiver, subscribed to a topic', () => {
  it('confirms its subscription and applies what is published', async () => {
    const { house, running } = await subscribed();
    await house.publish([
      JSON.stringify(exampleEvent('task.updated')),
      JSON.stringify(exampleEvent('source.held')),
    ]);
    await eventually(() => expect(running.applied()).toHaveLength(2));
    expect(running.applied().sort()).toEqual([
      expect.stringContaining('source.held /workspaces/eu/processes/onboarding'),
      'task.updated /workspaces/eu/processes/onboarding/projects/1015/tasks/500015',
    ]);
    expect(running.said()).toContain(`confirmed the subscription to ${house.sns.topicArn}`);
  });

  it('drops duplicates by id, and what is older than what it applied to the same record', async () => {
    const { house, running } = await subscribed();
    const [created, updated] = [exampleEvent('task.created'), exampleEvent('task.updated')];
    const other = { ...created, id: `${created.id}0`, subject: 'projects/1015/tasks/500016' };
    for (const event of [updated, updated, created, other]) {
      await house.publish([JSON.stringify(event)]);
      await house.sns.idle();
    }
    await eventually(() => expect(running.applied()).toHaveLength(2));
    expect(running.applied()[1]).toMatch(/^task.created .*\/500016$/);
    expect(running.said()).toContain(
      `dropped as duplicate: ${updated.id}\ndropped as stale: ${created.id}\n`,
    );
  });

  it('applies once what SNS sends twice at the same moment', async () => {
    const { house, running } = await subscribed();
    const { body, headers } = await recorded(house, JSON.stringify(exampleEvent('task.updated')));
    const again = { 'x-amz-sns-message-type': String(headers['x-amz-sns-message-type']) };
    const answers = await Promise.all([1, 2, 3].map(() => post(running.sns, body, again)));
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(running.applied()).toHaveLength(1);
  });

  it('refuses what was altered, or is not signed by the topic', async () => {
    const { house, running } = await subscribed();
    const other = JSON.stringify(exampleEvent('task.deleted'));
    const { body } = await recorded(house, JSON.stringify(exampleEvent('task.updated')));
    await eventually(() => expect(running.applied()).toHaveLength(1));
    const refused: [Fields, RegExp][] = [
      [{ Message: other }, /Invalid Signature/],
      [{ Message: [other] }, /no Message/],
      [{ Timestamp: '2026-01-01T00:00:00.000Z' }, /Invalid Signature/],
      [{ Type: 'SubscriptionConfirmation' }, /Invalid Signature/],
      [{ Type: 'Other' }, /Invalid Type/],
      [{ Signature: undefined }, /no Signature/],
      [{ Signature: 'AAAA' }, /Invalid Signature/],
      [{ SignatureVersion: '1' }, /not of version 2/],
      [{ TopicArn: `${house.sns.topicArn}2` }, /another topic/],
      [{ SigningCertURL: 'https://sns.eu-west-1.amazonaws.com.example.org/a.pem' }, /Invalid SigningCertURL/],
      [{ SigningCertURL: 'http://127.0.0.2:80/SimpleNotificationService-a.pem' }, /Invalid SigningCertURL/],
    ];
    for (const [change, why] of refused) {
      const { status, text } = await post(running.sns, changed(body, change));
      expect({ change, status, text }).toEqual({ change, status: 403, text: expect.stringMatching(why) });
    }
    expect(await post(running.sns, body.slice(1))).toMatchObject({ status: 400 });
    expect(running.applied()).toHaveLength(1);
  });

  it('confirms no subscription to another topic, though it is signed', async () => {
    const [house, foreign] = [await startHouse(), await startHouse({ topicName: 'foreign' })];
    const running = await listening(house);
    await foreign.sns.subscribe({ url: running.sns });
    await eventually(() =>
      expect(running.said()).toContain('answered 403: The message is from another topic.'),
    );
    expect(running.said()).not.toContain('confirmed');
    const { body } = await recorded(foreign, JSON.stringify(exampleEvent('task.updated')));
    // The same key would have to sign the ARN, too.
    expect(await post(running.sns, changed(body, { TopicArn: house.sns.topicArn }))).toMatchObject({
      status: 403,
      text: expect.stringContaining('Invalid Signature'),
    });
  });

  it('takes a certificate from this machine only when it is told to', async () => {
    const house = await startHouse();
    const running = await listening(house, []);
    await house.sns.subscribe({ url: running.sns });
    await eventually(() => expect(running.said()).toContain('answered 403: Invalid SigningCertURL.'));
  });

  it('asks for a message again when the certificate can not be had', async () => {
    const { house, running } = await subscribed();
    const { body } = await recorded(house, JSON.stringify(exampleEvent('task.updated')));
    const SigningCertURL = `http://127.0.0.1:9/SimpleNotificationService-${'0'.repeat(32)}.pem`;
    expect(await post(running.sns, changed(body, { SigningCertURL }))).toMatchObject({ status: 503 });
  });

  it('refuses raw messages, which nobody signed', async () => {
    const house = await startHouse();
    const running = await listening(house);
    const { confirmed } = await house.sns.subscribe({ url: running.sns, raw: true });
    await confirmed;
    await house.publish([JSON.stringify(exampleEvent('task.updated'))]);
    await eventually(() => expect(running.said()).toContain('answered 403: Raw messages are not signed'));
    expect(running.applied()).toEqual([]);
  });
});
