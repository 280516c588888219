import type { ServerResponse } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import type { Values } from '../../functions/basics/telemetry.ts';
import { createRegistry } from '../../functions/delivery/registry.ts';
import { createDeliver } from '../../functions/handlers/create-deliver.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { SecretStore } from '../../functions/model/secret.ts';
import type { Message } from '../../functions/queue/queue.ts';
import { answer, receiver } from '../kit/delivery/receiver.ts';
import {
  endpointOf,
  messageOf,
  openSetting,
  SECRET,
  someEvents,
  TABLE_DOWN,
  waitingOnes,
} from '../kit/delivery/setting.ts';
import { AT, MINUTE, SECOND } from '../kit/time.ts';

type DeliverDependencies = Parameters<typeof createDeliver>[0];

/** The deliverer over HTTP, with a table in memory, and secrets by the endpoints' names. */
function open(urls: Record<string, string>, more: Partial<DeliverDependencies> = {}) {
  const setting = openSetting();
  const { dependencies, state } = setting;
  const texts = new Map(
    Object.entries(urls).map(([name, url]) => [name, JSON.stringify({ url, secrets: [SECRET] })]),
  );
  const reads: string[] = [];
  const secrets: SecretStore = {
    read: async name => {
      reads.push(name);
      const text = texts.get(name);
      if (text === undefined) throw Object.assign(new Error('hush'), { name: 'ParameterNotFound' });
      return text;
    },
    nameOf: name => `/cw/${name}`,
    putting: (name, text) => `put ${name} ${text}`,
  };
  const { openPoster, readSecret, jobsOf, ...others } = dependencies;
  const configured = more.registry ? [] : Object.keys(urls).map(name => endpointOf('webhook', name));
  const deliver = createDeliver({
    ...others,
    registry: createRegistry(configured, setting.rows, dependencies.clock),
    secrets,
    allowLoopback: true,
    timeout: 5_000,
    ...more,
  });
  const context = { awsRequestId: 'request', getRemainingTimeInMillis: () => 170 * SECOND };
  return {
    ...setting,
    texts,
    reads,
    run: (messages: Message[], remaining = context.getRemainingTimeInMillis, queue = dependencies.queue) =>
      deliver({ messages, queue }, { ...context, getRemainingTimeInMillis: remaining }),
    record: (id: string, to: string, event: ChangeEvent = someEvents(1)[0] as ChangeEvent) =>
      messageOf(id, JSON.stringify(event), { to, now: state.now }),
    wake: (id: string, to: string) => messageOf(id, 'wake', { to, wake: true }),
  };
}

/** A message for an endpoint that is gone, sent five minutes ago. */
const old = (id: string, body: string) => messageOf(id, body, { to: 'gone', now: AT - 5 * MINUTE });

it('the metrics of a run are told once, for all its endpoints, and only those that there is something of', async () => {
  const [healthy, fails] = [await receiver(answer(200)), await receiver(answer(500))];
  const told: Values[] = [];
  const more = { count: (values: Values) => void told.push(values) };
  const { run, record, state } = open({ healthy: healthy.url, fails: fails.url }, more);
  state.now += 3 * SECOND;
  await run([record('m0', 'healthy'), record('m1', 'fails'), record('m2', 'healthy')]);
  expect(told).toEqual([{ Delivered: 2, DeliveryFailed: 1, FirstAttemptLag: [3_000, 3_000, 3_000] }]);
});

it('the metrics of a run are none of a run that only wakes, so that nothing is paid for', async () => {
  const told: Values[] = [];
  const { run, wake } = open({ crm: 'http://127.0.0.1:9' }, { count: values => void told.push(values) });
  await run([wake('m0', 'crm')]);
  expect(told).toEqual([{}]);
});

