import { MessageNotInflight } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import type { Random } from '../../../functions/basics/clock.ts';
import { seededRandom } from '../../../simulator/data/random.ts';
import { QueueModel } from './queue.ts';
import { type OpenQueue, queueContract } from './queue-contract.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const BODIES = ['a', 'b', 'c', 'd', 'e'];

function openModel(random: Random, maxReceiveCount?: number, retention?: number) {
  let now = AT;
  const options = { clock: () => now, random, visibilityTimeout: 1 };
  const named = (name: string) => ({
    name,
    arn: `arn:aws:sqs:eu-west-1:1:${name}`,
    url: `https://sqs/${name}`,
  });
  const dead = new QueueModel({ ...options, ...named('dead') });
  const deadLetters = maxReceiveCount === undefined ? {} : { deadLetters: { queue: dead, maxReceiveCount } };
  const kept = retention === undefined ? {} : { retention };
  const queue = new QueueModel({ ...options, ...named('crm'), ...deadLetters, ...kept });
  return {
    queue,
    dead,
    now: () => now,
    pass(ms: number) {
      now += ms;
    },
  };
}

const openSubject: OpenQueue = async options => {
  const { queue, dead, now, pass } = openModel(seededRandom(1), options?.maxReceiveCount);
  return {
    send: async (body, attributes, more) => queue.send(body, attributes, more),
    receive: async max => queue.receive(max),
    receiveDeadLetters: async max => dead.receive(max),
    delete: async handle => queue.delete(handle),
    changeVisibility: async (handle, seconds) => queue.changeVisibility(handle, seconds),
    now,
    tick: async () => pass(20),
  };
};

queueContract('the model', openSubject);

describe('the model of a queue', () => {
  /** The order of messages received, when so many of each group are in flight and one more of each is
   *  visible. Without fairness the last one would come first. */
  const received = (counts: Readonly<Record<string, number>>, delayed = 0) => {
    const { queue } = openModel(() => 0.999);
    for (const [group, count] of Object.entries(counts))
      for (let each = 0; each < count; each++) queue.send(group, {}, { group });
    while (queue.receive(10).length > 0);
    for (const group of Object.keys(counts)) queue.send(group, {}, { group });
    for (let each = 0; each < delayed; each++) queue.send('late', {}, { group: 'late', delay: 900 });
    return queue
      .receive(10)
      .map(({ body }) => body)
      .join('');
  };
  const ten = Object.fromEntries([...'abcdefghij'].map(name => [name, 30]));

  it.each([
    ['29 in flight make no group noisy', { a: 1, b: 29 }, 0, 'ba'],
    ['30 do, where they are more than a tenth, and it comes after the others', { a: 1, b: 30 }, 0, 'ab'],
    ['30 that are a tenth do not', ten, 0, 'jihgfedcba'],
    ['several noisy ones come after one that is quiet', { a: 29, b: 30, c: 40 }, 0, 'acb'],
    ['what is delayed is not in flight', { a: 1, b: 30 }, 900, 'ab'],
  ])('is fair: %s', (_, counts, delayed, bodies) => {
    expect(received(counts, delayed)).toBe(bodies);
  });

  const bodiesBySeed = (seed: number) => {
    const { queue } = openModel(seededRandom(seed));
    for (const body of BODIES) queue.send(body);
    return queue.receive(10).map(({ body }) => body);
  };

  it('gives its messages in an order that only the seed decides', () => {
    expect(bodiesBySeed(1)).toEqual(bodiesBySeed(1));
    const orders = Array.from({ length: 50 }, (_, seed) => bodiesBySeed(seed).join(''));
    expect(new Set(orders).size).toBeGreaterThan(30);
    expect(new Set(orders.map(order => [...order].sort().join('')))).toEqual(new Set(['abcde']));
  });

  it.each([
    [0.5, []],
    [0.49, ['x']],
  ])('deletes by an old handle or does not, as chance (%d) has it', (chance, left) => {
    const { queue, pass } = openModel(() => chance);
    queue.send('x');
    const [old] = queue.receive(1);
    pass(1000);
    queue.receive(1);
    queue.delete(old?.receiptHandle ?? '');
    pass(1000);
    expect(queue.receive(1).map(({ body }) => body)).toEqual(left);
  });

  it('tells when the next message is visible, to the millisecond', () => {
    const { queue, pass } = openModel(() => 0);
    expect(queue.nextVisibleAt()).toBeUndefined();
    queue.send('x', { a: 'b' });
    pass(5);
    queue.send('y');
    queue.receive(1);
    expect(queue.nextVisibleAt()).toBe(AT + 5);
    queue.receive(1);
    expect(queue.nextVisibleAt()).toBe(AT + 1005);
    pass(999);
    expect(queue.receive(10)).toEqual([]);
    pass(1);
    expect(queue.receive(10)).toHaveLength(2);
  });

  it('keeps a message as long as it is told to, be it visible or in flight', () => {
    const { queue, pass } = openModel(() => 0, undefined, 60);
    queue.send('x');
    queue.send('y', {}, { delay: 60 });
    expect(queue.receive(10).map(({ body }) => body)).toEqual(['x']);
    pass(60_000);
    expect(queue.receive(10).map(({ body }) => body)).toEqual(['x', 'y']);
    pass(1_000);
    expect(queue.receive(10)).toEqual([]);
    expect(queue.size).toBe(0);
  });

  it('lets nobody change the time of a message whose time-out is over, or that is a dead letter', () => {
    const { queue, dead, pass } = openModel(() => 0, 1);
    queue.send('x');
    const [{ receiptHandle } = { receiptHandle: '' }] = queue.receive(1);
    pass(1000);
    expect(() => queue.changeVisibility(receiptHandle, 5)).toThrow(MessageNotInflight);
    pass(7);
    queue.receive(1);
    expect(() => queue.changeVisibility(receiptHandle, 5)).toThrow(/does not exist/);
    expect(queue.size).toBe(0);
    pass(3);
    expect(dead.receive(1)[0]?.attributes).toMatchObject({
      SentTimestamp: String(AT),
      ApproximateFirstReceiveTimestamp: String(AT + 1010),
      DeadLetterQueueSourceArn: 'arn:aws:sqs:eu-west-1:1:crm',
    });
  });
});
