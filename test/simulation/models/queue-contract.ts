import { SQSServiceException } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, it } from 'vitest';

export type Received = Pick<
  SQSRecord,
  'messageId' | 'receiptHandle' | 'body' | 'attributes' | 'messageAttributes'
>;

/** A new, empty queue under test, with what the suite asks of it; and a way to let its time pass. */
export interface QueueSubject {
  /** `group`: its message group; `delay`: seconds until it is visible. @returns the message's id. */
  send(
    body: string,
    attributes?: Readonly<Record<string, string>>,
    more?: { readonly group?: string; readonly delay?: number },
  ): Promise<string>;
  receive(max: number): Promise<Received[]>;
  receiveDeadLetters(max: number): Promise<Received[]>;
  delete(receiptHandle: string): Promise<void>;
  changeVisibility(receiptHandle: string, seconds: number): Promise<void>;
  /** Ms since 1970. */
  now(): number;
  /** Lets a little time pass. */
  tick(): Promise<void>;
}

/** Opens a queue whose visibility time-out is 1 s. */
export type OpenQueue = (options?: { readonly maxReceiveCount: number }) => Promise<QueueSubject>;

const SECOND = 1000;

/** The next message, waited for up to 5 s of the queue's time. */
async function next(queue: QueueSubject): Promise<Received> {
  for (const end = queue.now() + 5 * SECOND; queue.now() < end; await queue.tick()) {
    const [message] = await queue.receive(1);
    if (message) return message;
  }
  throw new Error('No message got visible within 5 s.');
}

async function nothing(queue: QueueSubject): Promise<void> {
  expect(await queue.receive(10)).toEqual([]);
}

/** The name of the SQS error that a call ends with. */
async function errorOf(call: Promise<unknown>): Promise<string> {
  const error = await call.then(
    () => undefined,
    reason => reason,
  );
  if (error === undefined) return 'no error';
  expect(error).toBeInstanceOf(SQSServiceException);
  // The embedded SQS puts this before the names that the SDK has no class for; SQS does not.
  return error.name.replace('AWS.SimpleQueueService.', '');
}

