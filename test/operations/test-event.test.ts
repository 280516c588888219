import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { testEvent } from '../../functions/changes/build-events.ts';
import { senderOf } from '../../functions/delivery/sender.ts';
import { checkEvents } from '../kit/check-event.ts';
import { slackMessages, teamsMessages } from '../kit/delivery/chat-batches.ts';
import { startMailServer } from '../kit/delivery/mail-server.ts';
import { listen } from '../kit/listen.ts';
import { AT, openContext, STORES } from '../kit/operations/context.ts';
import { askIn } from '../kit/operations/setting.ts';

interface Got {
  readonly headers: Record<string, string>;
  readonly body: string;
}

describe.each(STORES)('over %s, a test of an endpoint', (_, open) => {
  const closers: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  const opened = async (status = 200, answer = 'thanks') => {
    const got: Got[] = [];
    const server = createServer(async (request, response) => {
      const chunks = await request.toArray();
      got.push({ headers: request.headers as Got['headers'], body: Buffer.concat(chunks).toString() });
      response.writeHead(status).end(answer);
    });
    const listening = await listen(server);
    const context = openContext(open);
    closers.push(() => context.close(), listening.stop);
    const { secrets, clock } = context;
    const { openPoster, jobsOf } = senderOf({ secrets, clock, random: () => 0, allowLoopback: true });
    const ask = askIn({ ...context, openPoster, jobsOf });
    return { context, ask, got, url: `${listening.url}/hook` };
  };

  it('is a valid event, signed as all are, whatever the filter and while nothing else is sent', async () => {
    const { context, ask, got, url } = await opened();
    const filter = { events: ['source.held'] } as const;
    const { secret } = await ask('add-endpoint', { endpoint: 'crm', kind: 'webhook', url, filter });
    await ask('pause-endpoint', { endpoint: 'crm' });
    const before = await context.endpoints.read('crm');
    const attempt = await ask('test-endpoint', { endpoint: 'crm' });
    expect(attempt).toMatchObject({
      ...{ endpoint: 'crm', at: new Date(AT).toISOString(), status: 200, answer: 'thanks', took: 0 },
    });
    const [{ headers, body }] = got as [Got];
    const event = JSON.parse(body);
    checkEvents([event]);
    expect(event).toMatchObject({ type: 'changewire.test', data: { endpoint: { name: 'crm' } } });
    const at = new Date(Number(headers['webhook-timestamp']) * 1000);
    expect(headers['webhook-signature']).toBe(new Webhook(secret as string).sign(event.id, at, body));
    expect(await context.deliveries.attempts('crm', 9)).toEqual([{ ...attempt, at: AT }]);
    expect(attempt.events).toEqual([{ id: event.id, type: 'changewire.test' }]);
    expect(await context.endpoints.read('crm')).toEqual(before);
    expect((await ask('test-endpoint', { endpoint: 'crm' })).events[0]?.id).not.toBe(event.id);
  });

  it('is told what came back, made harmless, and goes to the address as it is now', async () => {
    const answer = `\u001b[2Jno\u0000 way ${'x'.repeat(3_000)}`;
    const { context, ask, url } = await opened(500, answer);
    await ask('add-endpoint', { endpoint: 'crm', kind: 'webhook', url: 'https://crm.example/' });
    await ask('update-endpoint', { endpoint: 'crm', url });
    const attempt = await ask('test-endpoint', { endpoint: 'crm' });
    expect(attempt).toMatchObject({ status: 500, failure: 'answered 500' });
    expect(attempt.answer).toMatch(/^\[2Jno way x{900,1020}$/);
    expect((await context.endpoints.read('crm'))?.health).toEqual({});
  });

  it('is a mail, whose settings are checked, and whose address and recipients are in no answer and action', async () => {
    const { context, ask } = await opened();
    const server = await startMailServer({ login: () => undefined });
    const url = `smtp://user:hush-hush@localhost:${server.port}`;
    const mail = { kind: 'email', from: 'changes@example.com', to: 'ann@example.com' } as const;
    const asked = { endpoint: 'board', url, ...mail, window: '1h' };
    for (const [wrong, message] of [
      [{ window: null }, 'digest: found nothing; allowed: "digest" or "window", which kind "email" needs'],
      [{ to: null }, 'to: found nothing; allowed: 1 to 50 different e-mail addresses'],
      [{ url: 'https://smtp.example.com' }, 'its address must be smtps://user:password@host:465'],
      [{ url: 'ses:' }, 'ses: works in a stack on AWS'],
      [{ url: 'smtp://10.0.0.7' }, 'its address is not public (private)'],
      [{ headers: { 'X-Any': '1' } }, 'headers: A mail takes no headers'],
      [{ kind: 'slack', from: null, to: null }, 'its URL must be https'],
    ] as const)
      await expect(ask('add-endpoint', { ...asked, ...wrong })).rejects.toThrow(message);
    await ask('add-endpoint', asked);
    const attempt = await ask('test-endpoint', { endpoint: 'board' });
    expect(attempt).toMatchObject({ status: 250, origin: `smtp://localhost:${server.port}` });
    expect(server.received.map(({ subject, to }) => [subject, to?.[0]?.address])).toEqual([
      ['This is a test', 'ann@example.com'],
    ]);
    const update = { to: 'bob@example.com', window: null, digest: '08:00 UTC' };
    await ask('update-endpoint', { endpoint: 'board', ...update });
    const { actions } = await ask('actions', {});
    expect(actions.map(({ details }) => details)).toContain('email, a sender, recipients, window 1h');
    const told = JSON.stringify([attempt, actions, await ask('attempts', { endpoint: 'board' })]);
    expect(told).not.toMatch(/hush|ann@|bob@/);
    expect(await context.secrets.read('board')).toContain(url);
  });

  it('that succeeds is not kept where successes are not', async () => {
    const { context, ask, url } = await opened();
    await ask('add-endpoint', { endpoint: 'crm', kind: 'webhook', url, keepSuccesses: false });
    expect(await ask('test-endpoint', { endpoint: 'crm' })).toMatchObject({ status: 200 });
    expect(await context.deliveries.attempts('crm', 9)).toEqual([]);
  });

  it.each(['slack', 'teams'] as const)('is a plain sentence in %s', async kind => {
    const { ask, got, url } = await opened();
    await ask('add-endpoint', { endpoint: 'chat', kind, url });
    await ask('test-endpoint', { endpoint: 'chat' });
    const message = JSON.parse(got[0]?.body ?? '{}');
    const told: string = kind === 'slack' ? message.text : message.summary;
    expect(told.replaceAll('\u2060', '')).toContain(`This is a test: Changewire can deliver events here`);
  });

  it('has the form of the preset of an endpoint of plain text', async () => {
    const { ask, got, url } = await opened();
    await ask('add-endpoint', { endpoint: 'chat', kind: 'text', url, preset: 'discord' });
    await ask('test-endpoint', { endpoint: 'chat' });
    await ask('update-endpoint', { endpoint: 'chat', preset: null, field: 'said' });
    expect(await ask('endpoint', { endpoint: 'chat' })).toMatchObject({ kind: 'text', field: 'said' });
    await ask('test-endpoint', { endpoint: 'chat' });
    expect(got.map(({ body }) => Object.keys(JSON.parse(body)))).toEqual([
      ['allowed_mentions', 'flags', 'content'],
      ['said'],
    ]);
  });

  it('of one without a secret, or of none, says what to do', async () => {
    const { context, ask } = await opened();
    const unknown = ask('test-endpoint', { endpoint: 'nobody' });
    await expect(unknown).rejects.toThrow('There is no endpoint with this name.');
    await context.endpoints.change('crm', () => ({
      name: 'crm',
      settings: { name: 'crm', kind: 'slack' },
      health: {},
    }));
    await expect(ask('test-endpoint', { endpoint: 'crm' })).rejects.toThrow('Put it there: put it into crm');
  });
});

it('a test is told beside other events of a batch', () => {
  const [one, other] = ['1', '2'].map(tag => testEvent('crm', { at: AT, tag })) as [never, never];
  for (const format of [slackMessages, teamsMessages])
    expect(format([one, other]).map(({ eventIds }) => eventIds)).toEqual([
      [`changewire.test.${AT}.1`],
      [`changewire.test.${AT}.2`],
    ]);
});
