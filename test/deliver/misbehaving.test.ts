import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RetryTiming } from '../../functions/endpoints/retries.ts';
import { answer, hang, type Reaction, reset, startReceiver } from '../endpoints/receiver.ts';
import { SECRET, someEvents } from './given.ts';
import { type House, openHouse, until } from './house.ts';

let house: House;
const closers: (() => unknown)[] = [];
beforeEach(async () => {
  house = await openHouse();
});
afterEach(async () => {
  await house.close();
  for (const close of closers.splice(0)) await close();
});

const receiver = async (...script: Reaction[]) => {
  const started = await startReceiver(...script);
  closers.push(started.stop);
  return started;
};

/** The standard pauses with seconds for hours: visibility times are whole seconds. */
const FAST: RetryTiming = { pauses: [1000], giveUpAfter: 60_000 };

describe('one endpoint behind a real queue', () => {
  it('gets its event after a time-out, a reset, a 500, 429 with both forms of Retry-After, 503 and a redirect to a private address', async () => {
    const inTwoSeconds: Reaction = response => {
      const date = new Date(Math.ceil(Date.now() / 1000) * 1000 + 2000).toUTCString();
      response.writeHead(429, { 'retry-after': date }).end();
    };
    const script = [
      hang,
      reset,
      answer(500, {}, 'hush'),
      answer(429, { 'retry-after': '2' }),
      inTwoSeconds,
      answer(503),
      answer(302, { location: 'http://169.254.169.254/hush' }),
      answer(200, {}, 'ok'),
    ];
    const { url, received, requests } = await receiver(...script);
    const crm = await house.endpoint('crm', url);
    const { deliver, said, counts } = house.deliverer({ timing: FAST });
    house.poll(crm, deliver);
    const [event] = someEvents(1);
    await house.publish(someEvents(1));
    await requests(8);
    await until(async () => (await house.size(crm.queueUrl)) === 0);

    expect(received).toHaveLength(8);
    for (const { body, headers } of received) {
      expect(body).toBe(JSON.stringify(event));
      expect(headers['webhook-id']).toBe(event?.id);
      expect(new Webhook(SECRET).verify(body, headers)).toEqual(event);
    }
    const pauses = received.slice(1).map(({ at }, index) => at - (received[index]?.at ?? 0));
    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(950);
    expect(pauses[3]).toBeGreaterThanOrEqual(1_950);
    expect(pauses[4]).toBeGreaterThanOrEqual(1_950);
    expect(said.map(({ details }) => details.reason)).toEqual([
      'no answer within 0.2 s',
      expect.stringMatching(/^no answer \([A-Z_]+\)$/),
      'answered 500',
      'answered 429',
      'answered 429',
      'answered 503',
      'answered 302: redirects are not followed',
    ]);
    expect(counts).toEqual({ 'DeliveriesPostponed crm': 7, 'EventsDelivered crm': 1 });
    expect(await house.deadLetters(crm)).toEqual([]);
    expect(JSON.stringify(said)).not.toMatch(/hush|127\.0\.0\.1|whsec|169\.254/);
  });

  it('gets its event by a 2xx after 6 failures, and not a second time', async () => {
    const failures = Array.from({ length: 6 }, () => answer(500));
    const { url, received, requests } = await receiver(...failures, answer(202));
    const crm = await house.endpoint('crm', url);
    const { deliver, counts } = house.deliverer({ timing: FAST });
    house.poll(crm, deliver);
    await house.publish(someEvents(1));
    await requests(7);
    await until(async () => (await house.size(crm.queueUrl)) === 0);
    expect(received).toHaveLength(7);
    expect(counts).toEqual({ 'DeliveriesPostponed crm': 6, 'EventsDelivered crm': 1 });
  });

  it('is stopped by 410: its events go to the dead-letter queue, at once from then on, and the operator is told once', async () => {
    const { url, received } = await receiver(answer(410));
    const crm = await house.endpoint('crm', url);
    const { deliver, said, counts } = house.deliverer();
    house.poll(crm, deliver);
    await house.publish(someEvents(25));
    await until(async () => (await house.size(crm.deadLetterUrl)) === 25);
    const asked = received.length;
    // Each of two invocations may have begun before the other was told.
    expect(asked).toBeLessThanOrEqual(2);
    await house.publish(someEvents(5, Date.UTC(2026, 10, 22)));
    await until(async () => (await house.size(crm.deadLetterUrl)) === 30);
    expect(received).toHaveLength(asked);
    expect(await house.size(crm.queueUrl)).toBe(0);
    const letters = await house.deadLetters(crm);
    expect(new Set(letters.map(({ Body = '' }) => JSON.parse(Body).id)).size).toBe(30);
    expect(letters.at(-1)?.MessageAttributes).toMatchObject({
      endpoint: { StringValue: 'crm' },
      reason: { StringValue: expect.stringMatching(/^the endpoint is stopped since 20.*: answered 410$/) },
      receives: { StringValue: '1' },
      firstReceived: { StringValue: expect.stringMatching(/^20\d\d-.*Z$/) },
    });
    expect(counts['EndpointStopped crm']).toBe(1);
    expect(counts['EventsDeadLettered crm']).toBe(30);
    const told = said.filter(({ message }) => message.includes('It is stopped'));
    expect(told).toEqual([expect.objectContaining({ level: 'error' })]);
    expect(told[0]?.message).toMatch(/Endpoint crm answered 410.*ENDPOINT#crm/s);
  });

  it('that fails for ever has its event in the dead-letter queue when the time is over, with the reason', async () => {
    const { url, received } = await receiver(answer(500));
    const crm = await house.endpoint('crm', url);
    const { deliver, counts } = house.deliverer({ timing: { pauses: [1000], giveUpAfter: 2_000 } });
    house.poll(crm, deliver);
    await house.publish(someEvents(1));
    await until(async () => (await house.size(crm.deadLetterUrl)) === 1);
    expect(received.length).toBeGreaterThanOrEqual(3);
    const [letter] = await house.deadLetters(crm);
    expect(JSON.parse(letter?.Body ?? '')).toEqual(someEvents(1)[0]);
    expect(letter?.MessageAttributes?.reason?.StringValue).toBe('answered 500');
    expect(await house.size(crm.queueUrl)).toBe(0);
    expect(counts['EventsDeadLettered crm']).toBe(1);
  });

  it('that can not be read has its message in the dead-letter queue at once, and those behind it delivered', async () => {
    const { url, received, requests } = await receiver(answer(200));
    const crm = await house.endpoint('crm', url);
    const { deliver } = house.deliverer();
    const [event] = someEvents(1);
    const bad = [
      'no JSON',
      '[]',
      JSON.stringify({ ...event, id: 'line\nbreak' }),
      JSON.stringify({ id: 'x' }),
    ];
    for (const body of bad) await house.send(crm, body);
    await house.publish(someEvents(1));
    house.poll(crm, deliver);
    await requests(1);
    await until(async () => (await house.size(crm.deadLetterUrl)) === 4);
    const letters = await house.deadLetters(crm);
    const reasons = letters.map(letter => [letter.Body, letter.MessageAttributes?.reason?.StringValue]);
    expect(new Map(reasons as [string, string][])).toEqual(
      new Map([
        [bad[0], 'the message is no JSON'],
        [bad[1], 'the message is no change event: look at the whole'],
        [bad[2], 'the message is no change event: look at id'],
        [bad[3], 'the message is no change event: look at specversion, source, type, time, data'],
      ]),
    );
    expect(received).toHaveLength(1);
  });
});
