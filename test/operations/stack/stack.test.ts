import type { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { InvokeCommand } from '@aws-sdk/client-lambda';
import { PurgeQueueInProgress } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import { handler } from '../../../functions/operate.ts';
import { Refused } from '../../../functions/operations/refused.ts';
import {
  cloudWatchLogs,
  failedMessageOf,
  failedQueue,
  logEntryOf,
  publishAgain,
  retryUnsettled,
} from '../../../functions/operations/stack/stack.ts';

const AT = Date.parse('2026-03-04T05:06:07Z');
const ISO = '2026-03-04T05:06:07.000Z';
const SentTimestamp = String(AT);
const groups = { poll: 'the poll logs' } as unknown as Parameters<typeof cloudWatchLogs>[1];
const stretch = { function: 'poll', since: AT, until: AT + 1000, all: false } as const;

describe('the log of a function', () => {
  test('is asked for warnings, errors and runs that Lambda ended, unless everything is wanted', async () => {
    const asked: FilterLogEventsCommand['input'][] = [];
    const client = {
      send: async ({ input }: FilterLogEventsCommand) => {
        asked.push(input);
        const message = JSON.stringify({ level: 'WARN', message: 'Late.', process: 'p' });
        return { events: [{ timestamp: AT, message }], nextToken: 'next' };
      },
    } as never;
    const logs = cloudWatchLogs(client, groups);
    const page = await logs({ ...stretch, position: 'here' }, 7);
    await logs({ ...stretch, all: true }, 7);
    const entry = { at: ISO, level: 'warn', message: 'Late.', details: { process: 'p' } };
    expect(page).toEqual({ entries: [entry], position: 'next' });
    expect(asked).toMatchObject([
      { logGroupName: 'the poll logs', startTime: AT, endTime: AT + 1000, limit: 7, nextToken: 'here' },
      { logGroupName: 'the poll logs' },
    ]);
    for (const what of ['"WARN"', '"ERROR"', '"timeout"']) expect(asked[0]?.filterPattern).toContain(what);
    expect(asked[1]).not.toHaveProperty('filterPattern');
  });

  test.each([
    [
      'a line of ours, without what stands in each',
      JSON.stringify({
        ...{ level: 'ERROR', message: 'Failed.', service: 'changewire', timestamp: 'x', function_arn: 'y' },
        ...{ cold_start: true, error: 'it broke' },
      }),
      { level: 'error', message: 'Failed.', details: { error: 'it broke' } },
    ],
    [
      'what the runtime says of an error that nobody caught',
      JSON.stringify({
        ...{ level: 'ERROR', requestId: 'r', message: { errorMessage: 'oh', errorType: 'TypeError' } },
      }),
      { level: 'error', message: 'oh', details: { errorType: 'TypeError' } },
    ],
    [
      'a run that was killed',
      JSON.stringify({ type: 'platform.report', record: { status: 'timeout', requestId: 'r' } }),
      { level: 'error', message: 'Lambda ended a run: timeout.', details: { requestId: 'r' } },
    ],
    ['a run that went well', JSON.stringify({ type: 'platform.report', record: {} }), { level: 'info' }],
    [
      'a text',
      'REPORT RequestId: r Status: timeout\n',
      { level: 'info', message: 'REPORT RequestId: r Status: timeout' },
    ],
    ['a text of a killed run', '2026 r Task timed out after 3.00 seconds', { level: 'error' }],
    ['JSON that is no line of a log', '[1]', { level: 'info', message: '[1]' }],
    ['a level that nobody knows', JSON.stringify({ level: 'LOUD', message: 'x' }), { level: 'info' }],
    ['no message', JSON.stringify({ level: 'ERROR', message: null }), { level: 'error' }],
  ])('is read: %s', (_name, line, entry) => {
    expect(logEntryOf(line, AT)).toMatchObject([{ at: ISO, ...entry }]);
  });

  test('leaves out lines that only carry metrics', () => {
    expect(logEntryOf('{"_aws":{"Timestamp":1},"EventsPublished":1}', AT)).toEqual([]);
  });
});

describe('what was set aside', () => {
  const message = (body: object, Attributes: object = {}, attributes: Record<string, string> = {}) => ({
    Body: JSON.stringify(body),
    Attributes: { SentTimestamp, ...Attributes },
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
    ),
  });

  test.each([
    [
      'rejected' as const,
      message({
        ...{ reason: 'too long', pk: 'W#eu#P#p', sk: `CHANGE#${AT}#x#1` },
        event: { id: 'e', type: 't', data: {} },
      }),
      'too long',
      { event: 'e', type: 't', committed: ISO, journal: 'W#eu#P#p' },
    ],
    [
      'unpublished' as const,
      message({
        requestContext: { condition: 'RetriesExhausted' },
        DDBStreamBatchInfo: {
          ...{ approximateArrivalOfFirstRecord: 'a', approximateArrivalOfLastRecord: 'b', batchSize: 3 },
        },
      }),
      'RetriesExhausted',
      { from: 'a', to: 'b', records: '3' },
    ],
    [
      'unstarted' as const,
      message(
        { workspace: 'eu', processId: 'p', mode: 'sweep' },
        {},
        { ERROR_CODE: 'E', ERROR_MESSAGE: 'why' },
      ),
      'E: why',
      { function: 'poll', workspace: 'eu', process: 'p', mode: 'sweep' },
    ],
    ['unstarted' as const, message({}), undefined, { function: 'tick' }],
    [
      'unsettled' as const,
      message(
        { id: 'e', type: 't' },
        { MessageGroupId: 'shop', DeadLetterQueueSourceArn: 'arn:aws:sqs:r:1:Deliveries' },
      ),
      undefined,
      { event: 'e', type: 't', endpoint: 'shop', from: 'Deliveries' },
    ],
    [
      'unsettled' as const,
      { Body: 'no JSON', Attributes: { SentTimestamp } },
      undefined,
      { from: 'the topic' },
    ],
    [
      'unsettled' as const,
      message({ odd: 1 }, {}, { reason: 'the message is not valid JSON', source: 'Events' }),
      'the message is not valid JSON',
      { from: 'Events' },
    ],
  ])('is told in the words of its queue: %s', (queue, sent, reason, about) => {
    const told = failedMessageOf(queue, sent as never);
    expect(told).toMatchObject({ at: ISO, about });
    expect(told.reason).toBe(reason);
  });

  test('is counted, what is in flight with it, and looked at without being hidden from others', async () => {
    const asked: { VisibilityTimeout?: number }[] = [];
    const client = {
      send: async (command: { input: object }) => {
        asked.push(command.input);
        return command.constructor.name === 'GetQueueAttributesCommand'
          ? { Attributes: { ApproximateNumberOfMessages: '3', ApproximateNumberOfMessagesNotVisible: '2' } }
          : { Messages: [message({ reason: 'x' })] };
      },
    } as never;
    const queue = failedQueue(client, 'rejected', 'https://queue');
    expect(await queue.count()).toBe(5);
    expect(await queue.peek()).toMatchObject([{ reason: 'x' }]);
    expect(asked[1]).toMatchObject({ VisibilityTimeout: 0 });
  });

  test('that is being thrown away already is refused in words', async () => {
    const client = {
      send: () => Promise.reject(new PurgeQueueInProgress({ message: '', $metadata: {} })),
    } as never;
    await expect(failedQueue(client, 'rejected', 'https://queue').clear()).rejects.toThrow(Refused);
  });
});

