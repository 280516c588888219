import { describe, expect, it } from 'vitest';
import { verify } from '../../receiver/index.ts';
import { exampleEvent } from '../kit/examples/receiver.ts';
import { eventually, type RunningSns, receiver, startSns } from '../kit/local/sns.ts';
import type { Received } from '../kit/local/sns-receiver.ts';
import { awsRegion, TOPIC_ARN } from '../kit/receiver/aws-region.ts';
import { BOTH_KINDS, changed, type Posted, refusalOf, webRequest } from '../kit/receiver/requests.ts';

const UPDATED = exampleEvent('task.updated');
const MESSAGE = JSON.stringify(UPDATED);
const ARN = { topicArn: TOPIC_ARN };

/** The status and the reason with which a message is refused. */
async function refusal(message: Posted, senders: Parameters<typeof verify>[1] = ARN): Promise<string> {
  const refused = await refusalOf(verify(webRequest(message), senders));
  return `${refused.status} ${refused.message}`;
}

/** What a topic on this machine sends to a subscriber for an event. */
async function recorded(local: RunningSns, message = MESSAGE): Promise<Posted> {
  const recorder = await receiver();
  const { confirmed } = await local.sns.subscribe({ url: recorder.url });
  await confirmed;
  await local.publish([message]);
  await eventually(() => expect(recorder.notifications()).toHaveLength(1));
  const { body, headers } = recorder.notifications()[0] as Received;
  return { body, headers: { 'x-amz-sns-message-type': String(headers['x-amz-sns-message-type']) } };
}

const fromHere = ({ sns }: RunningSns) => ({ topicArn: sns.topicArn, allowLoopback: true });

describe('a message of a topic on this machine', () => {
  it('is taken, as either kind of request, only where that is allowed', async () => {
    const local = await startSns();
    const message = await recorded(local);
    for (const kind of BOTH_KINDS) expect(await verify(kind(message), fromHere(local))).toEqual(UPDATED);
    expect(await refusal(message, { topicArn: local.sns.topicArn })).toBe(
      '403 Invalid SigningCertURL: it is not at https://sns.us-east-1.amazonaws.com/.',
    );
  });

  it('is refused when another topic sent it, though it says ours', async () => {
    const [local, foreign] = [await startSns(), await startSns({ topicName: 'foreign' })];
    const message = await recorded(foreign);
    expect(await refusal(message, fromHere(local))).toBe('403 The message is from another topic.');
    const renamed = changed(message, { TopicArn: local.sns.topicArn });
    expect(await refusal(renamed, fromHere(local))).toBe('403 Invalid Signature.');
  });

  it('is refused when it is raw, which nobody signed', async () => {
    const headers = { 'x-amz-sns-message-type': 'Notification', 'x-amz-sns-rawdelivery': 'true' };
    expect(await refusal({ body: MESSAGE, headers })).toBe(
      '403 Raw messages are not signed: disable raw message delivery.',
    );
  });
});

describe('a message of AWS', () => {
  it('is taken, and its certificate fetched once', async () => {
    const region = await awsRegion();
    const SigningCertURL = region.newCertificateUrl();
    for (const Subject of [undefined, 'A subject']) {
      const message = await region.message({ Message: MESSAGE, Subject, SigningCertURL });
      for (const kind of BOTH_KINDS) expect(await verify(kind(message), ARN)).toEqual(UPDATED);
    }
    expect(region.asked).toEqual([new URL(SigningCertURL).pathname]);
  });

  it.each([
    [{ Signature: 'AAAA' }, /^403 Invalid Signature\.$/],
    [{ SignatureVersion: '1' }, /^403 SignatureVersion is not 2\.$/],
    [{ Type: 'Other' }, /^403 Invalid Type\.$/],
    [{ Timestamp: 'soon' }, /^403 Invalid Signature\.$/],
    [{ Message: undefined }, /^403 The SNS message has no Message\.$/],
    [{ TopicArn: `${TOPIC_ARN}2` }, /^403 The message is from another topic\.$/],
    ...[
      'https://sns.eu-west-1.amazonaws.com.example.org/a.pem',
      `https://sns.us-east-1.amazonaws.com/SimpleNotificationService-${'0'.repeat(32)}.pem`,
      `http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${'0'.repeat(32)}.pem`,
      'https://sns.eu-west-1.amazonaws.com/a.pem',
      `http://127.0.0.1:80/SimpleNotificationService-${'0'.repeat(32)}.pem`,
      `https://sns.eu-west-1.amazonaws.com/x/SimpleNotificationService-${'0'.repeat(32)}.pem`,
      `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${'0'.repeat(32)}.pem?x`,
    ].map(
      SigningCertURL => [{ SigningCertURL }, /^403 Invalid SigningCertURL: it is not/] as [object, RegExp],
    ),
  ])('is refused with %j, and the sender told why', async (change: object, why) => {
    const region = await awsRegion();
    const message = await region.message({ Message: MESSAGE });
    expect(await refusal(changed(message, change))).toMatch(why);
  });

  it('is refused when it is older than SNS itself retries, unless the receiver takes older ones', async () => {
    const region = await awsRegion();
    const aged = async (seconds: number, Type = 'Notification') =>
      region.message({
        ...{ Type, Message: MESSAGE },
        Timestamp: new Date(Date.now() - seconds * 1000).toISOString(),
      });
    expect(await verify(webRequest(await aged(3_890)), ARN)).toEqual(UPDATED);
    const refused = '403 The message is more than 3900 s old.';
    expect(await refusal(await aged(3_910))).toBe(refused);
    const older = { ...ARN, maxAgeSeconds: 4_000 };
    expect(await verify(webRequest(await aged(3_910)), older)).toEqual(UPDATED);
    expect(await refusal(await aged(60), { ...ARN, maxAgeSeconds: 50 })).toMatch(/^403/);
    expect(await refusal(await region.message({ Message: MESSAGE, Timestamp: 'soon' }))).toBe(refused);
  });

  it('is asked for again while SNS answers with an error page instead of the certificate', async () => {
    const region = await awsRegion();
    const message = await region.message({ Message: MESSAGE });
    region.status = 500;
    expect(await refusal(message)).toBe('503 The certificate could not be fetched; try again.');
    region.status = 200;
    expect(await verify(webRequest(message), ARN)).toEqual(UPDATED);
  });

  it('is refused when it is no JSON, or holds no event', async () => {
    const region = await awsRegion();
    const message = await region.message({ Message: 'Hello' });
    const broken = { ...message, body: String(message.body).slice(1) };
    expect(await refusal(broken)).toBe('400 The SNS message is not JSON.');
    expect(await refusal(message)).toBe('400 The event is not JSON.');
  });
});