describe('a batch with messages for several endpoints', () => {
  it('invariant 11: leaves the messages of one endpoint in the queue where an assertion fails for it', async () => {
    const [healthy, fails] = [await receiver(answer(200)), await receiver(answer(500))];
    const urls = { healthy: healthy.url, fails: fails.url };
    const { run, record, said, counts } = open(urls, { random: () => Number.NaN });
    expect(await run([record('m0', 'fails'), record('m1', 'healthy')])).toEqual(['m0']);
    const details = { code: 'assertion.failed', assertion: 'delivery.retry-is-later', endpoint: 'fails' };
    expect(said.filter(({ level }) => level === 'error')).toMatchObject([{ details }]);
    expect(counts).toEqual({ Delivered: 1 });
  });

  it('invariant 11: is delivered to each apart: what one fails waits in rows, and delays no other', async () => {
    const hanging = Promise.withResolvers<void>();
    const [healthy, fails, hangs] = [
      await receiver(answer(200)),
      await receiver(answer(500)),
      await receiver(response => void hanging.promise.then(() => response.destroy())),
    ];
    const urls = { healthy: healthy.url, fails: fails.url, hangs: hangs.url };
    const { run, record, counts, pendingIds, wakes } = open(urls);
    const Records = [
      record('m0', 'hangs'),
      record('m1', 'fails'),
      record('m2', 'healthy'),
      record('m3', 'hangs', someEvents(2)[1]),
    ];
    const running = run(Records);
    // The others have theirs while this one still hangs.
    await Promise.all([healthy, fails, hangs].map(one => one.requests(1)));
    expect(counts).not.toHaveProperty('DeliveryFailed');
    hanging.resolve();
    expect(await running).toEqual([]);
    const waiting = await Promise.all(['healthy', 'fails', 'hangs'].map(name => pendingIds(name)));
    expect(waiting.map(({ length }) => length)).toEqual([0, 1, 2]);
    expect(wakes.toSorted()).toEqual(['fails', 'hangs'].map(name => [name, 5]));
    expect(counts).toEqual({ Delivered: 1, DeliveryFailed: 3 });
    expect(healthy.received[0]?.headers['webhook-id']).toBe(someEvents(1)[0]?.id);
  });

  it('has somebody look at once for what came while an endpoint was slow to answer, and then only', async () => {
    let answered = Promise.withResolvers<ServerResponse>();
    const { url } = await receiver(response => answered.resolve(response));
    const { run, record, wakes, wait, rows } = open({ crm: url }, { slowAfter: 20 });
    const isSlow = () => vi.waitUntil(async () => (await rows.read('crm'))?.health.notBefore !== undefined);
    const first = run([record('m0', 'crm')]);
    const late = await answered.promise;
    await isSlow();
    answered = Promise.withResolvers();
    late.end();
    await first;
    expect(wakes).toEqual([]);
    const running = run([record('m1', 'crm')]);
    await isSlow();
    await wait(waitingOnes(1));
    (await answered.promise).end();
    await running;
    expect(wakes).toEqual([['crm', 0]]);
    const healthy = open({ crm: (await receiver(answer(200))).url });
    await healthy.register({ waiting: { added: 1, due: AT, first: false } }, null);
    await healthy.run([healthy.record('m2', 'crm')]);
    expect(healthy.wakes).toEqual([]);
  });

  it.each([
    ['5 s after a failure', {}, 5],
    ['when its Retry-After is over', { 'retry-after': '40' }, 40],
    ['not where that is after the next tick', { 'retry-after': '60' }, undefined],
  ])('has somebody look %s', async (_, headers, seconds) => {
    const { url } = await receiver(answer(429, headers));
    const { run, record, wakes, state, healthOf } = open({ crm: url });
    await run([record('m0', 'crm')]);
    expect((await healthOf())?.waiting?.due).toBe(state.now + 5 * SECOND);
    expect(wakes).toEqual(seconds === undefined ? [] : [['crm', seconds]]);
  });

  it('wakes nobody for an endpoint that was stopped while others of its deliveries failed', async () => {
    const { url } = await receiver(answer(500), answer(410));
    const { run, record, wakes, healthOf } = open({ crm: url });
    const [one, other] = someEvents(2);
    await run([record('m0', 'crm', one), record('m1', 'crm', other)]);
    expect([wakes, (await healthOf())?.stopped]).toMatchObject([[], { reason: 'answered 410' }]);
  });

  it('drops what is for an endpoint that was removed, and says so', async () => {
    const { url, received } = await receiver(answer(200));
    const { run, record, said, lines, wake, deliveries, hidden } = open({ crm: url });
    const late = old('m0', JSON.stringify(someEvents(1)[0]));
    // One that holds no event is named by its message, and one that wakes is not.
    const all = [late, old('m3', 'hush'), record('m1', 'crm'), wake('m2', 'gone'), wake('m4', 'away')];
    expect(await run(all)).toEqual([]);
    expect(received).toHaveLength(1);
    const events = someEvents(1).map(({ id }) => id);
    const message = 'Unknown endpoint; its deliveries are dropped.';
    expect(lines).toMatchObject([
      { code: 'deliver.unknown-endpoint', message, endpoint: 'gone', events: [...events, 'm3'] },
      { endpoint: 'crm', events },
    ]);
    expect([said, hidden]).toEqual([[], []]);
    expect(await deliveries.dead('gone', 9)).toEqual([]);
  });

  it('keeps what is for an unknown endpoint for five minutes: its configuration may be on the way', async () => {
    const { run, state, lines, said, wake, hidden } = open({});
    const records = [messageOf('m0', 'hush', { to: 'gone', now: state.now }), wake('m1', 'gone')];
    expect([await run(records), lines, said, hidden]).toEqual([['m0'], [], [], [['m0', 15]]]);
    state.now += 5 * MINUTE - 1;
    expect([await run(records), lines]).toEqual([['m0'], []]);
    state.now += 1;
    expect([await run(records), lines.length]).toEqual([[], 1]);
  });

  it('drops deliveries of an earlier endpoint of the name, which was removed and added again', async () => {
    const { url, received } = await receiver(answer(200));
    const { run, texts, rows, lines, state } = open({});
    const addedAt = state.now;
    texts.set('crm', JSON.stringify({ url, secrets: [SECRET] }));
    await rows.change('crm', () => ({ name: 'crm', settings: endpointOf(), health: {}, addedAt }));
    const body = JSON.stringify(someEvents(1)[0]);
    const times = [addedAt - 30_001, addedAt - 30_000, addedAt + 1];
    const records = times.map((now, index) => messageOf(`m${index}`, body, { now }));
    // An operator sent it again.
    const attributes = { endpoint: 'crm', sentAt: String(times[0]) };
    expect(await run([...records, { ...messageOf('m3', body), attributes }])).toEqual([]);
    expect(received).toHaveLength(2);
    const events = ['m0', 'm3'].flatMap(() => someEvents(1).map(({ id }) => id));
    const message = 'Unknown endpoint; its deliveries are dropped.';
    expect(lines[0]).toEqual({ code: 'deliver.unknown-endpoint', message, endpoint: 'crm', events });
    // The clock was set back since the endpoint was added.
    state.now -= 30_001;
    await run([messageOf('m3', body, { now: state.now - 1 })]);
    expect(received).toHaveLength(3);
  });

  it('keeps what is for an endpoint that can not be looked up, wakes included', async () => {
    const { url, received } = await receiver(answer(200));
    const setting = open({ crm: url });
    const { run, record, wake, faults, said, hidden } = setting;
    faults.before = command => JSON.stringify(command).includes('"broken"') && TABLE_DOWN;
    const all = [record('m0', 'broken'), wake('m1', 'broken'), record('m2', 'crm')];
    expect(await run(all)).toEqual(['m0', 'm1']);
    expect(hidden).toEqual(['m0', 'm1'].map(id => [id, 5]));
    expect(received).toHaveLength(1);
    const details = { code: 'deliver.endpoint-unreadable', endpoint: 'broken', error: 'Error: table down' };
    expect(said).toEqual([
      { level: 'error', message: expect.stringContaining('Could not read an endpoint'), details },
    ]);
  });
});

