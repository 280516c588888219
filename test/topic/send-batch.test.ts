import {
  type BatchResultErrorEntry,
  InvalidParameterException,
  type PublishBatchCommand,
  type SNSClient,
  SNSServiceException,
} from '@aws-sdk/client-sns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { batchesOf, bytesOf, isRefusal, type Message, sendBatch } from '../../functions/topic/send-batch.ts';

const message = (name: string): Message => ({
  Message: name,
  MessageAttributes: { eventType: { DataType: 'String', StringValue: name } },
});
const messages = ['a', 'b', 'c'].map(message);
const failed = (Id: string, more: Partial<BatchResultErrorEntry> = {}) => ({
  Id,
  Code: 'InternalError',
  ...more,
});
const refusal = new InvalidParameterException({ message: 'no', $metadata: {} });

/** A topic that gives one answer after the other, the last one for ever; it is late from the call `lateFrom` on. */
function open(
  answers: readonly (Error | readonly Partial<BatchResultErrorEntry>[] | undefined)[],
  lateFrom = Number.POSITIVE_INFINITY,
) {
  const sent: unknown[] = [];
  const waits: number[] = [];
  const refused: [number, string][] = [];
  const send = async ({ input }: PublishBatchCommand) => {
    sent.push(input);
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return { Failed: answer };
  };
  const topic = {
    sns: { send } as unknown as SNSClient,
    topicArn: 'arn',
    sleep: async (ms: number) => void waits.push(ms),
    random: () => 0.5,
    isLate: () => sent.length >= lateFrom,
    refuse: async (index: number, reason: string) => void refused.push([index, reason]),
  };
  return { topic, sent, waits, refused };
}
const entry = (index: number) => ({ Id: String(index), ...messages[index] });
const request = (...indexes: number[]) => ({
  TopicArn: 'arn',
  PublishBatchRequestEntries: indexes.map(entry),
});
/** A message sent alone is the first of its own request. */
const alone = (index: number) => ({
  TopicArn: 'arn',
  PublishBatchRequestEntries: [{ Id: '0', ...messages[index] }],
});

describe('a batch', () => {
  it.each([[undefined], [[]]])('that SNS takes whole (%j) is sent once, in order', async answer => {
    const { topic, sent, waits } = open([answer]);
    expect(await sendBatch(topic, [])).toEqual({ failed: [] });
    expect(await sendBatch(topic, messages)).toEqual({ failed: [] });
    expect([sent, waits]).toEqual([[request(0, 1, 2)], []]);
  });

  it('has those sent again that SNS failed, and only those, with growing waits', async () => {
    const { topic, sent, waits } = open([[failed('0'), failed('2')], [failed('2')], []]);
    expect(await sendBatch(topic, messages)).toEqual({ failed: [] });
    expect(sent).toEqual([request(0, 1, 2), request(0, 2), request(2)]);
    expect(waits).toEqual([100, 200]);
  });

  it('is tried five times; then what SNS still fails is named by its place', async () => {
    const { topic, sent, waits } = open([[failed('1'), failed('2')]]);
    expect(await sendBatch(topic, messages)).toEqual({ failed: [1, 2] });
    expect(sent).toHaveLength(5);
    expect(waits).toEqual([100, 200, 400, 800]);
  });

  it('has each message refused that is itself at fault, with SNS’s reason, and the others tried again', async () => {
    const fault = { SenderFault: true, Code: 'InvalidParameter' };
    const { topic, sent, refused } = open([
      [
        failed('0', { ...fault, Message: 'too odd' }),
        failed('1', { ...fault, SenderFault: false }),
        failed('2', fault),
      ],
      [],
    ]);
    expect(await sendBatch(topic, messages)).toEqual({ failed: [] });
    expect(refused).toEqual([
      [0, 'InvalidParameter: too odd'],
      [2, 'InvalidParameter'],
    ]);
    expect(sent).toEqual([request(0, 1, 2), request(1)]);
  });

  it.each(['Throttled', 'KMSThrottling', 'KMSDisabled', 'KMSAccessDenied', 'AuthorizationError', undefined])(
    'has a message tried again that SNS blames on its sender for another reason than its content: %s',
    async Code => {
      const { topic, sent, refused } = open([[failed('1', { SenderFault: true, Code })], []]);
      expect(await sendBatch(topic, messages)).toEqual({ failed: [] });
      expect(refused).toEqual([]);
      expect(sent).toEqual([request(0, 1, 2), request(1)]);
    },
  );

  it('of which SNS says too little is sent again by the stream', async () => {
    const sns = { send: async () => ({ Successful: [{}] }) } as unknown as SNSClient;
    await expect(sendBatch({ ...open([]).topic, sns }, messages)).rejects.toThrow('topic.answer-is-complete');
  });

  it('is not tried again when the run’s time is up', async () => {
    const { topic, sent, waits } = open([[failed('1')]], 1);
    expect(await sendBatch(topic, messages)).toEqual({ failed: [1] });
    expect([sent.length, waits]).toEqual([1, []]);
    const late = open([[]], 0);
    expect(await sendBatch(late.topic, messages)).toEqual({ failed: [] });
  });

  it('for which the request fails throws what the SDK throws', async () => {
    const { topic, sent } = open([new Error('throttled')]);
    await expect(sendBatch(topic, messages)).rejects.toThrow('throttled');
    expect(sent).toHaveLength(1);
  });
});

