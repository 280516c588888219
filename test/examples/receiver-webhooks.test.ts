import { connect } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { Applied } from '../../examples/receiver/applied.ts';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import { webhookRequest } from '../../functions/endpoints/webhook.ts';
import { exampleEvent, post, runReceiver } from '../kit/examples/receiver.ts';

const SECRET = `whsec_${Buffer.alloc(24, 'one').toString('base64')}`;
const NEW_SECRET = `whsec_${Buffer.alloc(24, 'new').toString('base64')}`;
const WRONG_SECRET = `whsec_${Buffer.alloc(24, 'bad').toString('base64')}`;

/** The request that deliver.ts makes of an event. */
function signed(event: ChangeEvent, { secrets = [SECRET], at = Date.now() } = {}) {
  return webhookRequest({ id: event.id, body: JSON.stringify(event) }, secrets, at);
}

describe('the receiver of signed webhooks', () => {
  it('applies what is signed; drops duplicates and what is stale', async () => {
    const running = await runReceiver({ WEBHOOK_SECRETS: SECRET });
    const [created, updated] = [exampleEvent('task.created'), exampleEvent('task.updated')];
    for (const event of [updated, updated, created]) {
      const { body, headers } = signed(event);
      expect(await post(running.webhook, body, headers)).toEqual({ status: 204, text: '' });
    }
    expect(running.applied()).toEqual([
      'task.updated /workspaces/eu/processes/onboarding/projects/1015/tasks/500015',
    ]);
    expect(running.said()).toContain(
      `dropped as duplicate: ${updated.id}\ndropped as stale: ${created.id}\n`,
    );
  });

  it('takes either secret while it is changed, on either side', async () => {
    const both = await runReceiver({ WEBHOOK_SECRETS: `${SECRET} ${NEW_SECRET}` });
    const one = await runReceiver({ WEBHOOK_SECRETS: NEW_SECRET });
    const updated = exampleEvent('task.updated');
    const requests = [
      [both, signed(updated)],
      [both, signed(updated, { secrets: [NEW_SECRET] })],
      [one, signed(updated, { secrets: [SECRET, NEW_SECRET] })],
    ] as const;
    for (const [running, { body, headers }] of requests) {
      expect(await post(running.webhook, body, headers)).toMatchObject({ status: 204 });
    }
    expect([both.applied().length, one.applied().length]).toEqual([1, 1]);
  });

  it('refuses what is altered, unsigned, too old, too new or signed with another secret', async () => {
    const running = await runReceiver({ WEBHOOK_SECRETS: SECRET });
    const updated = exampleEvent('task.updated');
    const { body, headers } = signed(updated);
    const minutes = 60_000;
    const signature = headers['webhook-signature'] ?? '';
    const refused: [string, Record<string, string>, RegExp][] = [
      [body.replace('In progress', 'In Progress'), headers, /No matching signature/],
      [` ${body}`, headers, /No matching signature/],
      [body, { ...headers, 'webhook-id': `${updated.id}0` }, /No matching signature/],
      [
        body,
        { ...headers, 'webhook-timestamp': `${Number(headers['webhook-timestamp']) - 1}` },
        /No matching/,
      ],
      [body, { ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') }, /No matching signature/],
      [body, {}, /Missing required headers/],
      [body, signed(updated, { secrets: [WRONG_SECRET] }).headers, /No matching signature/],
      [body, signed(updated, { at: Date.now() - 6 * minutes }).headers, /too old/],
      [body, signed(updated, { at: Date.now() + 6 * minutes }).headers, /too new/],
    ];
    for (const [altered, with_, why] of refused) {
      const { status, text } = await post(running.webhook, altered, with_);
      expect({ status, text }).toEqual({ status: 401, text: expect.stringMatching(why) });
    }
    expect(running.applied()).toEqual([]);
    expect(running.said()).not.toContain(SECRET.slice(6));
  });

  it('refuses any altered byte of a body', async () => {
    const running = await runReceiver({ WEBHOOK_SECRETS: SECRET });
    const { body, headers } = signed(exampleEvent('source.held'));
    const bytes = Buffer.from(body);
    for (const index of bytes.keys()) {
      const altered = Uint8Array.from(bytes, (byte, at) => (at === index ? byte ^ 1 : byte));
      expect(await post(running.webhook, altered, headers)).toMatchObject({ status: 401 });
    }
    expect(running.applied()).toEqual([]);
  });

  it('refuses bytes that are no UTF-8, though a decoder that is not strict would read what was signed', async () => {
    const running = await runReceiver({ WEBHOOK_SECRETS: SECRET });
    const held = exampleEvent('source.held');
    const { body, headers } = signed({ ...held, subject: '\uFFFD' } as ChangeEvent);
    const bytes = Buffer.from(body);
    const at = bytes.indexOf('\uFFFD');
    const altered = Uint8Array.from([...bytes.subarray(0, at), 0xff, ...bytes.subarray(at + 3)]);
    expect(await post(running.webhook, altered, headers)).toMatchObject({ status: 400 });
  });

  it('refuses what is signed but no event, other methods and paths, and a body without end', async () => {
    const running = await runReceiver({ WEBHOOK_SECRETS: SECRET });
    const send = (body: string) => {
      const signature = new Webhook(SECRET).sign('1', new Date(), body);
      const timestamp = String(Math.floor(Date.now() / 1000));
      const headers = { 'webhook-id': '1', 'webhook-timestamp': timestamp, 'webhook-signature': signature };
      return post(running.webhook, body, headers);
    };
    const sequence = { ...exampleEvent('task.updated'), sequence: 'later' };
    for (const body of ['', '[]', '{}', 'text', JSON.stringify(sequence)]) {
      expect(await send(body)).toMatchObject({ status: 400 });
    }
    expect((await fetch(running.webhook)).status).toBe(405);
    expect((await post(`${running.webhook}s`, '')).status).toBe(404);
    // Not configured, so it is not there.
    expect((await post(running.webhook.replace('webhook', 'sns'), '')).status).toBe(404);
    expect((await post(running.webhook, 'a'.repeat(1024 * 1024 + 1))).status).toBe(413);
  });
});

describe('the receiver, as a process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('stops at %s, though a request hangs', async signal => {
    const running = await runReceiver({ WEBHOOK_SECRETS: SECRET });
    const socket = connect(Number(new URL(running.webhook).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /webhook HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n1');
    await post(running.webhook, '');
    running.child.kill(signal);
    expect(await running.ended()).toBe(0);
    socket.destroy();
  });

  it.each([
    [{}, /Set SNS_TOPIC_ARN, WEBHOOK_SECRETS or both/],
    [{ WEBHOOK_SECRETS: 'whsec_%%%' }, /each secret is "whsec_" and base64/],
    [{ WEBHOOK_SECRETS: SECRET, PORT: '8o8o' }, /PORT: a number/],
  ])('says what is wrong with %j and ends with 1', async (environment, why) => {
    const running = await runReceiver(environment as Record<string, string>, { ready: false });
    expect(await running.ended()).toBe(1);
    expect(running.said()).toMatch(why);
  });
});

describe('what the receiver remembers', () => {
  it('is bounded, and keeps what it met last', () => {
    const applied = new Applied(2);
    const event = (id: number, sequence = '1772442160001') =>
      exampleEvent('task.updated', { id: String(id), subject: `projects/${id}`, sequence });
    for (const id of [1, 2]) applied.remember(event(id));
    expect(applied.judge(event(1))).toBe('duplicate');
    applied.remember(event(3));
    expect([1, 2, 3].map(id => applied.judge(event(id)))).toEqual(['duplicate', 'new', 'duplicate']);
  });

  it('tells newer from stale by number, whatever the length', () => {
    const applied = new Applied();
    const event = (id: string, sequence: string) => exampleEvent('task.updated', { id, sequence });
    applied.remember(event('a', '9999999999999'));
    expect(applied.judge(event('b', '10000000000000'))).toBe('new');
    expect(applied.judge(event('c', '9999999999998'))).toBe('stale');
  });
});
