import { describe, expect, it, onTestFinished, test } from 'vitest';
import type { Json } from '../../functions/basics/json.ts';
import { buildEvents } from '../../functions/changes/build-events.ts';
import { skippedEvent } from '../../functions/changes/process-events.ts';
import type { Answer } from '../../functions/delivery/http/post.ts';
import { chatMessages } from '../../functions/delivery/kinds.ts';
import { sendDirectly } from '../../functions/delivery/slack-app/slack-app.ts';
import { createDeliver } from '../../functions/handlers/create-deliver.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { ChangeEvent, FieldChange } from '../../functions/model/event.ts';
import { parseSecret } from '../../functions/model/secret.ts';
import { removeDeliveries } from '../../functions/operations/endpoints.ts';
import type { Message } from '../../functions/queue/queue.ts';
import { openSqliteStore } from '../../functions/store/sqlite/store.ts';
import { change, commitOf, field } from '../kit/delivery/chat-batches.ts';
import { answer, type Reaction, receiver } from '../kit/delivery/receiver.ts';
import { AT, messageOf, openSetting, SECOND, TABLE_DOWN, writes } from '../kit/delivery/setting.ts';

const TOKEN = 'xoxb-hush-hush';
const ENDPOINT = { name: 'team', kind: 'slack-app', channel: '#launches' } as const;

/** The API of Slack: it takes a message, and answers with all of it. */
const accepts: Reaction = (response, { body }) => {
  const { channel, ...message } = JSON.parse(body);
  const ts = `${1_700_000_000 + body.length}.000100`;
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ ok: true, channel: 'C0123ABCD', ts, message: { ...message, ts } }));
};
const refuses = (error: string, headers = {}): Reaction =>
  answer(200, headers, JSON.stringify({ ok: false, error }));

const builtIn = (field: string, type: string, from: Json, to: Json): FieldChange => ({
  ...{ field, name: field, kind: 'builtin', type, from, to },
});
const STATUS = builtIn('status', 'string', 'a', 'b');

type Change = Partial<Parameters<typeof buildEvents>[1][0]>;

/** One change of a project, or of one of its tasks. */
function changeOf(projectId: string, version: number, more: Change = {}) {
  const observed = { after: AT - 1, before: AT };
  const origin = { workspace: 'eu', processId: 'on boarding', projectId, version };
  const project = { projectRecord: { name: 'Acme "ts":"9.9"' } };
  const [event] = buildEvents({ ...origin, ...project, observed: { project: observed, task: observed } }, [
    { entity: 'task', action: 'updated', id: 't1', record: { name: 'T' }, fields: [STATUS], ...more },
  ]);
  return event as ChangeEvent;
}

const STORES = [
  ['a table', () => ({})],
  [
    'SQLite',
    () => {
      const { deliveries, endpoints, slots, close } = openSqliteStore(':memory:');
      onTestFinished(close);
      return { deliveries, rows: endpoints, slots };
    },
  ],
] as const;

async function opened(script: readonly Reaction[], more = {}) {
  const slack = await receiver(...script);
  const setting = openSetting();
  const { openPoster, readSecret, jobsOf, openFlood, doubtSecret, ...dependencies } = setting.dependencies;
  const all = { ...dependencies, ...more };
  const secret = { url: slack.url, headers: { Authorization: `Bearer ${TOKEN}` } };
  const found: { endpoint: EndpointSettings } = { endpoint: ENDPOINT };
  const read = async () => ({ ...found, row: await all.rows.read('team') });
  const deliver = createDeliver({
    ...all,
    registry: { read, all: async () => [] },
    secrets: { read: async () => JSON.stringify(secret), nameOf: String, putting: String },
    allowLoopback: true,
  });
  const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 170 * SECOND };
  let count = 0;
  const hand = (...messages: Message[]) => deliver({ messages, queue: all.queue }, context);
  return {
    ...{ ...setting, slack, found, all },
    /** Delivers these events, and then what is due of the backlog. */
    async send(...events: ChangeEvent[]) {
      const more = { to: 'team', now: setting.state.now };
      await hand(...events.map(event => messageOf(`m${count++}`, JSON.stringify(event), more)));
    },
    async replay(event: ChangeEvent) {
      const more = { to: 'team', now: setting.state.now, replay: true };
      await hand(messageOf(`m${count++}`, JSON.stringify(event), more));
    },
    async drain() {
      await hand(messageOf(`w${count++}`, 'wake', { to: 'team', wake: true }));
    },
    /** Channel, thread and broadcast of each message. */
    sent: () =>
      slack.received.map(({ body }) => {
        const { channel, thread_ts, reply_broadcast } = JSON.parse(body);
        return [channel, thread_ts, reply_broadcast];
      }),
    /** The name that Slack gave a message. */
    ts: (index: number) => `${1_700_000_000 + (slack.received[index]?.body.length ?? 0)}.000100`,
  };
}

