import { setImmediate as turn } from 'node:timers/promises';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { deliverBatch } from '../../functions/delivery/deliver-batch.ts';
import { drain } from '../../functions/delivery/drain.ts';
import { EndpointHealth } from '../../functions/delivery/endpoint-health.ts';
import type { Answer } from '../../functions/delivery/http/post.ts';
import { RowSettler } from '../../functions/delivery/settlers.ts';
import type { EndpointRow } from '../../functions/model/endpoint-row.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { Message } from '../../functions/queue/queue.ts';
import {
  answered,
  endpointOf,
  idsOf,
  isRowOf,
  jobsWith,
  messageOf,
  openSetting,
  someEvents,
  TABLE_DOWN,
  waitingOnes,
  writes,
} from '../kit/delivery/setting.ts';
import { AT, DAY, HOUR, MINUTE, SECOND } from '../kit/time.ts';

/** Messages with an event each, the last of which was committed first. */
function records(count: number): Message[] {
  return Array.from({ length: count }, (_, index) => {
    const event = someEvents(count, AT - index * SECOND)[index];
    return messageOf(`m${index}`, JSON.stringify(event));
  });
}
const messages = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

/** Answers that come when they are told to. */
function openGates() {
  const gates: PromiseWithResolvers<Answer>[] = [];
  return {
    gates,
    post: () => {
      const gate = Promise.withResolvers<Answer>();
      gates.push(gate);
      return gate.promise;
    },
    async answer(number: number, answer: Answer) {
      gates[number]?.resolve(answer);
      for (let turns = 0; turns < 5; turns++) await turn();
    },
  };
}

it('an endpoint that is slow to answer keeps one run waiting: what comes meanwhile is put into rows, by this run and by every other', async () => {
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const setting = openSetting((_, __, onSlow) => {
    onSlow();
    return promise;
  });
  const { deliver, posts, healthOf, pendingIds, register } = setting;
  await register();
  const [first, second, third] = records(3) as [Message, Message, Message];
  const slow = deliver([second, third]);
  for (let turns = 0; turns < 5; turns++) await turn();
  expect(await healthOf()).toEqual({ notBefore: AT + 15 * SECOND });
  expect(await deliver([first])).toEqual([]);
  expect([idsOf(posts), (await pendingIds()).length]).toEqual([[2], 1]);
  resolve(answered(204));
  expect(await slow).toEqual([]);
  expect((await healthOf())?.notBefore).toBeUndefined();
  // Behind the one that waits.
  expect([idsOf(posts), (await pendingIds()).length]).toEqual([[2], 2]);
});

it('an endpoint that is slow to answer is left alone by a run that sends what waits in rows: no other does so', async () => {
  const { dependencies, wait, register, healthOf, rows } = openSetting((_, __, onSlow) => {
    onSlow();
    return answered(204);
  });
  await register();
  await wait(waitingOnes(2));
  const writes: unknown[] = [];
  const change: typeof rows.change = (name, decide) =>
    rows.change(name, row => {
      const decided = decide(row);
      if (decided) writes.push((decided as EndpointRow).health.notBefore);
      return decided;
    });
  await drain(endpointOf(), { ...dependencies, rows: { ...rows, change } });
  expect(writes.every(notBefore => notBefore === undefined)).toBe(true);
  expect(await healthOf()).not.toHaveProperty('waiting');
});