describe('a word of SNS about the subscription', () => {
  const confirmation = (SubscribeURL: string | undefined) => ({
    Type: 'SubscriptionConfirmation',
    Message: 'You have chosen to subscribe.',
    Token: 'a',
    SubscribeURL,
  });

  it('is a confirmation: answered by visiting its SubscribeURL, and no event', async () => {
    const region = await awsRegion();
    const path = '/?Action=ConfirmSubscription&Token=a';
    const message = await region.message(confirmation(region.url + path));
    for (const kind of BOTH_KINDS) expect(await verify(kind(message), ARN)).toBeUndefined();
    expect(region.asked.filter(asked => asked === path)).toHaveLength(2);
  });

  it.each([500, 403, 302])('is asked for again when SNS answers %i there', async status => {
    const region = await awsRegion();
    const message = await region.message(confirmation(`${region.url}/?Action=ConfirmSubscription`));
    // The certificate is there by then.
    await refusal(await region.message({ ...certificateOf(message) }));
    region.status = status;
    expect(await refusal(message)).toBe('503 SubscribeURL could not be visited; try again.');
  });

  it.each([
    'https://example.org/',
    'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription',
    'http://127.0.0.1:80/',
    undefined,
  ])('leads nowhere else: %j is not visited', async SubscribeURL => {
    const region = await awsRegion();
    const message = await region.message(confirmation(SubscribeURL));
    expect(await refusal(message)).toBe(
      '403 Invalid SubscribeURL: it is not at https://sns.eu-west-1.amazonaws.com/.',
    );
    expect(region.asked).toEqual([new URL(certificateOf(message).SigningCertURL).pathname]);
  });

  it('is not answered when another topic asks, whose signature is as good', async () => {
    const region = await awsRegion();
    const TopicArn = `${TOPIC_ARN}-of-others`;
    const asks = { ...confirmation(`${region.url}/?Action=ConfirmSubscription`), TopicArn };
    expect(await refusal(await region.message(asks))).toBe('403 The message is from another topic.');
    expect(region.asked).toEqual([]);
  });

  it('is the end of the subscription: nothing is visited', async () => {
    const region = await awsRegion();
    const SubscribeURL = `${region.url}/?Action=ConfirmSubscription`;
    const message = await region.message({ ...confirmation(SubscribeURL), Type: 'UnsubscribeConfirmation' });
    expect(await verify(webRequest(message), ARN)).toBeUndefined();
    expect(region.asked).toHaveLength(1);
  });

  it('is believed only with its signature', async () => {
    const region = await awsRegion();
    const message = await region.message(confirmation(`${region.url}/?Action=ConfirmSubscription`));
    const altered = changed(message, { Token: 'b' });
    expect(await refusal(altered)).toMatch(/^403/);
    expect(region.asked.some(path => path.includes('Action'))).toBe(false);
  });
});

function certificateOf({ body }: Posted): { SigningCertURL: string } {
  const { SigningCertURL } = JSON.parse(String(body)) as { SigningCertURL: string };
  return { SigningCertURL };
}
