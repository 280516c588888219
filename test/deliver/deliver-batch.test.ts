import { setImmediate as turn } from 'node:timers/promises';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import { deliverBatch } from '../../functions/delivery/deliver-batch.ts';
import type { Answer } from '../../functions/endpoints/post.ts';
import { AT, SECRET, someEvents } from './given.ts';
import { answered, endpointOf, openMemory, recordOf } from './memory.ts';

const SECOND = 1000;

/** Messages with an event each, the first received last. */
function records(count: number): SQSRecord[] {
  return someEvents(count).map((event, index) =>
    recordOf(`m${index}`, JSON.stringify(event), index * SECOND),
  );
}
const idsOf = (posts: readonly { readonly headers: Readonly<Record<string, string>> }[]) =>
  posts.map(({ headers }) => Number(headers['webhook-id']?.split('.').at(-1)));
const reasonsOf = (dead: readonly [string, string, Readonly<Record<string, string>>][]) =>
  dead.map(([, , { reason }]) => reason);
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
      await turn();
    },
  };
}

describe('delivering to a webhook', () => {
  it('sends the oldest first and alone, then the others in order, ten at once', async () => {
    const { gates, post, answer } = openGates();
    const { deliver, posts } = openMemory(post);
    const delivering = deliver(records(13));
    await turn();
    expect(idsOf(posts)).toEqual([12]);
    await answer(0, answered(204));
    expect(idsOf(posts)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    await answer(5, answered(204));
    expect(idsOf(posts)).toHaveLength(12);
    gates.map((_, number) => answer(number, answered(204)));
    await turn();
    await answer(12, answered(204));
    expect(await delivering).toEqual([]);
    expect(idsOf(posts)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it('posts to the secret’s address, signed at the time of the attempt, and closes what it opened', async () => {
    const { deliver, posts, state, counts } = openMemory();
    state.now += 30 * SECOND;
    const [record] = records(1) as [SQSRecord];
    expect(await deliver([record])).toEqual([]);
    expect(posts).toEqual([
      {
        url: 'https://crm.example/',
        body: record.body,
        headers: expect.objectContaining({ 'webhook-timestamp': String(AT / 1000 + 30) }),
      },
    ]);
    expect([state.closed, counts]).toEqual([1, [['EventsDelivered', 1, { endpoint: 'crm' }]]]);
  });

  it('never waits for a slot: only chats have a pace', async () => {
    const { deliver, slept, reserved } = openMemory();
    await deliver(records(3));
    expect([slept, reserved]).toEqual([[], []]);
  });

  it.each(['webhook', 'slack'] as const)(
    'sends a %s what its filter wants, and takes all else from the queue without a word',
    async kind => {
      const { dependencies, posts, counts, said } = openMemory();
      const [wanted, other] = someEvents(2) as [ChangeEvent, ChangeEvent];
      const changed = structuredClone(other) as ChangeEvent & { type: 'task.updated' };
      Object.assign(changed.data.changes[0] as object, { from: 'x', to: 'y' });
      const all = [changed, wanted].map((event, index) => recordOf(`m${index}`, JSON.stringify(event)));
      const filter = { values: [{ field: 'Note', to: ['x'] }] };
      expect(await deliverBatch({ ...endpointOf(kind), filter }, all, dependencies)).toEqual([]);
      expect(posts.map(({ body }) => body)).toEqual([
        kind === 'webhook' ? JSON.stringify(wanted) : `slack ${wanted.id}`,
      ]);
      expect(counts).toEqual([['EventsDelivered', 1, { endpoint: 'crm' }]]);
      expect(said).toEqual([]);
    },
  );

  it('says why one failed, and what the endpoint answered', async () => {
    const { deliver, said } = openMemory(() => ({ ...answered(503), said: 'down for maintenance' }));
    await deliver(records(1));
    expect(said.map(([, , details]) => details)).toMatchObject([
      { reason: 'answered 503', said: 'down for maintenance' },
    ]);
  });

  it('brings back those alone that fail', async () => {
    const { deliver, posts, visible } = openMemory((_, number) => answered(number % 2 === 0 ? 500 : 200));
    expect(await deliver(records(4))).toEqual(['m2', 'm0']);
    expect(posts).toHaveLength(4);
    expect(visible.map(([, receipt]) => receipt)).toEqual(['receipt-m2', 'receipt-m0']);
  });

  it('tries none of the others when the endpoint asks for less: they wait as long as it said', async () => {
    const { deliver, posts, visible, said } = openMemory(() => answered(429, '120'));
    expect(await deliver(records(3))).toEqual(['m2', 'm1', 'm0']);
    expect(posts).toHaveLength(1);
    expect(visible.map(([, , seconds]) => seconds)).toEqual([120, 120, 120]);
    expect(said.map(([, , details]) => details)).toMatchObject(Array(3).fill({ reason: 'answered 429' }));
  });

  it('keeps to the first word of an endpoint that slows down, for those that are not tried', async () => {
    const { post, answer } = openGates();
    const { deliver, visible } = openMemory(post);
    const delivering = deliver(records(13));
    await turn();
    await answer(0, answered(200));
    await answer(1, answered(429, '60'));
    for (let number = 2; number < 11; number++) await answer(number, answered(429, '600'));
    await delivering;
    const pauses = Object.fromEntries(visible.map(([, receipt, seconds]) => [receipt.slice(8), seconds]));
    expect(pauses).toMatchObject({ m11: 60, m10: 600, m1: 60, m0: 60 });
  });

  it('begins nothing when less than 20 s are left: the rest is shown again at once', async () => {
    const left = [20_000, 19_999, 60_000];
    const { deliver, posts, visible, counts } = openMemory();
    const remaining = () => left.shift() ?? 60_000;
    expect(await deliver(records(3), 'webhook', { remaining })).toEqual(['m1', 'm0']);
    expect(posts).toHaveLength(1);
    expect(visible.map(([, , seconds]) => seconds)).toEqual([0, 0]);
    expect(counts).toEqual([['EventsDelivered', 1, { endpoint: 'crm' }]]);
  });
});

describe('an endpoint that answers 410', () => {
  it('is stopped, told once, and gets nothing more: what was to come are dead letters', async () => {
    const { deliver, posts, dead, said, counts, states } = openMemory(() => answered(410));
    expect(await deliver(records(2))).toEqual([]);
    expect(posts).toHaveLength(1);
    expect(reasonsOf(dead)).toEqual(Array(2).fill('the endpoint answered 410 and is stopped'));
    expect(await states.isStopped('crm')).toEqual({ reason: 'answered 410', at: AT });
    expect(counts[0]).toEqual(['EndpointStopped', 1, { endpoint: 'crm' }]);
    expect(said[0]).toEqual([
      'error',
      'Endpoint crm answered 410: it wants no more events. It is stopped, and its events go to its dead-letter queue. ' +
        "To serve it again, delete the table's item with pk ENDPOINT#crm and sk STATE, then send its dead letters again.",
      { endpoint: 'crm' },
    ]);
  });

  it('is not told a second time when another run stopped it meanwhile', async () => {
    const { deliver, states, counts, said } = openMemory(async () => {
      await states.stop('crm', 'answered 410', AT - 1);
      return answered(410);
    });
    expect(await deliver(records(1))).toEqual([]);
    expect(counts).toEqual([['EventsDeadLettered', 1, { endpoint: 'crm' }]]);
    expect(said.map(([, message]) => message)).toEqual([
      expect.stringMatching(/^An event was not delivered/),
    ]);
  });

  it('stays stopped whatever another answer says that was on its way; that one’s event comes again', async () => {
    const { post, answer } = openGates();
    const { deliver, dead, visible } = openMemory(post);
    const delivering = deliver(records(13));
    await turn();
    await answer(0, answered(200));
    await answer(1, answered(410));
    for (let number = 2; number < 11; number++) await answer(number, answered(429, '60'));
    expect(await delivering).toHaveLength(9);
    expect(visible).toHaveLength(9);
    // The one that was answered 410, and the two that had not begun.
    expect(dead).toHaveLength(3);
  });

  it('and was stopped before is asked nothing: its events are dead letters, with the moment and the reason', async () => {
    const { deliver, posts, dead, states, state } = openMemory();
    await states.stop('crm', 'answered 410', AT - SECOND);
    const readSecret = () => Promise.reject(new Error('asked'));
    expect(await deliver(records(2), 'webhook', { readSecret })).toEqual([]);
    const since = new Date(AT - SECOND).toISOString();
    expect(reasonsOf(dead)).toEqual(Array(2).fill(`the endpoint is stopped since ${since}: answered 410`));
    expect([posts, state.closed]).toEqual([[], 1]);
  });
});

describe('a message that is no event', () => {
  it('is a dead letter, and holds up no other', async () => {
    const { deliver, posts, dead } = openMemory();
    expect(await deliver([recordOf('odd', 'hush', SECOND), ...records(1)])).toEqual([]);
    expect(dead.map(([, body, { reason }]) => [body, reason])).toEqual([['hush', 'the message is no JSON']]);
    expect(posts).toHaveLength(1);
  });
});

describe('delivering to a chat', () => {
  it.each(['slack', 'teams'] as const)('sends %s messages one by one, a second apart', async kind => {
    const { gates, post, answer } = openGates();
    const { deliver, posts, slept, reserved } = openMemory(post);
    const delivering = deliver(records(3), kind);
    await turn();
    for (const number of [0, 1, 2]) {
      expect(gates).toHaveLength(number + 1);
      await answer(number, answered(200));
    }
    expect(await delivering).toEqual([]);
    const ids = someEvents(3).map(({ id }) => id);
    expect(posts.map(({ body }) => body)).toEqual([2, 1, 0].map(index => `${kind} ${ids[index]}`));
    expect(reserved).toEqual(
      [0, 0, 1].map((_, index) => ['crm', 1000, AT + Math.max(0, index - 1) * SECOND]),
    );
    expect(slept).toEqual([0, 1000, 1000]);
  });

  it('waits for its next moment only when 20 s are left behind it', async () => {
    const { deliver, states, posts, visible } = openMemory();
    for (let second = 0; second < 5; second++) await states.reserveSlot('crm', SECOND, AT);
    const enough = { remaining: () => 25_000 };
    expect(await deliver(records(1), 'slack', enough)).toEqual([]);
    expect(posts).toHaveLength(1);
    const tooLittle = { remaining: () => 20_999 };
    expect(await deliver(records(2), 'slack', tooLittle)).toEqual(['m1', 'm0']);
    expect(visible).toEqual([
      ['queue', 'receipt-m1', 0],
      ['queue', 'receipt-m0', 0],
    ]);
  });

  it('tries an event again that no message told', async () => {
    const { deliver, posts, visible, said } = openMemory();
    const chatFormats = { slack: () => [{ body: 'nothing', eventIds: [] }], teams: () => [] };
    expect(await deliver(records(1), 'slack', { chatFormats })).toEqual(['m0']);
    expect([posts.length, visible]).toEqual([1, [['queue', 'receipt-m0', 5]]]);
    expect(said).toMatchObject([['warn', expect.any(String), { reason: 'no message told the event' }]]);
  });

  it('sets an event aside that can not be shown', async () => {
    const { deliver, dead } = openMemory();
    const chatFormats = {
      slack: () => {
        throw new RangeError('hush');
      },
      teams: () => [],
    };
    expect(
      await deliver(records(1), 'slack', {
        chatFormats: { ...chatFormats, slack: events => (events.length > 0 ? chatFormats.slack() : []) },
      }),
    ).toEqual([]);
    expect(reasonsOf(dead)).toEqual(['the event can not be shown (RangeError)']);
  });
});

describe('what fails on our side', () => {
  it.each([
    [new Error('no secret'), 'no secret'],
    ['odd', 'odd'],
  ])('%s: is told once, each message comes again, and what was opened is closed', async (error, reason) => {
    const { deliver, posts, visible, said, state } = openMemory();
    const readSecret = () => Promise.reject(error);
    expect(await deliver(records(2), 'webhook', { readSecret })).toEqual(messages(2));
    expect([posts, visible.length, state.closed]).toEqual([[], 2, 1]);
    expect(said).toMatchObject([
      ['error', 'Nothing can be delivered to an endpoint at present.', { endpoint: 'crm', reason }],
      ['warn', expect.any(String), { messageId: 'm0', reason }],
      ['warn', expect.any(String), { messageId: 'm1', reason }],
    ]);
  });

  it('a 410 that can not be kept stops nothing: its message comes again', async () => {
    const { deliver, dependencies, dead } = openMemory(() => answered(410));
    const states = { ...dependencies.states, stop: () => Promise.reject(new Error('table down')) };
    expect(await deliver(records(2), 'webhook', { states })).toEqual(messages(2));
    expect(dead).toEqual([]);
  });

  it('a webhook’s secret is read once for a batch', async () => {
    const { deliver } = openMemory();
    let reads = 0;
    const readSecret = async () => {
      reads++;
      return { url: 'https://crm.example/', secrets: [SECRET] };
    };
    await deliver(records(3), 'webhook', { readSecret });
    expect(reads).toBe(1);
  });
});
