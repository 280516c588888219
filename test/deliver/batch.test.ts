import { afterEach, describe, expect, it } from 'vitest';
import { answer, hang, type Reaction, reset, startReceiver } from '../endpoints/receiver.ts';
import { failuresOf, openBatch } from './batch.ts';
import { SECRET, someEvents } from './given.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
const receiver = async (...script: Reaction[]) => {
  const started = await startReceiver(...script);
  closers.push(started.stop);
  return started;
};

const HOUR = 3_600_000;
const context = (ms: number) => ({ getRemainingTimeInMillis: () => ms });

describe('a batch for one webhook', () => {
  it('has its first event sent alone and the others ten at once, the oldest first', async () => {
    let open = 0;
    const most: number[] = [];
    const slow: Reaction = response => {
      most.push(++open);
      setTimeout(() => {
        open--;
        response.writeHead(204).end();
      }, 100);
    };
    const { url, received } = await receiver(slow);
    const { deliver, record } = openBatch(url);
    const events = someEvents(25);
    const Records = events.map((event, index) => record(JSON.stringify(event), index * 1000));
    expect(await deliver({ Records })).toEqual({ batchItemFailures: [] });
    expect(received).toHaveLength(25);
    expect(most.slice(0, 2)).toEqual([1, 1]);
    expect(Math.max(...most)).toBe(10);
    expect(received[0]?.headers['webhook-id']).toBe(events.at(-1)?.id);
  });

  it.each([
    [{ 'retry-after': '120' }, 120],
    [{ 'retry-after': '999999' }, 41_400],
    [{}, 5],
  ])(
    'waits as a whole, and is not tried, when the first answer asks for less: %j',
    async (headers, seconds) => {
      const { url, received } = await receiver(answer(429, headers));
      const { deliver, records, visible, counts } = openBatch(url);
      const Records = records(someEvents(10));
      const failed = failuresOf(await deliver({ Records }));
      expect(failed).toEqual(Records.map(({ messageId }) => messageId).sort());
      expect(received).toHaveLength(1);
      expect(visible).toHaveLength(10);
      expect(new Set(visible.map(([, pause]) => pause))).toEqual(new Set([seconds]));
      expect(counts).toEqual({ DeliveriesPostponed: 10 });
    },
  );

  it('waits from the moment when the endpoint slows down; what was delivered before is done', async () => {
    const { url, received } = await receiver(answer(200), answer(200), answer(503, { 'retry-after': '60' }));
    const { deliver, records, visible, counts } = openBatch(url);
    const failed = failuresOf(await deliver({ Records: records(someEvents(40)) }));
    const delivered = counts.EventsDelivered ?? 0;
    expect(delivered).toBe(2);
    expect(failed).toHaveLength(38);
    expect(received.length).toBeLessThanOrEqual(12);
    expect(new Set(visible.map(([, pause]) => pause))).toEqual(new Set([60]));
  });

  it('is not waited for, when it waited for three days already', async () => {
    const { url } = await receiver(answer(429, { 'retry-after': '120' }));
    const { deliver, record, dead, visible } = openBatch(url);
    const [old, young] = someEvents(2).map(event => JSON.stringify(event)) as [string, string];
    const Records = [record(young), record(old, 72 * HOUR)];
    expect(failuresOf(await deliver({ Records }))).toEqual(['m0']);
    expect(dead).toEqual([
      {
        url: 'dead-letters',
        body: old,
        attributes: {
          endpoint: 'crm',
          reason: 'answered 429',
          receives: '3',
          firstReceived: expect.stringMatching(/^\d{4}-/),
        },
      },
    ]);
    expect(visible).toEqual([['r-m0', 120]]);
  });

  it('begins nothing when less than 20 s are left: the rest is shown again at once', async () => {
    const { url, received } = await receiver(answer(200));
    const { deliver, records, visible } = openBatch(url);
    const left = [60_000, 20_000, 19_999, 5_000];
    const ticking = { getRemainingTimeInMillis: () => left.shift() ?? 0 };
    const failed = failuresOf(await deliver({ Records: records(someEvents(5)) }, ticking));
    expect(received).toHaveLength(2);
    expect(failed).toHaveLength(3);
    expect(visible.map(([, seconds]) => seconds)).toEqual([0, 0, 0]);
  });

  it('goes to the dead-letter queue from the 410 on, whatever else was on its way', async () => {
    const { url, received } = await receiver(answer(200), answer(410), (response, received) => {
      setTimeout(() => reset(response, received), 100);
    });
    const { deliver, records, dead, counts, states, clock } = openBatch(url);
    const failed = failuresOf(await deliver({ Records: records(someEvents(30)) }));
    expect(received.length).toBeLessThanOrEqual(11);
    expect(counts.EndpointStopped).toBe(1);
    expect(counts.EventsDelivered).toBe(1);
    expect(dead.length + failed.length).toBe(29);
    expect(dead.length).toBeGreaterThanOrEqual(20);
    expect(dead[0]?.attributes.reason).toBe('the endpoint answered 410 and is stopped');
    expect(await states.isStopped('crm')).toEqual({ reason: 'answered 410', at: clock() });
  });

  it('fails one by one otherwise, and only those that fail come back', async () => {
    const { url } = await receiver((response, { body }) => {
      response.writeHead(/\.[135]"/.test(body.slice(0, 120)) ? 500 : 200).end();
    });
    const { deliver, records, counts } = openBatch(url);
    const Records = records(someEvents(6));
    const failing = Records.filter(({ body }) => /\.[135]"/.test(body.slice(0, 120)));
    expect(failing).toHaveLength(3);
    expect(failuresOf(await deliver({ Records }))).toEqual(failing.map(({ messageId }) => messageId));
    expect(counts).toEqual({ EventsDelivered: 3, DeliveriesPostponed: 3 });
  });

  it('uses a new secret within a minute, and both while both are there', async () => {
    const { url, received } = await receiver(answer(200));
    const next = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
    let secrets = [SECRET];
    const readSecret = async () => JSON.stringify({ url, secrets });
    const { deliver, records, pass } = openBatch(url, 'webhook', { readSecret });
    // The cache lives by the deliverer's clock, which `pass` moves.
    await deliver({ Records: records(someEvents(1)) });
    secrets = [SECRET, next];
    await deliver({ Records: records(someEvents(1)) });
    pass(60_000);
    await deliver({ Records: records(someEvents(1)) });
    expect(received.map(({ headers }) => headers['webhook-signature']?.split(' ').length)).toEqual([1, 1, 2]);
  });
});

describe('what is at fault on our side', () => {
  it.each([
    [
      'no such secret',
      /secret changewire\/endpoint\/crm can not be read \(ResourceNotFoundException\)\. Put/,
    ],
    ['hush', /secret changewire\/endpoint\/crm lacks the JSON object\. Put it there/],
    ['{"url":"https://hush"}', /lacks secrets\. Put it there/],
  ])(
    'a secret that is missing or malformed (%s) is told once a batch, and its events are tried again',
    async (text, reason) => {
      const readSecret = async () => {
        if (text !== 'no such secret') return text;
        throw Object.assign(new Error('hush'), { name: 'ResourceNotFoundException' });
      };
      const { deliver, records, said, visible } = openBatch('', 'webhook', { readSecret });
      const Records = records(someEvents(3));
      expect(failuresOf(await deliver({ Records }))).toEqual(['m0', 'm1', 'm2']);
      expect(visible.map(([, seconds]) => seconds)).toEqual([5, 5, 5]);
      expect(said.filter(({ level }) => level === 'error')).toEqual([
        expect.objectContaining({ details: { endpoint: 'crm', reason: expect.stringMatching(reason) } }),
      ]);
      expect(JSON.stringify(said)).not.toContain('hush');
    },
  );

  it('a URL that may not be used is told by the endpoint’s name, and its events are tried again', async () => {
    const url = 'https://user-data.hush.example/';
    const resolve = async () => [{ address: '10.0.0.1', family: 4 }];
    const { deliver, records, said, visible } = openBatch(url, 'webhook', { resolve, allowLoopback: false });
    expect(failuresOf(await deliver({ Records: records(someEvents(1)) }))).toEqual(['m0']);
    expect(visible).toEqual([['r-m0', 5]]);
    expect(said.map(({ details }) => details)).toEqual([
      {
        endpoint: 'crm',
        messageId: 'm0',
        reason: 'its address is not public (private): correct the url in its secret',
        seconds: 5,
      },
    ]);
    expect(JSON.stringify(said)).not.toMatch(/hush|10\.0\.0\.1/);
  });

  it('a table that can not be asked makes no attempt and loses nothing; a 410 that can not be kept is tried again', async () => {
    const { url, received } = await receiver(answer(410));
    const down = async () => {
      throw new Error('table down');
    };
    const { states } = openBatch('');
    const blind = openBatch(url, 'webhook', { states: { ...states, isStopped: down } });
    expect(failuresOf(await blind.deliver({ Records: blind.records(someEvents(2)) }))).toHaveLength(2);
    expect(received).toHaveLength(0);
    const forgetful = openBatch(url, 'webhook', { states: { ...states, stop: down } });
    expect(failuresOf(await forgetful.deliver({ Records: forgetful.records(someEvents(2)) }))).toHaveLength(
      2,
    );
    expect(forgetful.dead).toEqual([]);
    expect(received).toHaveLength(1);
    const odd = openBatch(url, 'webhook', { states: { ...states, isStopped: () => Promise.reject('odd') } });
    expect(failuresOf(await odd.deliver({ Records: odd.records(someEvents(1)) }))).toEqual(['m0']);
  });

  it('a queue that can not be asked leaves the message to its visibility time-out, and a dead letter where it was', async () => {
    const { url } = await receiver(answer(500));
    const down = async () => {
      throw new Error('queue down');
    };
    const queues = { changeVisibility: down, moveToDeadLetters: down };
    const { deliver, record, said } = openBatch(url, 'webhook', { queues });
    const [event] = someEvents(1);
    const Records = [
      record(JSON.stringify(event)),
      record('no JSON'),
      record(JSON.stringify(event), 99 * HOUR),
    ];
    expect(failuresOf(await deliver({ Records }))).toEqual(['m0', 'm1', 'm2']);
    const told = said.map(({ message }) => message);
    expect(told.filter(message => message.endsWith('it stays.'))).toHaveLength(2);
    expect(told.filter(message => message.endsWith('the queue decides.'))).toHaveLength(1);
  });

  it('a queue that no endpoint has keeps its messages; those of others beside it are delivered', async () => {
    const { url, received } = await receiver(answer(200));
    const { deliver, record, said } = openBatch(url);
    const other = 'arn:aws:sqs:eu-west-1:1:other';
    const [event] = someEvents(1);
    const Records = [record('{}', 0, other), record(JSON.stringify(event)), record('{}', 0, other)];
    const batchItemFailures = [{ itemIdentifier: 'm0' }, { itemIdentifier: 'm2' }];
    expect(await deliver({ Records })).toEqual({ batchItemFailures });
    expect(received).toHaveLength(1);
    const message = `No endpoint has the queue ${other}; its messages stay there. Deploy again.`;
    expect(said).toEqual([{ level: 'error', message, details: {} }]);
  });
});

describe('a batch for a chat', () => {
  const kinds = [
    ['slack', answer(200, {}, 'ok')],
    ['teams', answer(202)],
  ] as const;

  it.each(kinds)(
    'is one %s message per project, a second apart, and settles all its events',
    async (kind, ok) => {
      const { url, received } = await receiver(ok);
      const { deliver, records, slept, counts } = openBatch(url, kind);
      const other = someEvents(2).map(event =>
        JSON.parse(JSON.stringify(event).replaceAll('p.1', 'p.2').replaceAll('p%2E1', 'p%2E2')),
      );
      const Records = records([...someEvents(20), ...other]);
      expect(await deliver({ Records })).toEqual({ batchItemFailures: [] });
      expect(received).toHaveLength(2);
      expect(received[0]?.headers).toMatchObject({ 'content-type': 'application/json' });
      expect(received[0]?.headers).not.toHaveProperty('webhook-id');
      expect(slept).toEqual([0, 1000]);
      expect(counts).toEqual({ EventsDelivered: 22 });
    },
  );

  it('tells an event that came twice once, and settles both', async () => {
    const { url, received } = await receiver(answer(200));
    const { deliver, records } = openBatch(url, 'slack');
    const [event] = someEvents(1);
    if (!event) throw new Error('no event');
    expect(await deliver({ Records: records([event, event]) })).toEqual({ batchItemFailures: [] });
    expect(received).toHaveLength(1);
    expect(received[0]?.body.split('Acme').length).toBeGreaterThan(1);
  });

  it('waits as a whole when a message is one too many; what fails otherwise comes back alone', async () => {
    const { url, received } = await receiver(answer(404), answer(429, { 'retry-after': '30' }));
    const { deliver, records, visible } = openBatch(url, 'slack');
    const projects = ['p.1', 'p.2', 'p.3'].map(id => {
      const text = JSON.stringify(someEvents(1)[0]);
      return JSON.parse(text.replaceAll('p.1', id).replaceAll('p%2E1', id.replace('.', '%2E')));
    });
    const failed = failuresOf(await deliver({ Records: records(projects) }));
    expect(failed).toEqual(['m0', 'm1', 'm2']);
    expect(received).toHaveLength(2);
    expect(visible.map(([, seconds]) => seconds).sort()).toEqual([30, 30, 5]);
  });

  it('is stopped by 410 as a webhook is', async () => {
    const { url } = await receiver(answer(410));
    const { deliver, records, dead, counts } = openBatch(url, 'teams');
    expect(await deliver({ Records: records(someEvents(3)) })).toEqual({ batchItemFailures: [] });
    expect(dead).toHaveLength(3);
    expect(counts).toMatchObject({ EndpointStopped: 1, EventsDeadLettered: 3 });
  });

  it('is shown again at once when its next moment to send comes too late for this run', async () => {
    const { url, received } = await receiver(answer(200));
    const { deliver, records, states, visible, clock } = openBatch(url, 'slack');
    for (let booked = 0; booked < 30; booked++) await states.reserveSlot('crm', 1000, clock());
    expect(failuresOf(await deliver({ Records: records(someEvents(2)) }, context(40_000)))).toHaveLength(2);
    expect(visible.map(([, seconds]) => seconds)).toEqual([0, 0]);
    expect(received).toHaveLength(0);
  });

  it('sets an event aside that the format chokes on, and tells the others', async () => {
    const { url, received } = await receiver(answer(200));
    const { deliver, record, dead } = openBatch(url, 'slack');
    const [event] = someEvents(1);
    const odd = { ...event, id: 'odd', data: { process: { id: 'p' }, project: { id: 'p.1' }, changes: 7 } };
    const Records = [record(JSON.stringify(odd)), record(JSON.stringify(event))];
    expect(await deliver({ Records })).toEqual({ batchItemFailures: [] });
    expect(received).toHaveLength(1);
    expect(dead.map(({ attributes }) => attributes.reason)).toEqual([
      expect.stringMatching(/^the event can not be shown \(\w+\)$/),
    ]);
  });
});

describe('a hanging webhook', () => {
  it('costs a batch of ten two time-outs, not ten', async () => {
    const { url, received } = await receiver(hang);
    const { deliver, records } = openBatch(url, 'webhook', { timeout: 300 });
    const startedAt = Date.now();
    expect(failuresOf(await deliver({ Records: records(someEvents(10)) }))).toHaveLength(10);
    expect(received).toHaveLength(10);
    expect(Date.now() - startedAt).toBeLessThan(2_000);
  });
});
