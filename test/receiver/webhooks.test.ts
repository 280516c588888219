import * as fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
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
const MINUTES = 60_000;

/** Any text of a webhook, signed as its sender does. */
function signedText(body: string) {
  const signature = new Webhook(SECRET).sign('1', new Date(), body);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const headers = { 'webhook-id': '1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
  return webRequest({ body, headers });
}

const secretBytes = fc.uint8Array({ minLength: 24, maxLength: 64 });
const asSecret = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`;
const kinds = fc.constantFrom(...BOTH_KINDS);

describe('a signed webhook', () => {
  it('is taken by each secret of either side, whatever the event holds', async () => {
    const notes = fc.array(secretBytes, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(
        kinds,
        notes,
        notes,
        fc.nat(),
        fc.jsonValue(),
        fc.integer({ min: -290, max: 290 }),
        async (kind, theirs, ours, place, to, seconds) => {
          const shared = theirs[place % theirs.length] as Uint8Array;
          const event = { ...exampleEvent('task.updated'), data: { changes: [{ to }] } };
          const at = Date.now() + seconds * 1000;
          const request = signedWebhook(event, { secrets: theirs.map(asSecret), at });
          expect(await verify(kind(request), [...ours, shared].map(asSecret))).toEqual(
            JSON.parse(JSON.stringify(event)),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  it('is refused when any byte of its body is another one', async () => {
    const { body, headers } = signedWebhook(exampleEvent('source.held'));
    await fc.assert(
      fc.asyncProperty(
        kinds,
        fc.nat(body.length - 1),
        fc.integer({ min: 1, max: 127 }),
        async (kind, at, bits) => {
          const altered = Uint8Array.from(Buffer.from(body), (byte, index) =>
            index === at ? byte ^ bits : byte,
          );
          expect(await refusalOf(verify(kind({ body: altered, headers }), SECRET))).toEqual({
            status: 401,
            message: 'No matching signature found.',
          });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is refused when a character of any of its headers is another one, is missing or too many', async () => {
    const { body, headers } = signedWebhook(exampleEvent('source.held'));
    const names = Object.keys(headers);
    const wrong = fc.tuple(
      fc.constantFrom(...names),
      fc.nat(),
      fc.constantFrom('', '0', '7', 'A', 'x', 'xy', ','),
    );
    await fc.assert(
      fc.asyncProperty(kinds, wrong, async (kind, [name, place, character]) => {
        const value = headers[name] as string;
        const at = place % value.length;
        const altered = value.slice(0, at) + character + value.slice(at + 1);
        fc.pre(altered !== value);
        expect(
          await refusalOf(verify(kind({ body, headers: { ...headers, [name]: altered } }), SECRET)),
        ).toMatchObject({
          status: 401,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('is refused when nobody of whom it is taken signed it', async () => {
    await fc.assert(
      fc.asyncProperty(kinds, secretBytes, secretBytes, async (kind, theirs, ours) => {
        fc.pre(!Buffer.from(theirs).equals(Buffer.from(ours)));
        const request = signedWebhook(exampleEvent('task.updated'), { secrets: [asSecret(theirs)] });
        expect(await refusalOf(verify(kind(request), asSecret(ours)))).toMatchObject({ status: 401 });
      }),
      { numRuns: 50 },
    );
  });

  it('is refused when its time is more than 5 minutes off', async () => {
    const seconds = fc.integer({ min: 302, max: 10 ** 8 });
    await fc.assert(
      fc.asyncProperty(kinds, seconds, fc.boolean(), async (kind, off, isOld) => {
        const at = Date.now() + (isOld ? -off : off) * 1000;
        expect(
          await refusalOf(verify(kind(signedWebhook(exampleEvent('task.updated'), { at })), SECRET)),
        ).toEqual({
          status: 401,
          message: `Message timestamp too ${isOld ? 'old' : 'new'}.`,
        });
      }),
      { numRuns: 50 },
    );
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
      [body, { ...headers, 'webhook-timestamp': 'soon' }, /^Invalid Signature Headers/],
      [body, signedWebhook({ id: 'a' }, { at: Date.now() - 6 * MINUTES }).headers, /too old/],
    ];
    for (const [altered, with_, why] of refused) {
      const { status, message } = await refusalOf(
        verify(webRequest({ body: altered, headers: with_ }), [SECRET, NEW_SECRET]),
      );
      expect({ status, message }).toEqual({ status: 401, message: expect.stringMatching(why) });
      for (const secret of [SECRET, NEW_SECRET]) expect(message).not.toContain(secret.slice(6));
    }
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
        message: expect.stringMatching(/no JSON|no JSON object|no change event/),
      });
    }
  });

  it('may be of a type that nobody knows yet', async () => {
    const event = { ...exampleEvent('task.updated'), type: 'task.moved', data: { more: true } };
    expect(await verify(signedText(JSON.stringify(event)), SECRET)).toEqual(event);
  });

  it.each([['whsec_%%%'], ['whsec_'], [''], ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']])(
    'is not looked at when %j is to be its secret: the receiver is told',
    async secret => {
      const request = () => webRequest(signedWebhook(exampleEvent('task.updated')));
      for (const wrong of [secret, [SECRET, secret]]) {
        await expect(verify(request(), wrong)).rejects.toThrow(
          new TypeError('Each secret of a webhook is "whsec_" and base64; at least one of these is not.'),
        );
      }
    },
  );
});
