import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Applied } from '../../examples/receiver/applied.ts';
import { Copy } from '../../examples/receiver/copy.ts';
import type { ProjectEvent } from '../../functions/model/event.ts';
import { exampleEvent, post, runReceiver } from '../kit/examples/receiver.ts';
import { secretOf, signedWebhook } from '../kit/receiver/requests.ts';
import { temporaryDirectory } from '../kit/temporary.ts';

const SECRET = secretOf('one');

describe('the receiver of signed webhooks', () => {
  it('applies what is signed; drops duplicates and what is stale', async () => {
    const running = await runReceiver({ WEBHOOK_SECRETS: SECRET });
    const [created, updated] = [exampleEvent('task.created'), exampleEvent('task.updated')];
    for (const event of [updated, updated, created]) {
      const { body, headers } = signedWebhook(event);
      expect(await post(running.webhook, body, headers)).toEqual({ status: 204, text: '' });
    }
    expect(running.applied()).toEqual([
      'task.updated /workspaces/eu/processes/onboarding/projects/1015/tasks/500015',
    ]);
    expect(running.said()).toContain(
      `dropped as duplicate: ${updated.id}\ndropped as stale: ${created.id}\n`,
    );
  });

  it('keeps a copy that a snapshot fills, and goes on with it after a kill', async () => {
    const path = join(temporaryDirectory(), 'copy.sqlite');
    const event = (type: string) => exampleEvent(type as 'task.created');
    const send = async (...types: string[]) => {
      const running = await runReceiver({ WEBHOOK_SECRETS: SECRET, COPY: path });
      for (const { body, headers } of types.map(type => signedWebhook(event(type))))
        expect(await post(running.webhook, body, headers)).toMatchObject({ status: 204 });
      running.child.kill('SIGKILL');
      await running.ended();
    };
    // The task was deleted after the snapshot began; the end comes first.
    await send('snapshot.completed', 'task.deleted', 'project.snapshot');
    await send('task.snapshot');
    const { source, subject, data } = event('project.snapshot') as ProjectEvent;
    const copy = new Copy(path);
    const { record, ...withoutRecord } = data.project;
    const cut = { sequence: '9772442160001', data: { ...data, project: withoutRecord } };
    copy.apply(exampleEvent('project.updated', { source, subject, ...cut } as object));
    expect([...copy.records()]).toEqual([[`${source} ${subject}`, record]]);
  });

  it('refuses what is altered, unsigned or signed with another secret, other methods and paths, and a body without end', async () => {
    const running = await runReceiver({ WEBHOOK_SECRETS: SECRET });
    const { body, headers } = signedWebhook(exampleEvent('task.updated'));
    const wrong = signedWebhook(exampleEvent('task.updated'), { secrets: [secretOf('bad')] });
    for (const [altered, with_] of [
      [`${body} `, headers],
      [body, {}],
      [wrong.body, wrong.headers],
    ] as const) {
      expect(await post(running.webhook, altered, with_)).toMatchObject({ status: 401 });
    }
    expect(running.applied()).toEqual([]);
    expect(running.said()).toContain('answered 401: Missing required headers.');
    expect(running.said()).not.toContain(SECRET.slice(6));
    expect((await fetch(running.webhook)).status).toBe(405);
    expect((await post(`${running.webhook}s`, '')).status).toBe(404);
    // Not configured, so it is not there.
    expect((await post(running.webhook.replace('webhook', 'sns'), '')).status).toBe(404);
    expect((await post(running.webhook, 'a'.repeat(1024 * 1024 + 1))).status).toBe(413);
  });
});

describe('the receiver, as a process', () => {
  const stopsAt = async (signal: 'SIGTERM' | 'SIGINT') => {
    const running = await runReceiver({ WEBHOOK_SECRETS: SECRET });
    const socket = connect(Number(new URL(running.webhook).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write('POST /webhook HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n1');
    await post(running.webhook, '');
    running.child.kill(signal);
    expect(await running.ended()).toBe(0);
    socket.destroy();
  };

  it('stops at SIGTERM and at SIGINT, though a request hangs', async () => {
    await Promise.all([stopsAt('SIGTERM'), stopsAt('SIGINT')]);
  });

  it.each([
    [{}, /Set SNS_TOPIC_ARN, WEBHOOK_SECRETS or both/],
    [{ WEBHOOK_SECRETS: 'whsec_%%%' }, /each secret must be "whsec_" and base64/],
    [{ WEBHOOK_SECRETS: SECRET, PORT: '8o8o' }, /PORT must be a number/],
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
    for (const of of ['9999999999999', '10000000000000']) expect(applied.judge(event('b', of))).toBe('new');
    expect(applied.judge(event('c', '9999999999998'))).toBe('stale');
  });
});
