import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resumed } from '../../functions/delivery/health.ts';
import { SECRET, someEvents } from '../kit/delivery/given.ts';
import { type Handlers, openHandlers, until } from '../kit/delivery/handlers.ts';
import { answer, hang, type Reaction, reset, startReceiver } from '../kit/delivery/receiver.ts';

let handlers: Handlers;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  handlers = await openHandlers();
});
afterEach(async () => {
  await handlers.close();
  for (const close of closers.splice(0)) await close();
});

const receiver = async (...script: Reaction[]) => {
  const started = await startReceiver(...script);
  closers.push(started.stop);
  await handlers.endpoint('crm', started.url);
  return started;
};
const failuresSaid = () =>
  handlers.said
    .filter(({ message }) => message.startsWith('Delivery failed'))
    .map(({ details }) => details.reason);

describe('one endpoint behind a real queue (its messages come back at once, and the clock is ahead by their pauses)', () => {
  it('gets its event after a time-out, a reset, a 500, 429 with both forms of Retry-After, 503 and a redirect to a private address', async () => {
    const inTwoSeconds: Reaction = response => {
      const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + 2000).toUTCString();
      response.writeHead(429, { 'retry-after': date }).end();
    };
    const { received } = await receiver(
      hang,
      reset,
      answer(500, {}, 'hush'),
      answer(429, { 'retry-after': '2' }),
      inTwoSeconds,
      answer(503),
      answer(302, { location: 'http://169.254.169.254/hush' }),
      answer(200, {}, 'ok'),
    );
    handlers.poll(handlers.deliverer());
    const [event] = someEvents(1);
    await handlers.publish(someEvents(1));
    await handlers.settle();

    expect(received).toHaveLength(8);
    for (const { body, headers } of received) {
      expect(body).toBe(JSON.stringify(event));
      expect(headers['webhook-id']).toBe(event?.id);
      const at = new Date(Number(headers['webhook-timestamp']) * 1000);
      expect(headers['webhook-signature']).toBe(new Webhook(SECRET).sign(event?.id ?? '', at, body));
    }
    expect(failuresSaid()).toEqual([
      'no answer within 2 s',
      expect.stringMatching(/^no answer \([A-Z_]+\)$/),
      'answered 500',
      'answered 429',
      'answered 429',
      'answered 503',
      'answered 302: redirects are not followed',
    ]);
    expect(handlers.counts).toMatchObject({ DeliveryFailed: 7, Delivered: 1 });
    expect([await handlers.pendingIds('crm'), await handlers.deliveries.dead('crm', 9)]).toEqual([[], []]);
    const attempts = await handlers.deliveries.attempts('crm', 9);
    expect(attempts.map(({ status }) => status)).toEqual([
      200,
      302,
      503,
      429,
      429,
      500,
      undefined,
      undefined,
    ]);
    const shown = attempts.map(({ origin, ...rest }) => {
      expect(origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      return rest;
    });
    expect(JSON.stringify([handlers.said, shown])).not.toMatch(/hush\?|127\.0\.0\.1|whsec|169\.254/);
  });

  it('gets its event by a 2xx after 6 failures, and not a second time', async () => {
    const failures = Array.from({ length: 6 }, () => answer(500));
    const { received } = await receiver(...failures, answer(202));
    handlers.poll(handlers.deliverer());
    await handlers.publish(someEvents(1));
    await handlers.settle();
    expect(received).toHaveLength(7);
    expect(handlers.counts).toMatchObject({ DeliveryFailed: 6, Delivered: 1 });
  });

  it('is stopped by 410, and the operator is told once: its events wait in rows, and all come once it is resumed', async () => {
    let status = 410;
    const { received } = await receiver((response, request) => answer(status)(response, request));
    handlers.poll(handlers.deliverer());
    await handlers.publish(someEvents(25));
    await until(async () => (await handlers.size()) === 0);
    const asked = received.length;
    // Each of two invocations may have begun before the other was told.
    expect(asked).toBeLessThanOrEqual(2);
    await handlers.publish(someEvents(5, Date.UTC(2026, 10, 22)));
    await handlers.settle();
    expect(received).toHaveLength(asked);
    expect(await handlers.pendingIds('crm')).toHaveLength(30);
    expect(handlers.counts.EndpointStopped).toBe(1);
    const told = handlers.said.filter(({ message }) => message.startsWith('endpoint.stopped'));
    expect(told).toMatchObject([{ level: 'error', details: { endpoint: 'crm', reason: 'answered 410' } }]);

    const waited = await handlers.pendingIds('crm');
    status = 204;
    await handlers.rows.change(
      'crm',
      row => row && { ...row, health: resumed(row.health, handlers.clock()) },
    );
    await handlers.settle();
    expect(
      received
        .slice(asked)
        .map(({ headers }) => headers['webhook-id'])
        .toSorted(),
    ).toEqual(waited.toSorted());
    expect(await handlers.pendingIds('crm')).toEqual([]);
  });

  it('that fails for ever has its event among the dead letters when the time is over, with the reason', async () => {
    const { received } = await receiver(answer(500));
    handlers.poll(handlers.deliverer({ timing: { pauses: [1000], giveUpAfter: 2_000 } }));
    await handlers.publish(someEvents(1));
    await handlers.settle();
    expect(received).toHaveLength(3);
    expect(await handlers.deliveries.dead('crm', 9)).toMatchObject([
      { eventId: someEvents(1)[0]?.id, body: JSON.stringify(someEvents(1)[0]), reason: 'answered 500' },
    ]);
    expect(handlers.counts.DeliveriesDead).toBe(1);
  });

  it('that can not be read has its message among the dead letters at once, and those behind it delivered', async () => {
    const { received } = await receiver(answer(200));
    const [event] = someEvents(1);
    const bad = [
      'no JSON',
      '[]',
      JSON.stringify({ ...event, id: 'line\nbreak' }),
      JSON.stringify({ id: 'x' }),
    ];
    await handlers.send('crm', ...bad);
    await handlers.publish(someEvents(1));
    handlers.poll(handlers.deliverer());
    await handlers.settle();
    const letters = await handlers.deliveries.dead('crm', 9);
    expect(new Map(letters.map(({ body, reason }) => [body, reason]))).toEqual(
      new Map([
        [bad[0], 'the message is not valid JSON'],
        [bad[1], 'the message is not a change event; invalid: the whole message'],
        [bad[2], 'the message is not a change event; invalid: id'],
        [bad[3], 'the message is not a change event; invalid: specversion, source, type, time, data'],
      ]),
    );
    expect(received).toHaveLength(1);
  });
});
