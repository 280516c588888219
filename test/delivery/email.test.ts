import { createServer } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import tls from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { resolveBySystem } from '../../functions/basics/proxy.ts';
import { testEvent } from '../../functions/changes/build-events.ts';
import { drain } from '../../functions/delivery/drain.ts';
import { mailSender } from '../../functions/delivery/email/send-mail.ts';
import { joined } from '../../functions/delivery/health.ts';
import { outcomeOf } from '../../functions/delivery/http/outcome.ts';
import { createPoster, type Poster, type PosterOptions } from '../../functions/delivery/http/post.ts';
import { senderOf } from '../../functions/delivery/sender.ts';
import type { ChangeEvent, SentEvent } from '../../functions/model/event.ts';
import {
  change,
  commitOf,
  field,
  MAIL_SETTINGS,
  mailOf,
  templates,
  windowMessages,
} from '../kit/delivery/chat-batches.ts';
import { type MailScript, startMailServer } from '../kit/delivery/mail-server.ts';
import {
  AT,
  answered,
  HOUR,
  MINUTE,
  messageOf,
  openSetting,
  openStored,
  realJobs,
  SECOND,
} from '../kit/delivery/setting.ts';
import { listenInTest } from '../kit/listen-in-test.ts';
import { startProxy } from '../kit/proxy.ts';

const edit = (project: string, name: string, from = 'Open', to = 'Done'): ChangeEvent[] =>
  commitOf([change('t-1', `Task of ${name}`, [field('Status', from, to)])], { projectId: project, name });
const two = [...edit('p-1', 'Onboarding ACME'), ...edit('p-2', 'Launch')];
const bare = (text: string) => text.replaceAll('\u2060', '');
const digestOf = (events: readonly SentEvent[]) => {
  const messages = windowMessages(events, MAIL_SETTINGS, { linkTemplates: templates });
  return messages.map(({ body, eventIds }) => ({ ...JSON.parse(body), eventIds }));
};

describe('a mail', () => {
  it('has all projects, and the number of changes as its subject', () => {
    const [mail, ...others] = digestOf(two);
    expect(others).toEqual([]);
    expect([mail.subject, mail.eventIds.length]).toEqual(['2 changes in 2 projects', 2]);
    for (const part of [bare(mail.text), bare(mail.html)])
      for (const text of [
        'Onboarding ACME',
        'Task of Launch',
        'https://app.example.com/customer-projects/p/p-2',
      ])
        expect(part).toContain(text);
    expect(digestOf(two.slice(0, 1))[0].subject).toBe('Onboarding ACME: 1 change in 1 task');
    expect(mailOf([testEvent('ops', { at: AT, tag: 'abc' })]).subject).toBe('This is a test');
  });

  it('has an identifier that only its content decides', () => {
    const [one, same, other] = [mailOf(two), mailOf(two), mailOf(two.slice(1))];
    expect(one.messageId).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
    expect(same).toEqual(one);
    expect(other.messageId).not.toBe(one.messageId);
  });

  it('of very many changes keeps below what clients cut off, and counts the rest', () => {
    const events = Array.from({ length: 400 }, (_, index) =>
      edit(`p-${index}`, `Project ${index}`, 'x'.repeat(900)),
    ).flat();
    const [mail, ...others] = digestOf(events);
    expect([others.length, mail.subject, mail.eventIds.length]).toEqual([
      0,
      '400 changes in 400 projects',
      400,
    ]);
    expect(Buffer.byteLength(mail.html)).toBeLessThan(102_000);
    expect(Buffer.byteLength(mail.html)).toBeGreaterThan(80_000);
    const shown = mail.html.match(/<h2/g).length;
    for (const part of [mail.text, mail.html])
      expect(part).toContain(`… and ${400 - shown} more changes in ${400 - shown} projects are not shown`);
  });

  it('of one project with very many changes shows most of them, and counts the rest', () => {
    const many = Array.from({ length: 1_500 }, (_, index) =>
      change(`t${index}`, `Task ${index}`, [field('F', 'a', 'b')]),
    );
    const [mail] = digestOf(commitOf(many));
    expect(Buffer.byteLength(mail.html)).toBeLessThan(102_000);
    expect(mail.text).toMatch(/… and [\d,]+ more changes in [\d,]+ tasks are not shown/);
  });
});

function posterOf(options: Partial<PosterOptions>): Poster {
  const all = { allowLoopback: true, resolve: resolveBySystem, timeout: 5_000, clock: () => AT, ...options };
  return createPoster({ ...all, sendMail: mailSender(all) });
}

const LOGIN = 'us%65r:hush%2Fhush';