const CASES = {
  'a message comes as it was sent: id, body, attributes and times': async open => {
    const queue = await open();
    const before = queue.now();
    const messageId = await queue.send('{"größe":"x\\ud800"}', { endpoint: 'crm', reason: 'answered 500' });
    const message = await next(queue);
    expect(message).toMatchObject({
      messageId,
      body: '{"größe":"x\\ud800"}',
      messageAttributes: {
        endpoint: { dataType: 'String', stringValue: 'crm' },
        reason: { dataType: 'String', stringValue: 'answered 500' },
      },
      attributes: { ApproximateReceiveCount: '1' },
    });
    const { SentTimestamp, ApproximateFirstReceiveTimestamp } = message.attributes;
    expect(Number(SentTimestamp)).toBeGreaterThanOrEqual(before);
    expect(Number(ApproximateFirstReceiveTimestamp)).toBeGreaterThanOrEqual(Number(SentTimestamp));
    expect(Number(ApproximateFirstReceiveTimestamp)).toBeLessThanOrEqual(queue.now());
  },

  'what is received is invisible for the visibility time-out, and then comes again': async open => {
    const queue = await open();
    const messageId = await queue.send('x');
    const before = queue.now();
    const first = await next(queue);
    await nothing(queue);
    const second = await next(queue);
    expect(queue.now() - before).toBeGreaterThanOrEqual(SECOND);
    expect(second.messageId).toBe(messageId);
    expect(second.receiptHandle).not.toBe(first.receiptHandle);
    expect(second.attributes).toEqual({ ...first.attributes, ApproximateReceiveCount: '2' });
    await nothing(queue);
  },

  'up to ten visible messages come at once, each of them once': async open => {
    const queue = await open();
    const ids: string[] = [];
    for (let at = 0; at < 13; at++) ids.push(await queue.send(`message ${at}`));
    const [some, more, rest] = [await queue.receive(10), await queue.receive(1), await queue.receive(10)];
    expect([some.length, more.length, rest.length]).toEqual([10, 1, 2]);
    expect([...some, ...more, ...rest].map(({ messageId }) => messageId).sort()).toEqual(ids.sort());
    await nothing(queue);
  },

  'a deleted message never comes again, and deleting it again is no error': async open => {
    const queue = await open();
    await queue.send('x');
    const { receiptHandle, attributes } = await next(queue);
    await queue.delete(receiptHandle);
    await queue.delete(receiptHandle);
    const gone = Number(attributes.ApproximateFirstReceiveTimestamp) + 1.2 * SECOND;
    while (queue.now() < gone) await queue.tick();
    await nothing(queue);
  },

  'deleting by a handle older than the last receive is no error, and the last handle deletes': async open => {
    const queue = await open();
    await queue.send('x');
    const old = await next(queue);
    await queue.changeVisibility(old.receiptHandle, 0);
    const latest = await next(queue);
    await queue.delete(old.receiptHandle);
    await queue.delete(latest.receiptHandle);
    const gone = queue.now() + 1.2 * SECOND;
    while (queue.now() < gone) await queue.tick();
    await nothing(queue);
  },

  'a message can be shown again later than its queue would, counted from now': async open => {
    const queue = await open();
    await queue.send('x');
    const { receiptHandle } = await next(queue);
    const before = queue.now();
    await queue.changeVisibility(receiptHandle, 2);
    expect((await next(queue)).attributes.ApproximateReceiveCount).toBe('2');
    expect(queue.now() - before).toBeGreaterThanOrEqual(2 * SECOND);
  },

  'a message can be shown again at once; the receive after that hides it as long as any': async open => {
    const queue = await open();
    await queue.send('x');
    await queue.changeVisibility((await next(queue)).receiptHandle, 0);
    const before = queue.now();
    const [again] = await queue.receive(1);
    expect(again?.attributes.ApproximateReceiveCount).toBe('2');
    await nothing(queue);
    await next(queue);
    expect(queue.now() - before).toBeGreaterThanOrEqual(SECOND);
  },

  'a message can be hidden for 12 hours at most': async open => {
    const queue = await open();
    await queue.send('x');
    const { receiptHandle } = await next(queue);
    for (const seconds of [-1, 43_201])
      expect(await errorOf(queue.changeVisibility(receiptHandle, seconds))).toBe('InvalidParameterValue');
    await queue.changeVisibility(receiptHandle, 41_400);
  },

  'the 12 hours count from its receive': async open => {
    const queue = await open();
    await queue.send('x');
    const { receiptHandle } = await next(queue);
    const received = queue.now();
    while (queue.now() <= received) await queue.tick();
    expect(await errorOf(queue.changeVisibility(receiptHandle, 43_200))).toBe('InvalidParameterValue');
  },

  'the time of a visible message can not be changed': async open => {
    const queue = await open();
    await queue.send('x');
    const { receiptHandle } = await next(queue);
    await queue.changeVisibility(receiptHandle, 0);
    expect(await errorOf(queue.changeVisibility(receiptHandle, 5))).toBe('MessageNotInflight');
    expect(await errorOf(queue.changeVisibility(receiptHandle, 43_201))).toBe('InvalidParameterValue');
  },

  'the time of a deleted message can not be changed': async open => {
    const queue = await open();
    await queue.send('x');
    const { receiptHandle } = await next(queue);
    await queue.delete(receiptHandle);
    expect(await errorOf(queue.changeVisibility(receiptHandle, 5))).toBe('InvalidParameterValue');
  },

  'a handle older than the last receive changes the time too': async open => {
    const queue = await open();
    await queue.send('x');
    const { receiptHandle } = await next(queue);
    await queue.changeVisibility(receiptHandle, 0);
    await next(queue);
    await queue.changeVisibility(receiptHandle, 0);
    expect((await next(queue)).attributes.ApproximateReceiveCount).toBe('3');
  },

  'a handle that was never given out is refused': async open => {
    const queue = await open();
    expect(await errorOf(queue.changeVisibility('made up', 5))).toBe('ReceiptHandleIsInvalid');
    expect(await errorOf(queue.delete('made up'))).toBe('ReceiptHandleIsInvalid');
  },

  'a message received too often goes to the dead letters as it was sent, and no further message waits for it':
    async open => {
      const queue = await open({ maxReceiveCount: 2 });
      const messageId = await queue.send('poison', { endpoint: 'crm' });
      for (const count of ['1', '2']) {
        const { attributes, receiptHandle } = await next(queue);
        expect(attributes.ApproximateReceiveCount).toBe(count);
        expect(await queue.receiveDeadLetters(10)).toEqual([]);
        await queue.changeVisibility(receiptHandle, 0);
      }
      await queue.send('next');
      expect((await queue.receive(10)).map(({ body }) => body)).toEqual(['next']);
      const [letter, ...others] = await queue.receiveDeadLetters(10);
      expect(others).toEqual([]);
      expect(letter).toMatchObject({
        messageId,
        body: 'poison',
        messageAttributes: { endpoint: { stringValue: 'crm' } },
      });
      await nothing(queue);
    },

  'a dead letter tells where it comes from, and counts what both queues received': async open => {
    const queue = await open({ maxReceiveCount: 1 });
    await queue.send('poison');
    await queue.changeVisibility((await next(queue)).receiptHandle, 0);
    await nothing(queue);
    const [letter] = await queue.receiveDeadLetters(1);
    expect(letter?.attributes).toMatchObject({
      ApproximateReceiveCount: '2',
      DeadLetterQueueSourceArn: expect.stringMatching(/^arn:aws:sqs:/),
    });
  },

  'a message comes with the group that it was sent with, and others of its group do not wait for it':
    async open => {
      const queue = await open();
      for (const body of ['one', 'two']) await queue.send(body, {}, { group: 'crm' });
      await queue.send('alone');
      const received = [...(await queue.receive(10))].sort((one, other) => (one.body < other.body ? -1 : 1));
      expect(received.map(({ body, attributes }) => [body, attributes.MessageGroupId])).toEqual([
        ['alone', undefined],
        ['one', 'crm'],
        ['two', 'crm'],
      ]);
    },

  'a message that is sent with a delay is invisible until then, and others are not': async open => {
    const queue = await open();
    const before = queue.now();
    await queue.send('later', {}, { delay: 1 });
    await queue.send('now');
    expect((await queue.receive(10)).map(({ body }) => body)).toEqual(['now']);
    let later: Received | undefined;
    do [later] = (await queue.receive(10)).filter(({ body }) => body === 'later');
    while (later === undefined && (await queue.tick().then(() => queue.now())) < before + 5 * SECOND);
    expect(later?.attributes.ApproximateReceiveCount).toBe('1');
    expect(queue.now() - before).toBeGreaterThanOrEqual(SECOND);
  },

  'a delay of more than 15 minutes is refused': async open => {
    const queue = await open();
    expect(await errorOf(queue.send('x', {}, { delay: 901 }))).toBe('InvalidParameterValue');
  },

  'quiet groups are received before one that has most of what is in flight': async open => {
    const queue = await open();
    const all = Array.from({ length: 60 }, () => queue.send('much', {}, { group: 'noisy' }));
    await Promise.all(all);
    for (let taken = 0; taken < 30; ) taken += (await queue.receive(10)).length;
    await queue.send('little', {}, { group: 'quiet' });
    const [first] = await queue.receive(1);
    expect(first?.body).toBe('little');
  },

  'a message needs a body of at most 1 MiB, in characters that XML has': async open => {
    const queue = await open();
    expect(await errorOf(queue.send(''))).toBe('MissingParameter');
    expect(await errorOf(queue.send('bell \u0007'))).toBe('InvalidMessageContents');
    expect(await errorOf(queue.send('\uffff'))).toBe('InvalidMessageContents');
    await queue.send('x'.repeat(1024 * 1024 - 10), { ab: 'cd' });
    expect(await errorOf(queue.send('x'.repeat(1024 * 1024 - 9), { ab: 'cd' }))).toBe(
      'InvalidParameterValue',
    );
  },

  'an attribute needs a value, in the same characters': async open => {
    const queue = await open();
    expect(await errorOf(queue.send('x', { reason: '\u0000' }))).toBe('InvalidMessageContents');
    expect(await errorOf(queue.send('x', { reason: '' }))).toBe('InvalidParameterValue');
  },
} satisfies Record<string, (open: OpenQueue) => Promise<void>>;

/** How SQS behaves, as far as the project relies on it: one suite for the model and for SQS. */
export function queueContract(name: string, open: OpenQueue): void {
  describe.concurrent(`a queue in ${name}`, () => {
    for (const [title, run] of Object.entries(CASES)) it(title, () => run(open));
  });
}
