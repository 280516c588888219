import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { webhookRequest } from '../../functions/delivery/webhook/webhook.ts';
import { eventId } from '../../functions/model/event-id.ts';
import { ANY_CHARACTER } from '../kit/any-character.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const OLD = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const WRONG = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;

const verify = (secret: string, body: string | Buffer, headers: Record<string, string>) =>
  new Webhook(secret).verify(body, headers);

describe('a signed webhook', () => {
  beforeEach(() => void vi.useFakeTimers({ now: NOW }));
  afterEach(() => void vi.useRealTimers());

  const id = eventId('On boarding', 'p.1#ü', NOW, 3);
  const body = JSON.stringify({ id, text: 'naïve – 🎉', list: [1, 2, 3] });

  it('is, for this secret, id, time and body, exactly this (golden vector)', () => {
    // The specification's own example.
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const given = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' };
    expect(webhookRequest(given, [secret], 1_614_265_330_000)).toEqual({
      body: '{"test": 2432232314}',
      headers: {
        'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'webhook-timestamp': '1614265330',
        'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
      },
    });
  });

  it('verifies with either of two secrets while they are changed, and with no other', () => {
    const { headers } = webhookRequest({ id, body }, [OLD, NEW], NOW);
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const secret of [OLD, NEW]) expect(verify(secret, body, { ...headers })).toEqual(JSON.parse(body));
    expect(() => verify(WRONG, body, { ...headers })).toThrow('No matching signature');
    const { headers: one } = webhookRequest({ id, body }, [NEW], NOW);
    expect(() => verify(OLD, body, { ...one })).toThrow('No matching signature');
  });

  it('verifies whatever the event says, and is refused when one byte of body, id or time is another', () => {
    const part = fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 20 });
    const event = fc.record({ processId: part, projectId: part, data: fc.json() });
    fc.assert(
      fc.property(
        event,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        ({ processId, projectId, data }, at, flip) => {
          const name = eventId(processId, projectId, NOW, 0);
          const text = JSON.stringify({ id: name, data: JSON.parse(data) });
          // The verifier decodes before it hashes: broken bytes become this character.
          fc.pre(!text.includes('\uFFFD'));
          const { headers, body: sent } = webhookRequest({ id: name, body: text }, [OLD, NEW], NOW);
          expect(sent).toBe(text);
          const bytes = Buffer.from(sent);
          expect(verify(NEW, bytes, { ...headers })).toEqual(JSON.parse(text));

          const index = at % bytes.length;
          bytes[index] = (bytes[index] ?? 0) ^ flip;
          expect(() => verify(NEW, bytes, { ...headers })).toThrow('No matching signature');
          expect(() => verify(NEW, sent, { ...headers, 'webhook-id': `${name}0` })).toThrow('No matching');
          const later = { ...headers, 'webhook-timestamp': String(NOW / 1000 + 1) };
          expect(() => verify(NEW, sent, later)).toThrow('No matching');
        },
      ),
    );
  });
});