describe.each(STORES)('a Slack app over %s', (_, stores) => {
  it('sends the messages about a project into one thread, and those about another one into another', async () => {
    const { send, sent, ts, slack, counts } = await opened([accepts], stores());
    await send(changeOf('p.1', AT));
    await send(changeOf('p.2', AT));
    await send(changeOf('p.1', AT + 1), changeOf('p.2', AT + 1));
    expect(sent()).toEqual([
      ['#launches', undefined, undefined],
      ['#launches', undefined, undefined],
      ['#launches', ts(0), undefined],
      ['#launches', ts(1), undefined],
    ]);
    expect(slack.received[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json; charset=utf-8',
    });
    expect(counts).toEqual({ Delivered: 4 });
  });

  it('sends gathered changes of a project into its thread', async () => {
    const { send, sent, ts, found, drain, state } = await opened([accepts], stores());
    found.endpoint = { ...ENDPOINT, window: '15m' };
    await send(changeOf('p.1', AT));
    await send(changeOf('p.1', AT + 1), changeOf('p.2', AT + 1));
    state.now += 16 * 60 * SECOND;
    await drain();
    expect(sent()).toEqual([
      ['#launches', undefined, undefined],
      ['#launches', ts(0), undefined],
      ['#launches', undefined, undefined],
    ]);
  });

  it('also shows the channel a reply that deletes a project or changes its status', async () => {
    const { send, sent, ts } = await opened([accepts], stores());
    const other = { ...STATUS, field: 'note', name: 'note' };
    await send(changeOf('p.1', AT, { entity: 'project', action: 'created', id: 'p.1' }));
    await send(changeOf('p.1', AT + 1, { entity: 'project', id: 'p.1' }));
    await send(changeOf('p.1', AT + 2, { entity: 'project', id: 'p.1', fields: [other] }));
    await send(changeOf('p.1', AT + 3, { entity: 'project', action: 'deleted', id: 'p.1', fields: [] }));
    expect(sent().map(([, ...thread]) => thread)).toEqual([
      [undefined, undefined],
      [ts(0), true],
      [ts(0), undefined],
      [ts(0), true],
    ]);
  });

  it('begins another thread in another channel, and after the endpoint was removed and added again', async () => {
    const { send, sent, found, all } = await opened([accepts], stores());
    await send(changeOf('p.1', AT));
    found.endpoint = { ...ENDPOINT, channel: 'C0123ABCD' };
    await send(changeOf('p.1', AT + 1));
    await removeDeliveries({ ...all, endpoints: all.rows }, 'team', 'A');
    await send(changeOf('p.1', AT + 2));
    expect(sent()).toEqual([
      ['#launches', undefined, undefined],
      ['C0123ABCD', undefined, undefined],
      ['C0123ABCD', undefined, undefined],
    ]);
  });

  it.each([
    'thread_not_found',
    'restricted_action_thread_locked',
    'restricted_action_non_threadable_channel',
  ])('keeps a thread that is in use, and tries again in another one after %s', async error => {
    const script = [accepts, accepts, refuses(error), accepts];
    const { send, drain, sent, ts, state, all } = await opened(script, stores());
    const project = { workspace: 'eu', processId: 'on boarding', projectId: 'p.1' };
    await send(changeOf('p.1', AT));
    state.now += 80 * 24 * 3_600 * SECOND;
    await send(changeOf('p.1', AT + 1));
    const thread = { channel: '#launches', ts: ts(0), usedAt: state.now };
    expect(await all.deliveries.thread('team', project)).toEqual(thread);
    await send(changeOf('p.1', AT + 2));
    state.now += 10 * SECOND;
    await drain();
    expect(sent().map(([, thread]) => thread)).toEqual([undefined, ts(0), ts(0), undefined]);
  });
});

it('sends a summary of many changes and messages without a project into no thread', async () => {
  const { send, drain, sent, state, slack } = await opened([accepts]);
  await send(changeOf('p.1', AT));
  const skipped = { at: AT, reason: 'answered 500', since: AT, projectId: 'p.1', version: AT, index: 0 };
  await send(skippedEvent({ workspace: 'eu', processId: 'on boarding' }, skipped));
  const many = Array.from({ length: 60 }, (_, index) => changeOf(`p.${index % 3}`, AT + 1 + index));
  await send(...many);
  state.now += 40 * SECOND;
  await drain();
  expect(sent().map(([, thread]) => thread)).toEqual([undefined, undefined, undefined]);
  expect(slack.received[2]?.body).toContain('60 changes in 3 projects');
});

