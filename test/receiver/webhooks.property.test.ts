import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verify } from '../../receiver/index.ts';
import { exampleEvent } from '../kit/examples/receiver.ts';
import { BOTH_KINDS, refusalOf, secretOf, signedWebhook } from '../kit/receiver/requests.ts';

const SECRET = secretOf('one');

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
});
