import { afterEach, describe, expect, it } from 'vitest';
import { answer, type Reaction, startReceiver } from '../endpoints/receiver.ts';
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

describe('a batch for one webhook', () => {
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
      /secret changewire\/endpoint\/crm can not be read \(ResourceNotFoundException\)\. Make/,
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

  it.each(kinds)('links the records of a workspace with a template in %s', async (kind, ok) => {
    const { url, received } = await receiver(ok);
    const task = 'https://app.example.com/{projectId}/{taskId}';
    const { deliver, records } = openBatch(url, kind, { linkTemplates: [{ workspace: 'eu', task }] });
    await deliver({ Records: records(someEvents(1)) });
    expect(received[0]?.body).toContain('"url":"https://app.example.com/p.1/t0"');
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