describe('a message that wakes', () => {
  it('has what waits for its endpoint sent, and leaves the queue', async () => {
    const { url, received } = await receiver(answer(200));
    const setting = open({ crm: url });
    await setting.register({}, null);
    await setting.wait(waitingOnes(3));
    expect(await setting.run([setting.wake('m0', 'crm'), setting.wake('m1', 'crm')])).toEqual([]);
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(
      waitingOnes(3).map(each => each.eventId),
    );
    expect(await setting.healthOf()).toEqual({ added: 1 });
  });

  it('comes after new deliveries of its batch, which wait behind what waits', async () => {
    const { url, received } = await receiver(answer(200));
    const setting = open({ crm: url });
    await setting.register({}, null);
    await setting.wait(waitingOnes(3).slice(0, 2));
    const newest = someEvents(3, AT)[2] as ChangeEvent;
    expect(await setting.run([setting.wake('m0', 'crm'), setting.record('m1', 'crm', newest)])).toEqual([]);
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(
      [...waitingOnes(2), { eventId: newest.id }].map(each => each.eventId),
    );
  });

  it('leaves the queue also when that fails: the next tick wakes another', async () => {
    const setting = open({ crm: 'https://crm.example/' });
    await setting.register({}, null);
    await setting.wait(waitingOnes(1));
    setting.faults.before = command => command.constructor.name === 'PutItemCommand' && TABLE_DOWN;
    expect(await setting.run([setting.wake('m0', 'crm')])).toEqual([]);
    const details = { code: 'backlog.drain-failed', endpoint: 'crm', error: 'Error: table down' };
    const message = 'Could not drain the backlog of an endpoint; the next tick retries.';
    expect(setting.said).toEqual([{ level: 'error', message, details }]);
    expect((await setting.healthOf())?.waiting).toBeDefined();
  });

  it('meets one that sends already and leaves it alone, also of one request that came twice', async () => {
    const { url, received } = await receiver(answer(200));
    let number = 0;
    const setting = open({ crm: url }, { random: () => ++number / 10 });
    await setting.register({}, null);
    await setting.wait(waitingOnes(30));
    await Promise.all([setting.run([setting.wake('m0', 'crm')]), setting.run([setting.wake('m0', 'crm')])]);
    expect(received).toHaveLength(30);
  });
});