/** Sends the mail of two projects. */
async function send(url: string, options: Partial<PosterOptions> = {}, events: readonly SentEvent[] = two) {
  const poster = posterOf({ clock: () => 42, ...options });
  const request = { body: JSON.stringify(mailOf(events, { linkTemplates: templates })), headers: {} };
  const answer = await poster.post(url, request).finally(poster.close);
  return { answer, outcome: outcomeOf(answer, { url }) };
}

describe('by SMTP', () => {
  it('text and HTML arrive, from one sender to all addresses', async () => {
    const server = await startMailServer();
    const { answer, outcome } = await send(`smtp://localhost:${server.port}`);
    expect([answer, outcome]).toMatchObject([{ status: 250, at: 42 }, { kind: 'delivered' }]);
    const { subject, messageId, text } = mailOf(two, { linkTemplates: templates });
    expect(subject).toBe('2 changes in 2 projects');
    const from = { name: 'Changewire', address: 'changes@example.com' };
    const recipients = ['ann@example.com', 'team@example.com'];
    const to = recipients.map(address => ({ address }));
    expect(server.received).toMatchObject([{ subject, from, to, recipients, messageId }]);
    const [mail] = server.received;
    expect(mail?.text?.trim()).toBe(text.trim());
    expect(mail?.html).toContain('<h2');
    expect(mail?.raw).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(mail?.raw).toMatch(/multipart\/alternative/);
  });

  it('nothing of the data is a header, markup or a link', async () => {
    const server = await startMailServer();
    const sendNamed = (name: string) =>
      send(
        `smtp://localhost:${server.port}`,
        {},
        commitOf([change('t', name, [field(name, name, `${name}!`)])], { name }),
      );
    const names = ({ headers }: (typeof server.received)[number]) => headers.map(({ key }) => key);
    const tags = ({ html = '' }: (typeof server.received)[number]) =>
      new Set(html.match(/<[^>]*>/g)?.map(tag => tag.replace(/href="[^"]*"/, 'href')));
    await sendNamed('P');
    for (const name of [
      '<b>Bold</b> <script>alert(1)</script> & "quoted"',
      "' onmouseover='x",
      'A\r\nBcc: eve@evil.example\r\n\r\nBody',
      '\u202Egnp.exe\u202C \u2067rtl',
      'https://evil.example/ www.evil.example eve@evil.example',
      '=?UTF-8?Q?Bcc:_eve?= 🚀 Übergabe',
    ]) {
      await sendNamed(name);
      const [usual, mail] = [server.received[0], server.received.at(-1)];
      if (!usual || !mail) return expect.unreachable('No mail came.');
      expect([names(mail), mail.recipients, tags(mail)]).toEqual([
        names(usual),
        usual.recipients,
        tags(usual),
      ]);
      const own = /https:\/\/app\.example\.com\/[\w./?=%-]*/g;
      for (const part of [mail.subject, mail.text, mail.html]) {
        expect(part).not.toMatch(/[\u202A-\u202E\u2066\u2067\0]/);
        if (part !== mail.subject)
          expect(part?.replace(own, '')).not.toMatch(/:\/\/|(?:evil\.|eve@|www\.)(?!\u2060)/);
      }
      expect(mail.subject).toContain('in 1 task');
    }
  });

  it.each([
    ['this machine, on AWS', 'smtp://localhost:PORT', { allowLoopback: false }],
    ['a name that leads to this machine', 'smtps://mail.example:PORT', {}],
    ['a literal', 'smtp://[::ffff:127.0.0.1]:PORT', {}],
    ['a private network', 'smtp://own.example:PORT', {}],
    ['metadata', 'smtp://169.254.169.254:PORT', { networks: ['169.254.0.0/16'] }],
  ])('no connection is opened to %s', async (_, url, options) => {
    let connections = 0;
    const server = await startMailServer({}, { onConnect: (__, done) => done(++connections ? null : null) });
    const resolve: PosterOptions['resolve'] = async name => [
      { address: name === 'own.example' ? '10.0.0.7' : '127.0.0.1', family: 4 },
    ];
    const { answer } = await send(url.replace('PORT', `${server.port}`), { resolve, ...options });
    expect(answer).toEqual({
      why: expect.stringMatching(/^its address is not public \(\w+\): correct the url/),
    });
    expect(connections).toBe(0);
  });

  it('a server elsewhere gets the mail only over TLS with a valid certificate', async () => {
    const [upgraded, secure] = [await startMailServer(), await startMailServer({}, { secure: true })];
    const plain = await startMailServer({}, { disabledCommands: ['STARTTLS'] });
    /** As a server that only the proxy reaches. */
    const elsewhere = async (scheme: string, port: number) => {
      const proxy = await startProxy({ to: port });
      const sent = await send(`${scheme}://mail.example:25`, {
        allowLoopback: false,
        proxy: proxy.url,
        resolve: unknown,
      });
      expect(proxy.asked).toEqual(['mail.example:25']);
      return sent.answer;
    };
    const unknown = () => Promise.reject(new Error());
    const noTls = { why: expect.stringMatching(/no TLS with a valid certificate|SELF_SIGNED/) };
    expect(await elsewhere('smtp', plain.port)).toEqual(noTls);
    expect(await elsewhere('smtp', upgraded.port)).toEqual(noTls);
    expect(await elsewhere('smtps', secure.port)).toEqual(noTls);
    const usual = tls.getCACertificates('default');
    tls.setDefaultCACertificates([...usual, upgraded.cert]);
    onTestFinished(() => tls.setDefaultCACertificates(usual));
    expect(await elsewhere('smtp', plain.port)).toEqual(noTls);
    expect(await elsewhere('smtp', upgraded.port)).toMatchObject({ status: 250 });
    expect(await elsewhere('smtps', secure.port)).toMatchObject({ status: 250 });
    expect([plain, upgraded, secure].map(({ received }) => received.map(({ isSecure }) => isSecure))).toEqual(
      [[], [true], [true]],
    );
    // This machine is asked for TLS, but needs neither that nor a valid certificate.
    tls.setDefaultCACertificates(usual);
    await send(`smtp://localhost:${plain.port}`);
    await send(`smtp://localhost:${upgraded.port}`);
    expect([plain, upgraded].map(({ received }) => received.at(-1)?.isSecure)).toEqual([false, true]);
  });

  it('user name and password are sent, and never repeated', async () => {
    const server = await startMailServer({
      login: (user, password) => (user === 'user' && password === 'hush/hush' ? undefined : 535),
    });
    expect((await send(`smtp://${LOGIN}@localhost:${server.port}`)).outcome).toEqual({ kind: 'delivered' });
    expect(server.received[0]?.user).toBe('user');
    const { outcome } = await send(`smtp://user:wrong-hush@localhost:${server.port}`);
    expect(outcome).toEqual({
      kind: 'failed',
      reason: 'answered 535: the mail server refused user name or password: correct the url in its secret',
    });
    const { outcome: without } = await send(`smtp://localhost:${server.port}`);
    expect(without).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('user name or password'),
    });
  });

  it.each<[string, keyof MailScript, code: number, kind: string, told: string]>([
    ['a sender', 'sender', 550, 'failed', 'refused the sender: correct "from"'],
    ['all recipients', 'recipient', 550, 'failed', 'refused the recipients: correct "to"'],
    ['a mail', 'mail', 554, 'failed', 'refused the mail'],
    ['a mail for now', 'mail', 452, 'slowed', 'asks to try again later'],
    ['a recipient for now', 'recipient', 450, 'slowed', 'asks to try again later'],
  ])('a server refuses %s: the reason names the remedy, no recipient', async (_, step, code, kind, told) => {
    const server = await startMailServer({ [step]: () => code });
    const { outcome, answer } = await send(`smtp://localhost:${server.port}`);
    const reason = expect.stringContaining(`answered ${code}: the mail server ${told}`);
    expect(outcome).toMatchObject({ kind, reason });
    expect(JSON.stringify([outcome, answer])).not.toContain('ann@');
  });

  it('a very long answer is cut, and has no address', async () => {
    const refused = Object.assign(new Error(`${'x'.repeat(1_000)} ann@example.com ${'x'.repeat(99_999)}`), {
      responseCode: 550,
    });
    const server = await startMailServer({}, { onMailFrom: (_, __, done) => done(refused) });
    const { answer } = await send(`smtp://localhost:${server.port}`);
    expect(answer).toMatchObject({ body: expect.stringMatching(/^550 x{1000} \(address\) x{9}$/) });
  });

  it('a server refuses one of two recipients: the other gets the mail, which is not repeated', async () => {
    const server = await startMailServer({
      recipient: address => (address.startsWith('ann') ? 550 : undefined),
    });
    const { outcome, answer } = await send(`smtp://localhost:${server.port}`);
    expect(outcome).toEqual({ kind: 'delivered' });
    expect(answer).toMatchObject({
      body: expect.stringMatching(/^1 of the recipients was refused: 550 <\(address\)>/),
    });
    expect(server.received[0]?.recipients).toEqual(['team@example.com']);
  });

  it('a server that hangs or is not there ends in no answer', async () => {
    const hanging = await listenInTest(createServer(() => undefined));
    expect((await send(`smtp://localhost:${new URL(hanging.url).port}`, { timeout: 200 })).answer).toEqual({
      why: 'no answer within 0.2 s',
    });
    await hanging.stop();
    expect((await send(`smtp://localhost:${new URL(hanging.url).port}`)).answer).toEqual({
      why: 'no answer (ECONNREFUSED)',
    });
  });

  it('a server gets nothing through a tunnel that opens after the time-out', async () => {
    const got = Promise.withResolvers<string>();
    const server = await listenInTest(createServer(socket => got.resolve(readAll(socket))));
    const proxy = await startProxy({ to: Number(new URL(server.url).port) });
    const lookUp = Promise.withResolvers<[]>();
    const options = { proxy: proxy.url, resolve: () => lookUp.promise, timeout: 500 };
    const { answer } = await send('smtps://mail.example:465', options);
    expect(answer).toEqual({ why: 'no answer within 0.5 s' });
    lookUp.resolve([]);
    expect(await got.promise).toBe('');
  });

  it('has 45 s, because a server that is slow to answer has the mail already', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const common = { secrets: {} as never, clock: () => AT, random: () => 0, allowLoopback: true };
    const poster = senderOf({ ...common, sendBySes: forever }).openPoster();
    const sent = poster.post('ses:', { body: JSON.stringify(mailOf(two)), headers: {} });
    await vi.advanceTimersByTimeAsync(45_000);
    expect(await sent).toEqual({ why: 'no answer within 45 s' });
  });

  it('SES is refused where none is', async () => {
    expect((await send('ses:')).answer).toEqual({ why: expect.stringContaining('smtps://') });
  });
});