it('delivers even while threads can be neither read nor saved', async () => {
  const { send, sent, faults, said, counts } = await opened([accepts]);
  faults.before = command =>
    writes(command, 'THREAD#') || JSON.stringify(command).includes('THREAD#') ? TABLE_DOWN : undefined;
  await send(changeOf('p.1', AT));
  await send(changeOf('p.1', AT + 1));
  expect([sent().map(([, thread]) => thread), counts]).toEqual([[undefined, undefined], { Delivered: 2 }]);
  expect(said.map(({ details }) => details.code)).toContain('delivery.thread-not-saved');
});

describe('a message about new assignees', () => {
  const assigned = (from: Json, to: Json) => builtIn('assignee', 'object', from, to);
  const ann = { id: 'u1', name: 'Ann', email: 'Ann@example.com' };
  const ben = { id: 'u2', email: 'ben@example.com' };
  const to = (fields: FieldChange[], version = AT, id = 't1') => changeOf('p.1', version, { fields, id });
  /** The API, which knows Ann only. */
  const slack: Reaction = (response, received) => {
    if (!received.path.includes('users.lookupByEmail')) return accepts(response, received);
    if (received.body !== 'email=ann%40example.com') return refuses('users_not_found')(response, received);
    response.end('{"ok":true,"user":{"id":"U0ANN","team_id":"T1","name":"ann"}}');
  };
  const DIRECT = { ...ENDPOINT, direct: 'assignee' } as const;
  async function channelsOf(events: ChangeEvent[], endpoint: EndpointSettings = DIRECT, script = [slack]) {
    const setting = await opened(script);
    setting.found.endpoint = endpoint;
    await setting.send(...events);
    const posts = setting.slack.received.filter(({ body }) => body.startsWith('{'));
    return { ...setting, posts, channels: posts.map(({ body }) => JSON.parse(body).channel) };
  }

  it('goes to each of them once, after the channel, and outside of the thread', async () => {
    const events = [to([assigned(null, ann)]), to([assigned([ben], [ben, ann])], AT, 't2')];
    const { channels, posts, slack, send } = await channelsOf(events);
    expect(channels).toEqual(['#launches', 'U0ANN']);
    expect(slack.received[1]).toMatchObject({
      ...{ path: '/users.lookupByEmail', body: 'email=ann%40example.com' },
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/x-www-form-urlencoded' },
    });
    const [first, second] = posts.map(({ body }) => JSON.parse(body));
    expect(second).toEqual({ ...first, channel: 'U0ANN' });
    await send(to([assigned(null, ann)], AT + 1));
    expect(JSON.parse(slack.received.at(-1)?.body ?? '')).not.toHaveProperty('thread_ts');
  });

  it.each<[string, ChangeEvent[], EndpointSettings]>([
    ['without the setting', [to([assigned(null, ann)])], ENDPOINT],
    ['who were assigned before', [to([assigned(ann, { ...ann, name: 'Ann Lee' })])], DIRECT],
    [
      'without an e-mail address',
      [to([assigned(null, { id: 'u1' }), { ...assigned(null, 'Ann'), field: 'owner' }])],
      DIRECT,
    ],
    ['of another field', [to([{ ...assigned(null, ann), field: 'reviewer', name: 'reviewer' }])], DIRECT],
    [
      'of a deleted task',
      [changeOf('p.1', AT, { action: 'deleted', fields: [assigned(null, ann)] })],
      DIRECT,
    ],
  ])('goes to no people %s', async (_, events, endpoint) => {
    const { slack } = await channelsOf(events, endpoint);
    expect(slack.received).toHaveLength(1);
  });

  it('goes to the channel alone when it is replayed', async () => {
    const { replay, slack, found } = await opened([accepts]);
    found.endpoint = DIRECT;
    await replay(to([assigned(null, ann)]));
    expect(slack.received).toHaveLength(1);
  });

  it('is not begun without time for it after the person was looked up', async () => {
    const posted: string[] = [];
    const post = async (url: string) => {
      posted.push(url);
      return { status: 200, body: '{"ok":true,"user":{"id":"U0ANN"}}' } as Answer;
    };
    const message = {
      url: 'https://a.example/b',
      request: { headers: {}, body: '{}' },
      events: [to([assigned(null, ann)])],
    };
    const ports = { poster: { post }, log: { warn: () => undefined } };
    await sendDirectly(DIRECT, message, ports, () => posted.length === 0);
    expect(posted).toEqual(['https://a.example/users.lookupByEmail']);
  });

  it('is delivered even if an assignee can not be found; the log names no address', async () => {
    const { channels, counts, said, pendingIds } = await channelsOf([to([assigned(null, ben)])]);
    expect([channels, counts, await pendingIds('team')]).toEqual([['#launches'], { Delivered: 1 }, []]);
    expect(said).toMatchObject([{ details: { code: 'delivery.not-direct', reason: 'users_not_found' } }]);
    expect(JSON.stringify(said)).not.toContain('ben');
  });
});