it('what is at fault on our side: a URL that may not be used is told by the endpoint’s name, and its events are tried again', async () => {
  const resolve = async () => [{ address: '10.0.0.1', family: 4 }];
  const more = { resolve, allowLoopback: false };
  const { run, record, said, pending } = open({ crm: 'https://user.hush.example/' }, more);
  expect(await run([record('m0', 'crm')])).toEqual([]);
  expect(await pending()).toMatchObject([{ due: AT + 5 * SECOND }]);
  const reason =
    'its address is not public (private): correct the url in its secret, or add its network to "networks" in the configuration';
  const eventId = someEvents(1)[0]?.id;
  expect(said.map(({ details }) => details)).toEqual([
    { code: 'delivery.failed', endpoint: 'crm', eventId, reason, seconds: 5 },
  ]);
  expect(JSON.stringify(said)).not.toMatch(/hush|10\.0\.0\.1/);
});

describe('the secret of an endpoint', () => {
  const next = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
  const erp = endpointOf('webhook', 'erp');
  const signatures = (
    received: readonly { readonly headers: Readonly<Record<string, string | undefined>> }[],
  ) => received.map(({ headers }) => headers['webhook-signature']?.split(' ').length);

  it('that was rotated signs the very next delivery', async () => {
    const { url, received } = await receiver(answer(200));
    const { run, record, texts, state, rows, register, reads } = open({ crm: '' });
    texts.set('erp', JSON.stringify({ url, secrets: [SECRET] }));
    await register({}, erp, 'erp');
    await run([record('m0', 'erp')]);
    texts.set('erp', JSON.stringify({ url, secrets: [SECRET, next] }));
    await rows.change('erp', row => row && { ...row, secretRevision: state.now });
    await run([record('m1', 'erp')]);
    await run([record('m2', 'erp')]);
    expect(signatures(received)).toEqual([1, 2, 2]);
    expect(reads).toEqual(['erp', 'erp']);
  });

  it('has its origin noted in the row of its endpoint when it is read, and with each attempt', async () => {
    const [one, other] = [await receiver(answer(200)), await receiver(answer(200))];
    const { run, record, texts, state, rows, deliveries } = open({ crm: `${one.url}hook/hush?hush` });
    const origin = async () => (await rows.read('crm'))?.origin;
    const [oneOrigin, otherOrigin] = [one.url, other.url].map(url => new URL(url).origin);
    await run([record('m0', 'crm')]);
    expect(await origin()).toBe(oneOrigin);
    texts.set('crm', JSON.stringify({ url: other.url, secrets: [SECRET] }));
    state.now += SECOND;
    await run([record('m1', 'crm')]);
    expect(await origin()).toBe(oneOrigin);
    state.now += 10 * MINUTE;
    await run([record('m2', 'crm')]);
    expect(await origin()).toBe(otherOrigin);
    const attempts = await deliveries.attempts('crm', 9);
    expect(attempts.map(attempt => attempt.origin)).toEqual([otherOrigin, oneOrigin, oneOrigin]);
    expect(JSON.stringify([attempts, await rows.list()])).not.toContain('hush');
  });

  it('that can not be noted in the row is used all the same', async () => {
    const { url, received } = await receiver(answer(200));
    const { run, record, faults } = open({ crm: url });
    faults.before = command => command.constructor.name === 'PutItemCommand' && TABLE_DOWN;
    expect(await run([record('m0', 'crm')])).toEqual([]);
    expect(received).toHaveLength(1);
  });

  it.each([
    [404, true],
    [410, true],
    ['nothing', true],
    [429, false],
    [500, false],
  ])('after the receiver answered %s: is read again: %s', async (status, isRead) => {
    const { url, stop } = await receiver(answer(Number(status) || 200));
    if (status === 'nothing') await stop();
    const { run, record, state, reads, rows } = open({ crm: url });
    await run([record('m0', 'crm')]);
    state.now += 20 * SECOND;
    await rows.change('crm', row => row && { ...row, health: {} });
    await run([record('m1', 'crm')]);
    expect(reads).toHaveLength(isRead ? 2 : 1);
  });
});