const five = [1, 2, 3, 4, 5].flatMap(number => edit(`p-${number}`, `Project ${number}`));

/** A backlog of the changes of five projects, whose digest is at 13:00; it is noon. */
async function openDigest(script: MailScript) {
  const server = await startMailServer(script);
  const setting = openStored();
  const endpoint = { name: 'crm', ...MAIL_SETTINGS, digest: '13:00 UTC' };
  const poster = () => posterOf({ clock: () => setting.state.now });
  const own = { readSecret: async () => ({ url: `smtp://localhost:${server.port}` }), openPoster: poster };
  const health = { ...joined({}, AT - MINUTE, false), window: { since: AT - MINUTE, holds: true } as const };
  await setting.endpoints.change('crm', () => ({ name: 'crm', health, settings: endpoint }));
  await setting.deliveries.add(
    five.map(event => ({
      ...{ endpoint: 'crm', eventId: event.id, at: AT - HOUR, due: AT - MINUTE, attributes: {} },
      body: JSON.stringify(event),
    })),
  );
  return { ...setting, server, poster, drain: (more = {}) => setting.drain(endpoint, { ...own, ...more }) };
}

it('a digest by mail is one mail at its time, and the same mail once the server takes it', async () => {
  const { server, state, drain, left } = await openDigest({
    mail: before => (before === 0 ? 451 : undefined),
  });
  await drain();
  expect([server.received.length, await left()]).toEqual([0, 5]);
  state.now = AT + HOUR;
  await drain();
  expect([server.received.length, await left()]).toEqual([0, 5]);
  state.now += 31 * SECOND;
  // A run that has no time for a slow answer leaves the mail to the next one.
  await drain({ remaining: () => 50_000 + 7_999 });
  expect(server.received.length).toBe(0);
  await drain();
  expect([server.received.map(({ subject }) => subject), await left()]).toEqual([
    ['5 changes in 5 projects'],
    0,
  ]);
});

