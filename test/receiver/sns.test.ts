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
  it('is taken, as either kind of request', async () => {
    const local = await startSns();
    const message = await recorded(local);
    for (const kind of BOTH_KINDS) expect(await verify(kind(message), fromHere(local))).toEqual(UPDATED);
  });

  it('is taken only where that is allowed', async () => {
    const local = await startSns();
    const { topicArn } = local.sns;
    const message = webRequest(await recorded(local));
    expect(await refusalOf(verify(message, { topicArn }))).toEqual({
      status: 403,
      message: 'Invalid SigningCertURL: it is not at https://sns.us-east-1.amazonaws.com/.',
    });
  });

  it('is refused when another topic sent it, though it says ours', async () => {
    const [local, foreign] = [await startSns(), await startSns({ topicName: 'foreign' })];
    const message = await recorded(foreign);
    const reasons = [message, changed(message, { TopicArn: local.sns.topicArn })].map(one =>
      refusalOf(verify(webRequest(one), fromHere(local))),
    );
    expect(await Promise.all(reasons)).toEqual([
      { status: 403, message: 'The message is from another topic.' },
      { status: 403, message: 'Invalid Signature.' },
    ]);
  });

  it('is refused when it is raw, which nobody signed', async () => {
    const headers = { 'x-amz-sns-message-type': 'Notification', 'x-amz-sns-rawdelivery': 'true' };
    expect(await refusalOf(verify(webRequest({ body: MESSAGE, headers }), ARN))).toEqual({
      status: 403,
      message: 'Raw messages are not signed: disable raw message delivery.',
    });
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
    [{ Signature: 'AAAA' }, /^Invalid Signature\.$/],
    [{ SignatureVersion: '1' }, /^SignatureVersion is not 2\.$/],
    [{ Type: 'Other' }, /^Invalid Type\.$/],
    [{ Timestamp: 'soon' }, /^Invalid Signature\.$/],
    [{ Message: undefined }, /^The SNS message has no Message\.$/],
    [{ TopicArn: `${TOPIC_ARN}2` }, /^The message is from another topic\.$/],
    ...[
      'https://sns.eu-west-1.amazonaws.com.example.org/a.pem',
      `https://sns.us-east-1.amazonaws.com/SimpleNotificationService-${'0'.repeat(32)}.pem`,
      `http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${'0'.repeat(32)}.pem`,
      'https://sns.eu-west-1.amazonaws.com/a.pem',
      `http://127.0.0.1:80/SimpleNotificationService-${'0'.repeat(32)}.pem`,
    ].map(SigningCertURL => [{ SigningCertURL }, /^Invalid SigningCertURL: it is not/] as [object, RegExp]),
  ])('is refused with %j, and the sender told why', async (change: object, why) => {
    const region = await awsRegion();
    const message = await region.message({ Message: MESSAGE });
    expect(await refusalOf(verify(webRequest(changed(message, change)), ARN))).toEqual({
      status: 403,
      message: expect.stringMatching(why),
    });
  });

  it('is refused when it is older than SNS itself retries, unless the receiver takes older ones', async () => {
    const region = await awsRegion();
    const aged = async (seconds: number, Type = 'Notification') =>
      webRequest(
        await region.message({
          ...{ Type, Message: MESSAGE },
          Timestamp: new Date(Date.now() - seconds * 1000).toISOString(),
        }),
      );
    expect(await verify(await aged(3_890), ARN)).toEqual(UPDATED);
    const refused = { status: 403, message: 'The message is more than 3900 s old.' };
    expect(await refusalOf(verify(await aged(3_910), ARN))).toEqual(refused);
    expect(await verify(await aged(3_910), { ...ARN, maxAgeSeconds: 4_000 })).toEqual(UPDATED);
    expect(await refusalOf(verify(await aged(60), { ...ARN, maxAgeSeconds: 50 }))).toMatchObject({
      status: 403,
    });
    const undated = webRequest(await region.message({ Message: MESSAGE, Timestamp: 'soon' }));
    expect(await refusalOf(verify(undated, ARN))).toEqual(refused);
  });

  it('is asked for again while SNS answers with an error page instead of the certificate', async () => {
    const region = await awsRegion();
    const message = await region.message({ Message: MESSAGE });
    region.status = 500;
    expect(await refusalOf(verify(webRequest(message), ARN))).toEqual({
      status: 503,
      message: 'The certificate could not be fetched; try again.',
    });
    region.status = 200;
    expect(await verify(webRequest(message), ARN)).toEqual(UPDATED);
  });

  it('is refused when it is no JSON, or holds no event', async () => {
    const region = await awsRegion();
    const message = await region.message({ Message: 'Hello' });
    const broken = { ...message, body: String(message.body).slice(1) };
    expect(await refusalOf(verify(webRequest(broken), ARN))).toEqual({
      status: 400,
      message: 'The SNS message is not JSON.',
    });
    expect(await refusalOf(verify(webRequest(message), ARN))).toEqual({
      status: 400,
      message: 'The event is not JSON.',
    });
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
    await refusalOf(verify(webRequest(await region.message({ ...certificateOf(message) })), ARN));
    region.status = status;
    expect(await refusalOf(verify(webRequest(message), ARN))).toEqual({
      status: 503,
      message: 'SubscribeURL could not be visited; try again.',
    });
  });

  it.each([
    'https://example.org/',
    'https://sns.us-east-1.amazonaws.com/?Action=ConfirmSubscription',
    'http://127.0.0.1:80/',
    undefined,
  ])('leads nowhere else: %j is not visited', async SubscribeURL => {
    const region = await awsRegion();
    const message = await region.message(confirmation(SubscribeURL));
    expect(await refusalOf(verify(webRequest(message), ARN))).toEqual({
      status: 403,
      message: 'Invalid SubscribeURL: it is not at https://sns.eu-west-1.amazonaws.com/.',
    });
    expect(region.asked).toEqual([new URL(certificateOf(message).SigningCertURL).pathname]);
  });

  it('is not answered when another topic asks, whose signature is as good', async () => {
    const region = await awsRegion();
    const TopicArn = `${TOPIC_ARN}-of-others`;
    const asks = { ...confirmation(`${region.url}/?Action=ConfirmSubscription`), TopicArn };
    expect(await refusalOf(verify(webRequest(await region.message(asks)), ARN))).toEqual({
      status: 403,
      message: 'The message is from another topic.',
    });
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
    expect(await refusalOf(verify(webRequest(altered), ARN))).toMatchObject({ status: 403 });
    expect(region.asked.some(path => path.includes('Action'))).toBe(false);
  });
});

function certificateOf({ body }: Posted): { SigningCertURL: string } {
  const { SigningCertURL } = JSON.parse(String(body)) as { SigningCertURL: string };
  return { SigningCertURL };
}