describe('what no run could settle', () => {
  test('goes back to where it came from, as it was, and leaves only then', async () => {
    const steps: object[] = [];
    const queue = [
      {
        ...{ Body: 'one', ReceiptHandle: 'r1' },
        Attributes: {
          DeadLetterQueueSourceArn: 'arn:aws:sqs:r:1:Chat',
          MessageGroupId: 'shop',
          SentTimestamp,
        },
        MessageAttributes: { endpoint: { DataType: 'String', StringValue: 'shop' } },
      },
      { Body: 'two', ReceiptHandle: 'r2', Attributes: {} },
      {
        ...{ Body: 'three', ReceiptHandle: 'r3', Attributes: { SentTimestamp } },
        MessageAttributes: {
          source: { DataType: 'String', StringValue: 'Passes' },
          sentAt: { StringValue: '1' },
        },
      },
    ];
    const client = {
      send: async (command: { input: object }) => {
        if (command.constructor.name === 'ReceiveMessageCommand') return { Messages: queue.splice(0, 1) };
        steps.push(command.input);
        return {};
      },
    } as never;
    const sources = ['https://sqs/1/Events', 'https://sqs/1/Passes', 'https://sqs/1/Chat'] as const;
    const unsettled = 'https://sqs/1/Unsettled';
    expect(await retryUnsettled(client, { unsettled, sources, now: AT })).toBe(3);
    expect(steps).toMatchObject([
      {
        ...{ QueueUrl: 'https://sqs/1/Chat', MessageBody: 'one', MessageGroupId: 'shop' },
        MessageAttributes: { endpoint: { StringValue: 'shop' }, sentAt: { StringValue: SentTimestamp } },
      },
      { QueueUrl: 'https://sqs/1/Unsettled', ReceiptHandle: 'r1' },
      // SNS could not put it into the first of the queues.
      { QueueUrl: 'https://sqs/1/Events', MessageBody: 'two' },
      { QueueUrl: 'https://sqs/1/Unsettled', ReceiptHandle: 'r2' },
      {
        ...{ QueueUrl: 'https://sqs/1/Passes', MessageBody: 'three' },
        MessageAttributes: { sentAt: { StringValue: '1' } },
      },
      { QueueUrl: 'https://sqs/1/Unsettled', ReceiptHandle: 'r3' },
    ]);
  });

  test('is moved once in a request, also where it comes back at once, and is shown again', async () => {
    const queue = [{ Body: 'no JSON', ReceiptHandle: 'r1', Attributes: { SentTimestamp } }];
    const shown: object[] = [];
    const client = {
      send: async ({ constructor: { name }, input }: { input: object; constructor: { name: string } }) => {
        if (name === 'ReceiveMessageCommand') return { Messages: queue.splice(0) };
        const Attributes = { SentTimestamp: String(AT + 1) };
        if (name === 'SendMessageCommand') queue.push({ Body: 'no JSON', ReceiptHandle: 'r2', Attributes });
        if (name === 'ChangeMessageVisibilityCommand') shown.push(input);
        return {};
      },
    } as never;
    expect(await retryUnsettled(client, { unsettled: 'u', sources: ['e'], now: AT })).toBe(1);
    expect(shown).toEqual([{ QueueUrl: 'u', ReceiptHandle: 'r2', VisibilityTimeout: 0 }]);
  });
});