const ofProject = (id: string, count = 1) =>
  someEvents(count).map(event =>
    JSON.parse(JSON.stringify(event).replaceAll('p.1', id).replaceAll('p%2E1', id.replace('.', '%2E'))),
  ) as ChangeEvent[];
it.each([
  ['slack', answer(200, {}, 'ok')],
  ['teams', answer(202)],
] as const)(
  'a batch for a chat is one %s message per project, a second apart, with links by the template, and settles all its events',
  async (kind, ok) => {
    const { url, received } = await receiver(ok);
    const found = { endpoint: endpointOf(kind), row: undefined };
    const registry = { read: async () => found, all: async () => [found] };
    const task = 'https://app.example.com/{projectId}/{taskId}';
    const linkTemplates = [{ workspace: 'eu', task }];
    const { run, record, slept, counts } = open({ crm: url }, { registry, linkTemplates });
    const events = [...ofProject('p.1', 3), ...ofProject('p.2', 2)];
    expect(await run(events.map((event, index) => record(`m${index}`, 'crm', event)))).toEqual([]);
    expect(received).toHaveLength(2);
    expect(received[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(received[0]?.headers).not.toHaveProperty('webhook-id');
    expect(received[0]?.body).toContain('"url":"https://app.example.com/p.1/t0"');
    expect([slept, counts]).toEqual([[0, 1000], { Delivered: 5 }]);
  },
);
