import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { verify } from '../../receiver/index.ts';
import { exampleEvent } from '../kit/examples/receiver.ts';
import {
  BOTH_KINDS,
  type Headers,
  refusalOf,
  secretOf,
  signedWebhook,
  webRequest,
} from '../kit/receiver/requests.ts';

const [SECRET, NEW_SECRET, WRONG_SECRET] = [secretOf('one'), secretOf('new'), secretOf('bad')];
const SHORT = `whsec_${Buffer.alloc(23, 'a').toString('base64')}`;
const MINUTES = 60_000;

/** Any text of a webhook, signed as its sender does. */
function signedText(body: string) {
  const now = new Date();
  const signature = new Webhook(SECRET).sign('1', now, body);
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const headers = { 'webhook-id': '1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  return webRequest({ body, headers });
}

const UPDATED = exampleEvent('task.updated');

describe('a signed webhook', () => {
  it('is taken as it was sent, by any of several secrets of either side', async () => {
    const request = signedWebhook(UPDATED, { secrets: [WRONG_SECRET, SECRET] });
    for (const kind of BOTH_KINDS) expect(await verify(kind(request), [NEW_SECRET, SECRET])).toEqual(UPDATED);
  });

  it.each([-4, 4])('may be %d minutes old', async minutes => {
    const request = signedWebhook(UPDATED, { at: Date.now() - minutes * MINUTES });
    expect(await verify(webRequest(request), SECRET)).toEqual(UPDATED);
  });

  it('is told what is wrong with it, and never a secret', async () => {
    const { body, headers } = signedWebhook(exampleEvent('task.updated'));
    const signature = headers['webhook-signature'] as string;
    const refused: [string, Headers, RegExp][] = [
      [body.replace('In progress', 'In Progress'), headers, /^No matching signature/],
      [` ${body}`, headers, /^No matching signature/],
      [body, { ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') }, /^No matching signature/],
      [body, {}, /^Missing required headers\.$/],
      [body, signedWebhook({ id: 'a' }, { secrets: [WRONG_SECRET] }).headers, /^No matching signature/],
      ...['id', 'timestamp', 'signature'].map((name): [string, Headers, RegExp] => [
        ...([body, { ...headers, [`webhook-${name}`]: '' }, /^Missing required headers\.$/] as const),
      ]),
      ...['soon', '-1', '1x', '1'.repeat(13)].map((time): [string, Headers, RegExp] => [
        ...([body, { ...headers, 'webhook-timestamp': time }, /^Invalid Signature Headers/] as const),
      ]),
      [body, signedWebhook({ id: 'a' }, { at: Date.now() - 6 * MINUTES }).headers, /too old/],
      [body, signedWebhook({ id: 'a' }, { at: Date.now() + 6 * MINUTES }).headers, /too new/],
    ];
    for (const [altered, with_, why] of refused) {
      const { status, message } = await refusalOf(
        verify(webRequest({ body: altered, headers: with_ }), [SECRET, NEW_SECRET]),
      );
      expect({ status, message }).toEqual({ status: 401, message: expect.stringMatching(why) });
      for (const secret of [SECRET, NEW_SECRET]) expect(message).not.toContain(secret.slice(6));
    }
  });

  it('has at most 256 KiB, whether or not the receiver expects SNS as well; a message of SNS 1 MiB', async () => {
    const topicArn = 'arn:aws:sns:eu-west-1:123456789012:changes';
    const isSns = { 'x-amz-sns-message-type': 'Notification' };
    const status = async (length: number, headers: Headers, senders: Parameters<typeof verify>[1]) =>
      (await refusalOf(verify(webRequest({ body: 'a'.repeat(length), headers }), senders))).status;
    expect(await status(256 * 1024, {}, SECRET)).toBe(401);
    expect(await status(256 * 1024 + 1, {}, SECRET)).toBe(413);
    expect(await status(256 * 1024 + 1, isSns, SECRET)).toBe(413);
    expect(await status(256 * 1024 + 1, {}, { secrets: SECRET, topicArn })).toBe(413);
    expect(await status(256 * 1024 + 1, isSns, { secrets: SECRET, topicArn })).toBe(400);
    expect(await status(1024 * 1024, isSns, { topicArn })).toBe(400);
    expect(await status(1024 * 1024 + 1, isSns, { topicArn })).toBe(413);
  });

  it('is refused without a signature of the right form before anything is computed of its body', async () => {
    const { body, headers } = signedWebhook(UPDATED);
    const hmac = vi.spyOn(crypto, 'createHmac');
    syncBuiltinESMExports();
    const refusedAs = (signature: string) =>
      refusalOf(
        verify(webRequest({ body, headers: { ...headers, 'webhook-signature': signature } }), SECRET),
      );
    for (const signature of [
      'v1',
      'v1,',
      `v1,${'A'.repeat(43)}`,
      `v1a,${'A'.repeat(43)}=`,
      `${'A'.repeat(43)}=`,
      `xv1,${'A'.repeat(43)}=`,
      `v1,${'A'.repeat(43)}=x`,
    ])
      expect(await refusedAs(signature)).toEqual({ status: 401, message: 'No matching signature found.' });
    expect(hmac).not.toHaveBeenCalled();
    expect(await refusedAs(`v2,x v1,${'A'.repeat(43)}=`)).toMatchObject({ status: 401 });
    expect(hmac).toHaveBeenCalledTimes(1);
    hmac.mockRestore();
    syncBuiltinESMExports();
  });

  it('is refused when it is signed, but no event', async () => {
    const sequence = { ...exampleEvent('task.updated'), sequence: 'later' };
    const { data: _, ...noData } = exampleEvent('task.updated');
    const other = { ...exampleEvent('task.updated'), specversion: '2.0' };
    const texts = [
      '',
      'text',
      '[]',
      '{}',
      'null',
      ...[sequence, noData, other].map(one => JSON.stringify(one)),
    ];
    for (const body of texts) {
      expect(await refusalOf(verify(signedText(body), SECRET))).toEqual({
        status: 400,
        message: expect.stringMatching(/not JSON|not a JSON object|not a change event/),
      });
    }
  });

  it('may be of a type that nobody knows yet', async () => {
    const event = { ...exampleEvent('task.updated'), type: 'task.moved', data: { more: true } };
    expect(await verify(signedText(JSON.stringify(event)), SECRET)).toEqual(event);
  });

  it.each([
    ['whsec_%%%'],
    ['whsec_'],
    [''],
    ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['whsec_AA=='],
    [SHORT],
    [` ${SECRET}`],
    [`${SECRET} `],
  ])('is not looked at when %j is to be its secret: the receiver is told', async secret => {
    const request = () => webRequest(signedWebhook(exampleEvent('task.updated')));
    for (const wrong of [secret, [SECRET, secret]]) {
      await expect(verify(request(), wrong)).rejects.toThrow(
        new TypeError('Invalid webhook secret: expected "whsec_" and the base64 of at least 24 bytes.'),
      );
    }
  });
});