describe('a function that is invoked', () => {
  function lambda(answer: object) {
    const asked: { FunctionName?: string; InvocationType?: string; payload: unknown }[] = [];
    const client = {
      send: async ({ input: { Payload, ...input } }: InvokeCommand) => {
        asked.push({ ...input, payload: JSON.parse(String(Payload)) } as never);
        return answer;
      },
    } as never;
    return { asked, client };
  }
  const record = (sk: string) => ({ pk: 'W#eu#P#p', sk, at: AT, encoded: Buffer.from('zip'), events: 1 });

  test.each([
    [[], 3],
    [[{ itemIdentifier: '1' }], 1],
    [[{ itemIdentifier: '0' }], 0],
  ])('publishes change records of the stream, and tells how many: %j', async (batchItemFailures, count) => {
    const { asked, client } = lambda({ Payload: Buffer.from(JSON.stringify({ batchItemFailures })) });
    expect(await publishAgain(client, 'publish', ['CHANGE#1', 'CHANGE#2', 'CHANGE#3'].map(record))).toBe(
      count,
    );
    const [{ payload = {} } = {}] = asked;
    expect((payload as { Records: object[] }).Records[1]).toMatchObject({
      eventName: 'INSERT',
      dynamodb: {
        Keys: { pk: { S: 'W#eu#P#p' }, sk: { S: 'CHANGE#2' } },
        NewImage: { events: { B: Buffer.from('zip').toString('base64') } },
        SequenceNumber: '1',
      },
    });
  });

  test('that fails is told of', async () => {
    const { client } = lambda({ FunctionError: 'Unhandled', Payload: Buffer.from('{"errorMessage":"oh"}') });
    await expect(publishAgain(client, 'publish', [record('CHANGE#1')])).rejects.toThrow(/oh/);
  });
});

describe('the operate function', () => {
  test('names what its environment lacks, at its first call and not at import', async () => {
    const context = { invokedFunctionArn: 'arn:aws:lambda:r:1:function:Changewire-operate:look' };
    await expect(handler({}, context)).rejects.toThrow(
      /^Invalid environment of operate\.ts.*UNSETTLED_QUEUE_URL.*Redeploy/s,
    );
  });
});