it.each([
  ['451', true],
  ['550', false],
])(
  'the first mail of a window that is refused with %s is sent again with all projects',
  async (status, isTemporary) => {
    const mail = { reason: 'refused', isTemporary };
    const setting = openSetting((_, count) =>
      count > 1 ? answered(250) : answered(Number(status), { mail }),
    );
    const endpoint = { ...MAIL_SETTINGS, name: 'crm', digest: undefined, window: '24h' };
    await setting.register({}, endpoint);
    const messages = five.map((event, index) => messageOf(`${index}`, JSON.stringify(event)));
    await setting.deliver(messages, endpoint, { jobsOf: realJobs });
    for (const pause of [0, HOUR]) {
      setting.state.now += pause;
      await drain(endpoint, { ...setting.dependencies, jobsOf: realJobs });
    }
    const subjects = setting.posts.map(({ body }) => JSON.parse(body).subject);
    expect([subjects, await setting.pendingIds()]).toEqual([Array(2).fill('5 changes in 5 projects'), []]);
  },
);

it('a digest by mail that is sent again after a crash has the same Message-ID', async () => {
  const { server, state, poster, drain, left } = await openDigest({});
  state.now = AT + HOUR;
  const dies = {
    ...poster(),
    post: async (...given: Parameters<Poster['post']>) =>
      poster()
        .post(...given)
        .then(forever),
  };
  drain({ openPoster: () => dies });
  await vi.waitFor(() => expect(server.received).toHaveLength(1));
  state.now += 5 * MINUTE;
  await drain({ run: 'next' });
  const [first, again, ...others] = server.received.map(({ messageId }) => messageId);
  expect([again, others, await left()]).toEqual([first, [], 0]);
});

const forever = () => new Promise<never>(() => undefined);