describe('a batch that SNS refuses whole', () => {
  it('is sent message by message, in order; those that are refused alone too are at fault', async () => {
    const { topic, sent, refused } = open([refusal, [], refusal, []]);
    expect(await sendBatch(topic, messages)).toEqual({ failed: [] });
    expect(sent).toEqual([request(0, 1, 2), alone(0), alone(1), alone(2)]);
    expect(refused).toEqual([[1, 'InvalidParameterException: no']]);
  });

  it('names the place of a message that SNS finds at fault in an answer, too', async () => {
    const fault = failed('0', { SenderFault: true, Code: 'InvalidParameter' });
    const { topic, refused } = open([refusal, [], [fault], []]);
    expect(await sendBatch(topic, messages)).toEqual({ failed: [] });
    expect(refused).toEqual([[1, 'InvalidParameter']]);
  });

  it('ends at the first message that is not taken now', async () => {
    const { topic, sent } = open([refusal, [], [failed('0')]]);
    expect(await sendBatch(topic, messages)).toEqual({ failed: [1], untried: 2 });
    expect(sent).toHaveLength(1 + 1 + 5);
  });

  it('ends at the first message for which no time is left, but tries one', async () => {
    const { topic, sent } = open([refusal, []], 0);
    expect(await sendBatch(topic, messages)).toEqual({ failed: [], untried: 1 });
    expect(sent).toHaveLength(2);
  });
});

const error = (name: string, { message = 'no', $fault = 'client' as 'client' | 'server' } = {}) =>
  new SNSServiceException({ name, message, $fault, $metadata: {} });
it.each<[boolean, unknown]>([
  // As SNS and as the SDK name it.
  [true, error('InvalidParameter')],
  [true, error('InvalidParameterValueException')],
  [true, error('ParameterValueInvalid')],
  [true, error('ValidationError')],
  [true, error('ValidationException')],
  [true, error('BatchRequestTooLongException')],
  [false, error('Throttled')],
  [false, error('NotFound')],
  [false, error('KMSInvalidParameter')],
  [false, error('InvalidParameterLater')],
  // About all messages alike, or about SNS.
  [false, error('InvalidParameter', { message: 'Invalid parameter: TopicArn' })],
  [false, error('InvalidParameter', { $fault: 'server' })],
  [false, Object.assign(new Error('no'), { name: 'InvalidParameter', $fault: 'client' })],
  [false, undefined],
])('a refusal of the contents of a request is %s of %o', (expected, of) => {
  expect(isRefusal(of)).toBe(expected);
});

describe('batches', () => {
  const KB = 1024;
  const items = (...sizes: number[]) =>
    sizes.map((size, index) => ({ index, message: { Message: 'x'.repeat(size), MessageAttributes: {} } }));
  it.each([
    [Array<number>(11).fill(1), [10, 1]],
    [[200 * KB, 56 * KB], [2]],
    [
      [200 * KB, 56 * KB + 1],
      [1, 1],
    ],
    [
      [1, 200 * KB, 100 * KB, 156 * KB, 1],
      [2, 2, 1],
    ],
  ])('hold 10 messages and 256 KB, and not one message or byte more: %j', (sizes, expected) => {
    expect(batchesOf(items(...sizes)).map(batch => batch.length)).toEqual(expected);
  });

  it('hold everything once and in order', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 230_000 }), { maxLength: 40 }), sizes => {
        const given = items(...sizes);
        const batches = batchesOf(given);
        expect(batches.flat()).toEqual(given);
        for (const batch of batches)
          expect(batch.reduce((sum, { message }) => sum + bytesOf(message), 0)).toBeLessThanOrEqual(256 * KB);
      }),
      { numRuns: 50 },
    );
  });
});