describe('delivering to a webhook', () => {
  it('sends the oldest first and alone, then the others in order, ten at once', async () => {
    const { gates, post, answer } = openGates();
    const { deliver, posts } = openSetting(post);
    const delivering = deliver(records(13));
    await turn();
    expect(idsOf(posts)).toEqual([12]);
    await answer(0, answered(204));
    expect(idsOf(posts)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    await answer(5, answered(204));
    expect(idsOf(posts)).toHaveLength(12);
    for (const number of gates.keys()) await answer(number, answered(204));
    await answer(12, answered(204));
    expect(await delivering).toEqual([]);
    expect(idsOf(posts)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('posts to the secret’s address, signed at the time of the attempt, and closes what it opened', async () => {
    const { deliver, posts, state, counts, lags, lines } = openSetting(() => {
      state.now += 250;
      return answered(200);
    });
    state.now += 30 * SECOND;
    const [record] = records(1) as [Message];
    expect(await deliver([record])).toEqual([]);
    const headers = expect.objectContaining({ 'webhook-timestamp': String(AT / 1000 + 30) });
    expect(posts).toMatchObject([{ url: 'https://crm.example/', body: record.body, headers }]);
    expect([state.closed, counts, lags]).toEqual([1, { Delivered: 1 }, { FirstAttemptLag: [30_000] }]);
    const details = { code: 'delivery.batch-ended', outcome: 'delivered', attempts: 1, ms: 250 };
    const events = someEvents(1).map(({ id }) => id);
    expect(lines).toEqual([{ message: 'Delivery batch ended.', endpoint: 'crm', ...details, events }]);
  });

  it('writes nothing about an endpoint that does well, and waits for no slot: only chats have a pace', async () => {
    const { deliver, slept, faults, register, healthOf } = openSetting();
    await register();
    const written: object[] = [];
    faults.after = command => void (writes(command, '') && written.push(command));
    await deliver(records(3), { ...endpointOf(), keepSuccesses: false });
    expect([slept, written, await healthOf()]).toEqual([[], [], {}]);
  });

  it.each(['webhook', 'slack'] as const)('sends a %s what its filter wants, and nothing else', async kind => {
    const { deliver, posts, counts, said } = openSetting();
    const [wanted, other] = someEvents(2) as [ChangeEvent, ChangeEvent];
    const changed = structuredClone(other) as ChangeEvent & { type: 'task.updated' };
    Object.assign(changed.data.changes[0] as object, { from: 'x', to: 'y' });
    const all = [changed, wanted].map((event, index) => messageOf(`m${index}`, JSON.stringify(event)));
    const endpoint = { ...endpointOf(kind), filter: { values: [{ field: 'Note', to: ['x'] }] } };
    expect(await deliver(all, endpoint)).toEqual([]);
    const body = kind === 'webhook' ? JSON.stringify(wanted) : `slack ${wanted.id}`;
    expect(posts.map(post => post.body)).toEqual([body]);
    expect([counts, said]).toEqual([{ Delivered: 1 }, []]);
    // A replayed one was filtered when it was requested.
    await deliver([messageOf('m2', JSON.stringify(changed), { replay: true })], endpoint);
    expect(posts).toHaveLength(2);
  });

  it('says why one failed, and what the endpoint answered', async () => {
    const { deliver, said } = openSetting(() => answered(503, { body: 'down for maintenance' }));
    await deliver(records(1));
    expect(said).toMatchObject([{ details: { reason: 'answered 503', quote: 'down for maintenance' } }]);
  });

  it('begins nothing when less than 20 s are left: the rest is shown again at once', async () => {
    const left = [20_000, 19_999, 60_000];
    const { deliver, posts, hidden, counts } = openSetting();
    const remaining = () => left.shift() ?? 60_000;
    expect(await deliver(records(3), endpointOf(), { remaining })).toEqual(['m1', 'm0']);
    expect(posts).toHaveLength(1);
    expect(hidden.map(([, seconds]) => seconds)).toEqual([0, 0]);
    expect(counts).toEqual({ Delivered: 1 });
  });
});

it.each(['webhook', 'slack'] as const)(
  'an endpoint that asks for less is held as a whole for as long as it says: none of the others is tried, all wait in rows: %s',
  async kind => {
    const { deliver, posts, hidden, healthOf, pendingIds } = openSetting(() =>
      answered(429, { retryAfter: '120' }),
    );
    expect(await deliver(records(3), endpointOf(kind))).toEqual([]);
    expect([posts.length, hidden]).toEqual([1, []]);
    const failures = { count: 1, since: AT };
    const waiting = { due: AT, first: true };
    expect(await healthOf()).toMatchObject({ failures, notBefore: AT + 2 * MINUTE, waiting });
    expect(await pendingIds()).toHaveLength(3);
    // A run that begins later learns that from its row.
    expect(await deliver(records(3), endpointOf(kind))).toEqual([]);
    expect(posts).toHaveLength(1);
  },
);

it('an endpoint that asks for less is obeyed by this run also when the table can not be told', async () => {
  const { deliver, posts, faults, said, register } = openSetting(() => answered(429));
  await register();
  faults.before = command => isRowOf('crm')(command) && TABLE_DOWN;
  expect((await deliver(records(3))).toSorted()).toEqual(messages(3));
  expect(posts).toHaveLength(1);
  const details = { code: 'endpoint.health-not-saved', endpoint: 'crm', error: 'Error: table down' };
  expect(said[0]).toEqual({ level: 'warn', message: "Could not save the endpoint's health.", details });
});

describe('an endpoint that fails', () => {
  const failures = { count: 4, since: AT - MINUTE };

  it('at the fifth attempt in a row gets no other; they wait, and the operator is told once', async () => {
    const { deliver, posts, register, healthOf, pendingIds, said } = openSetting(() => answered(500));
    await register({ failures });
    expect(await deliver(records(3))).toEqual([]);
    expect(posts).toHaveLength(1);
    expect(await pendingIds()).toHaveLength(3);
    expect(await healthOf()).toMatchObject({
      ...{ failures: { count: 5 }, failing: { probes: 0 }, notBefore: AT + 30 * SECOND },
      waiting: { first: true },
    });
    const told = said.filter(({ message }) => message.startsWith('The endpoint keeps failing'));
    expect(told).toMatchObject([
      { level: 'warn', details: { code: 'endpoint.failing', endpoint: 'crm', reason: 'answered 500' } },
    ]);
  });

  it.each([
    ['is paused', { paused: { at: AT } }],
    ['is stopped', { stopped: { at: AT, reason: 'answered 410' } }],
    ['fails, though its next probe is due', { failing: { since: AT - HOUR, probes: 3 }, notBefore: AT - 1 }],
    ['is held', { notBefore: AT + 1 }],
    ['has older deliveries to get first', { waiting: { added: 1, due: AT + HOUR, first: true } }],
  ])('or %s is asked nothing: new deliveries wait in rows', async (_, health) => {
    const { deliver, posts, register, pendingIds, state, said, lines } = openSetting();
    await register(health);
    const readSecret = () => Promise.reject(new Error('asked'));
    expect(await deliver(records(2), endpointOf(), { readSecret })).toEqual([]);
    expect(await pendingIds()).toHaveLength(2);
    expect([posts, state.closed, said]).toEqual([[], 1, []]);
    expect(lines).toMatchObject([
      { outcome: 'waiting', attempts: 0, events: (await pendingIds()).toReversed() },
    ]);
  });

  it('and is known only to its configuration gets its row then', async () => {
    const { deliver, healthOf } = openSetting(() => answered(500));
    await deliver(records(1));
    const waiting = { added: 1, due: AT + 5 * SECOND, first: false };
    expect(await healthOf()).toEqual({ failures: { count: 1, since: AT }, waiting });
  });
});

it.each([
  ['goes to an endpoint that does well', {}, 1],
  ['goes first, whatever new deliveries wait for', { waiting: { added: 1, due: AT, first: true } }, 1],
  ['waits on while its endpoint is held', { notBefore: AT + 1 }, 0],
  ['waits on while its endpoint is paused', { paused: { at: AT } }, 0],
])('what waited in rows %s: %j', async (_, given, sent) => {
  const { dependencies, register, wait, pending, posts } = openSetting();
  await register();
  await wait(waitingOnes(1));
  const health = new EndpointHealth(endpointOf(), await register(given), dependencies);
  const settler = new RowSettler('crm', health, await pending(), dependencies);
  await deliverBatch({ endpoint: endpointOf(), health, settler, isNew: false }, dependencies);
  expect([posts.length, (await pending()).length]).toEqual([sent, 1 - sent]);
});

it('a success of a request that was under way ends no Retry-After before its time', async () => {
  const { post, answer } = openGates();
  const { deliver, healthOf, state } = openSetting(post);
  const delivering = deliver(records(4));
  await turn();
  await answer(0, answered(200));
  await answer(1, answered(429, { retryAfter: '60' }));
  await answer(2, answered(200));
  expect(await healthOf()).toMatchObject({ failures: { count: 1 }, notBefore: AT + MINUTE });
  state.now += MINUTE;
  await answer(3, answered(200));
  expect(await delivering).toEqual([]);
  expect(await healthOf()).toEqual({ waiting: expect.anything() });
});

describe('an endpoint that takes something again', () => {
  it('is told of in the line of the batch that it took', async () => {
    const { dependencies, register, rows, lines, wait, pending } = openSetting();
    await register({ failures: { count: 3, since: AT - 30 * SECOND } });
    await wait(waitingOnes(1));
    const health = new EndpointHealth(endpointOf(), await rows.read('crm'), dependencies);
    const settler = new RowSettler('crm', health, await pending(), dependencies);
    await deliverBatch({ endpoint: endpointOf(), health, settler, isNew: false }, dependencies);
    expect(lines).toMatchObject([{ endpoint: 'crm', outcome: 'delivered', isBack: true }]);
  });

  const wait = waitingOnes(2, { due: AT + 9 * HOUR, triedAt: AT - HOUR, attempts: 3 });

  it.each([
    ['failed', { failing: { since: AT - HOUR, probes: 3 }, failures: { count: 8, since: AT - HOUR } }, true],
    ['was away for half a minute', { failures: { count: 3, since: AT - 30 * SECOND } }, false],
  ])('and %s gets what waits at once: it is due, and looked for', async (_, health, first) => {
    const { dependencies, register, wait: put, healthOf, pending, rows, said } = openSetting();
    await register(health);
    await put(wait, false);
    const endpoint = new EndpointHealth(endpointOf(), await rows.read('crm'), dependencies);
    expect(endpoint.isBack).toBe(false);
    await endpoint.succeeded(AT);
    expect(await healthOf()).toEqual({ waiting: { added: 2, due: AT, first } });
    expect((await pending()).map(({ due }) => due)).toEqual([AT, AT]);
    expect([endpoint.isBack, said]).toEqual([true, []]);
  });

  it.each([
    ['fewer than three failures', { count: 2, since: AT - HOUR }],
    ['failures of a moment, as of events that fail by themselves', { count: 9, since: AT - 29 * SECOND }],
  ])('after %s leaves what waits to its own time', async (_, failures) => {
    const { deliver, register, wait: put, healthOf, pending } = openSetting();
    await register({ failures });
    await put(wait, false);
    await deliver(records(1));
    expect(await healthOf()).toEqual({ waiting: { added: 1, due: AT + 9 * HOUR, first: false } });
    expect((await pending()).map(({ due }) => due)).toEqual([AT + 9 * HOUR, AT + 9 * HOUR]);
  });
});

describe('an endpoint that answers 410', () => {
  it('is stopped, told once, and gets nothing more: all waits in rows until an operator resumes it', async () => {
    const { deliver, posts, said, counts, healthOf, pendingIds, deliveries } = openSetting(() =>
      answered(410),
    );
    expect(await deliver(records(2))).toEqual([]);
    expect(posts).toHaveLength(1);
    expect((await healthOf())?.stopped).toEqual({ at: AT, reason: 'answered 410' });
    expect(await pendingIds()).toHaveLength(2);
    expect(await deliveries.dead('crm', 9)).toEqual([]);
    expect(counts).toEqual({ EndpointStopped: 1 });
    const message =
      'endpoint.stopped: crm answered 410. Its events are kept for 30 days; resume the endpoint to send them.';
    const details = { code: 'endpoint.stopped', endpoint: 'crm', reason: 'answered 410' };
    expect(said).toEqual([{ level: 'error', message, details }]);
    await deliver(records(2));
    expect([posts.length, counts]).toEqual([1, { EndpointStopped: 1 }]);
  });

  it('is not told a second time when another run stopped it meanwhile', async () => {
    const { deliver, rows, register, counts, healthOf } = openSetting(async () => {
      const stopped = { at: AT - 1, reason: 'answered 410' };
      await rows.change('crm', row => row && { ...row, health: { ...row.health, stopped } });
      return answered(410);
    });
    await register();
    expect(await deliver(records(1))).toEqual([]);
    expect([counts, (await healthOf())?.stopped?.at]).toEqual([{}, AT - 1]);
  });

  it('is told also when the answer was lost that it is written down, so that it is written once more', async () => {
    const { deliver, faults, register, counts } = openSetting(() => answered(410));
    await register();
    const lost = new ConditionalCheckFailedException({ $metadata: {}, message: 'written before' });
    let isFirst = true;
    faults.after = command => {
      if (!isRowOf('crm')(command) || !isFirst) return undefined;
      isFirst = false;
      return lost;
    };
    expect(await deliver(records(1))).toEqual([]);
    expect([isFirst, counts]).toEqual([false, { EndpointStopped: 1 }]);
  });

  it('and can not be written down is stopped for nobody: its message comes again', async () => {
    const { deliver, faults, counts, said } = openSetting(() => answered(410));
    faults.before = command => isRowOf('crm')(command) && TABLE_DOWN;
    expect((await deliver(records(2))).toSorted()).toEqual(messages(2));
    expect(counts).toEqual({ DeliveryFailed: 2 });
    expect(said[0]).toMatchObject({ level: 'error', details: { endpoint: 'crm', reason: 'table down' } });
  });

  it('after five days of failure is stopped too, with the reason, and told once', async () => {
    const { dependencies, rows, register, counts, said, healthOf } = openSetting();
    const since = AT - 5 * DAY;
    await register({ failing: { since, probes: 500 }, failures: { count: 505, since }, notBefore: AT });
    const health = new EndpointHealth(endpointOf(), await rows.read('crm'), dependencies);
    await health.failed('answered 500');
    await health.failed('answered 500');
    const reason = 'failed for 5 days; last failure: answered 500';
    expect((await healthOf())?.stopped).toEqual({ at: AT, reason });
    expect(counts).toEqual({ EndpointStopped: 1 });
    expect(said).toMatchObject([{ level: 'error', details: { endpoint: 'crm', reason } }]);
  });
});

it('a message that is no event is a dead letter, and holds up no other', async () => {
  const { deliver, posts, deliveries } = openSetting();
  expect(await deliver([messageOf('odd', 'hush'), ...records(1)])).toEqual([]);
  expect(await deliveries.dead('crm', 9)).toMatchObject([
    { eventId: 'odd', body: 'hush', reason: 'the message is not valid JSON' },
  ]);
  expect(posts).toHaveLength(1);
});

describe('delivering to a chat', () => {
  it.each(['slack', 'teams'] as const)('sends %s messages one by one, a second apart', async kind => {
    const { gates, post, answer } = openGates();
    const { deliver, posts, slept } = openSetting(post);
    const all = records(3);
    const delivering = deliver(all, endpointOf(kind));
    for (const number of [0, 1, 2]) {
      for (let turns = 0; turns < 5; turns++) await turn();
      expect(gates).toHaveLength(number + 1);
      await answer(number, answered(200));
    }
    expect(await delivering).toEqual([]);
    const ids = all.map(({ body }) => `${kind} ${JSON.parse(body).id}`);
    expect(posts.map(({ body }) => body)).toEqual(ids.toReversed());
    expect(posts.map(({ at }) => at)).toEqual([0, SECOND, 2 * SECOND]);
    expect(slept).toEqual([0, SECOND, SECOND]);
  });

  it('waits for its next moment only when 20 s are left after it', async () => {
    const { deliver, dependencies, posts, pendingIds } = openSetting();
    const book = () => dependencies.slots.reserveSlot('crm', SECOND, AT, HOUR);
    for (let second = 0; second < 2; second++) await book();
    expect(await deliver(records(1), endpointOf('slack'), { remaining: () => 22_000 })).toEqual([]);
    expect(posts).toHaveLength(1);
    expect(await deliver(records(3), endpointOf('slack'), { remaining: () => 20_999 })).toEqual([]);
    expect([posts.length, (await pendingIds()).length]).toEqual([1, 3]);
    // None was booked in vain.
    expect(await book()).toBe(3 * SECOND);
  });

  it('leaves what waits for its moment as it is when the run is stopped', async () => {
    const { deliver, posts, pending, counts } = openSetting();
    const sleep = (ms: number) => (ms > 0 ? Promise.reject(new Error('aborted')) : Promise.resolve());
    expect(await deliver(records(3), endpointOf('slack'), { sleep })).toHaveLength(2);
    expect([posts.length, await pending(), counts]).toEqual([1, [], { Delivered: 1 }]);
  });

  it.each([
    [3, 1, 2],
    [4, 0, 3],
  ])('with %i slots booked sends %i, none after 3 s: the rest is in rows', async (booked, sent, waiting) => {
    const { deliver, dependencies, posts, pending, healthOf, slept } = openSetting();
    const book = () => dependencies.slots.reserveSlot('crm', SECOND, AT, HOUR);
    for (let second = 0; second < booked; second++) await book();
    expect(await deliver(records(3), endpointOf('slack'), { clock: () => AT })).toEqual([]);
    expect(posts).toHaveLength(sent);
    expect(slept).toEqual(Array(sent).fill(3 * SECOND));
    const rows = await pending();
    expect(rows.map(({ due, attempts }) => [due, attempts])).toEqual(Array(waiting).fill([AT, 0]));
    // New ones wait for these, and none was booked in vain.
    expect(await healthOf()).toMatchObject({ waiting: { due: AT, first: true } });
    expect(await book()).toBe(4 * SECOND);
  });

  it('tries an event again that no message told', async () => {
    const { deliver, posts, pending, said } = openSetting();
    const jobsOf = jobsWith(() => [{ body: 'nothing', eventIds: [] }]);
    expect(await deliver(records(1), endpointOf('slack'), { jobsOf })).toEqual([]);
    expect(posts).toHaveLength(1);
    expect(await pending()).toMatchObject([{ due: AT + 5 * SECOND, attempts: 1 }]);
    expect(said).toMatchObject([
      { level: 'warn', details: { reason: 'no chat message contains the event' } },
    ]);
  });

  it('sets an event aside that can not be shown', async () => {
    const { deliver, deliveries, said } = openSetting();
    const jobsOf = jobsWith(events => {
      if (events.length > 0) throw new RangeError('hush');
      return [];
    });
    expect(await deliver(records(1), endpointOf('slack'), { jobsOf })).toEqual([]);
    const reason = 'the event cannot be rendered (RangeError)';
    expect(await deliveries.dead('crm', 9)).toMatchObject([{ reason }]);
    const message = 'Gave up on a delivery; moved it to the dead letters.';
    expect(said.map(one => one.message)).toEqual([message]);
  });
});

it.each([
  [new Error('no secret'), 'no secret'],
  ['odd', 'odd'],
])('a fault of ours, %s, is told once, each event is retried, and all is closed', async (error, reason) => {
  const { deliver, posts, pending, said, state, healthOf } = openSetting();
  const readSecret = () => Promise.reject(error);
  expect(await deliver(records(2), endpointOf(), { readSecret })).toEqual([]);
  expect([posts, state.closed]).toEqual([[], 1]);
  const due = AT + 5 * SECOND;
  expect((await pending()).map(each => each.due)).toEqual([due, due]);
  const message = 'Could not send deliveries to the endpoint.';
  const details = { code: 'delivery.batch-failed', endpoint: 'crm', reason };
  const retried = { level: 'warn', details: { reason } };
  expect(said).toMatchObject([{ level: 'error', message, details }, retried, retried]);
  // The endpoint is not to blame.
  expect(await healthOf()).not.toHaveProperty('failures');
});