describe('an answer of Slack', () => {
  test.each<[Reaction, failure: string]>([
    [
      refuses('channel_not_found'),
      'Slack answered channel_not_found: check the channel, and invite the app if it is private',
    ],
    [
      refuses('not_in_channel'),
      'Slack answered not_in_channel: invite the app to the channel, or give it the scope chat:write.public',
    ],
    [refuses('invalid_auth'), 'Slack answered invalid_auth: check the token in the header Authorization'],
    [refuses('internal_error'), 'Slack answered internal_error'],
    [answer(500), 'answered 500'],
    [answer(200, {}, 'ok'), 'not an answer of the Slack API: check the address'],
    [answer(200, {}, '{"ok":false,"error":"<b>"}'), 'not an answer of the Slack API: check the address'],
  ])('fails the attempt, which is repeated: %#', async (reaction, failure) => {
    const { send, drain, deliveries, state, pendingIds } = await opened([reaction, accepts]);
    const event = changeOf('p.1', AT);
    await send(event);
    expect(await pendingIds('team')).toEqual([event.id]);
    const [attempt] = await deliveries.attempts('team', 1);
    expect(attempt).toMatchObject({ failure });
    expect(JSON.stringify(attempt)).not.toContain('hush');
    state.now += 10 * SECOND;
    await drain();
    expect(await pendingIds('team')).toEqual([]);
  });

  it.each([
    ['429', answer(429, { 'retry-after': '90' }, '{"ok":false,"error":"ratelimited"}'), 90],
    ['200', refuses('ratelimited', { 'retry-after': '90' }), 90],
  ] as const)('%s that asks to slow down pauses the endpoint for as long', async (_, reaction, seconds) => {
    const { send, healthOf, state } = await opened([reaction]);
    await send(changeOf('p.1', AT));
    expect((await healthOf('team'))?.notBefore).toBe(state.now + seconds * SECOND);
  });

  it('that accepts a message is not kept: it repeats the message', async () => {
    const { send, deliveries } = await opened([accepts]);
    await send(changeOf('p.1', AT));
    const [attempt] = await deliveries.attempts('team', 1);
    expect(attempt).toMatchObject({ status: 200 });
    expect(attempt).not.toHaveProperty('answer');
  });
});

it('a message has room for the longest channel and a reply within the limit of Slack', () => {
  const channel = `#${'c'.repeat(80)}`;
  const reply = { thread_ts: '1700000000.000100', reply_broadcast: true };
  const fields = (index: number) => [field('Note', '', 'x'.repeat(index % 97), { type: 'text' })];
  const lengths = Array.from({ length: 40 }, (_, count) => {
    const changes = Array.from({ length: 60 + count }, (_, index) =>
      change(`t${index}`, 'T', fields(index * count)),
    );
    const [message] = chatMessages(commitOf(changes), { endpoint: { ...ENDPOINT, channel } });
    return JSON.stringify({ ...JSON.parse(message?.body ?? ''), ...reply }).length;
  });
  expect(Math.max(...lengths)).toBeLessThanOrEqual(12_000);
  expect(Math.max(...lengths)).toBeGreaterThan(11_500);
});

it('the secret of a Slack app has its token', () => {
  const store = {
    read: async () => '',
    nameOf: () => '/cw/team',
    putting: (_: string, text: string) => `put ${text}`,
  };
  const url = 'https://slack.com/api/chat.postMessage';
  for (const headers of [undefined, {}, { Authorization: 'xoxb-1' }, { 'X-Token': 'Bearer xoxb-1' }])
    expect(() => parseSecret(ENDPOINT, store, JSON.stringify({ url, headers }))).toThrow(
      `Endpoint team: secret /cw/team lacks the header "Authorization: Bearer xoxb-…". Put it there: put {"url":"${url}","headers":{"Authorization":"Bearer xoxb-…"}}`,
    );
  const headers = { authorization: 'Bearer xoxb-1' };
  expect(parseSecret(ENDPOINT, store, JSON.stringify({ url, headers }))).toEqual({ url, headers });
});
