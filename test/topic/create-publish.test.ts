import type { PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALL_TIMEOUTS, maxCallMs } from '../../functions/aws/clients.ts';
import { createPublish, MARGIN_MS } from '../../functions/handlers/create-publish.ts';
import { eraseEvent } from '../../functions/model/erase.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { AT, eventsOf as events, keysOf, record } from '../kit/topic/records.ts';
import { TopicModel } from '../simulation/models/topic.ts';

/** A publisher to the model of SNS: of each call, an error that is thrown, or the entries that fail or are refused. */
function open(
  answers: readonly (Error | { failing?: readonly string[]; refused?: readonly string[] } | undefined)[] = [],
  left: readonly number[] = [],
) {
  const topic = new TopicModel({ arn: 'arn:aws:sns:eu-west-1:1:events' });
  const taken: string[] = [];
  topic.subscribe(({ body }) => taken.push(JSON.parse(body).id));
  let calls = 0;
  const send = async ({ input }: PublishBatchCommand) => {
    const answer = answers[calls++];
    if (answer instanceof Error) throw answer;
    return topic.publishBatch(input, new Set(answer?.failing), new Set(answer?.refused));
  };
  const rejected: Parameters<Parameters<typeof createPublish>[0]['reject']>[0][] = [];
  const said: [string, string, object][] = [];
  const lines: object[] = [];
  const say = (level: string) => (text: string, details: object) => void said.push([level, text, details]);
  const publish = createPublish({
    sns: { send } as unknown as SNSClient,
    topicArn: topic.arn,
    sleep: async () => {},
    random: () => 1,
    reject: async entry => void rejected.push(entry),
    log: {
      info: (message, details) => void lines.push({ message, ...details }),
      warn: say('warn'),
      error: say('error'),
    },
  });
  const times = [...left];
  const context = { getRemainingTimeInMillis: () => times.shift() ?? Number.POSITIVE_INFINITY };
  const run = (...Records: DynamoDBRecord[]) => publish({ Records }, context);
  return { run, taken, rejected, said, lines };
}
const failure = (itemIdentifier: string) => ({ batchItemFailures: [{ itemIdentifier }] });
const line = (ids: readonly string[], again?: object) => ({
  ...{ code: 'publish.batch-ended', message: 'Publish batch ended.', events: ids },
  ...(again && { again }),
});
const idsOf = (some: readonly ChangeEvent[]) => some.map(({ id }) => id);

describe('a run of the publisher', () => {
  it('invariant 1: sends every event of every change record, in order, and says which', async () => {
    const { run, taken, said, lines, rejected } = open();
    const [first, second] = [events(AT, 14), events(AT + 1, 3)];
    expect(await run(record('1', first), record('2', second))).toEqual({ batchItemFailures: [] });
    expect(taken).toEqual(idsOf([...first, ...second]));
    expect([said, rejected]).toEqual([[], []]);
    expect(lines).toEqual([line(taken)]);
  });

  it('passes over events whose contents were erased', async () => {
    const { run, taken } = open();
    const [erased, sent] = events(AT, 2) as [ChangeEvent, ChangeEvent];
    await run(record('1', [eraseEvent(erased), sent]));
    expect(taken).toEqual([sent.id]);
  });

  it('passes over all that is no inserted change record', async () => {
    const { run, taken, lines } = open();
    const change = record('1', events(AT, 1));
    const others = [
      { ...change, eventName: 'REMOVE' as const },
      { ...change, dynamodb: { ...change.dynamodb, Keys: { pk: { S: 'x' }, sk: { S: 'PROJECT#1' } } } },
      { ...change, dynamodb: { ...change.dynamodb, Keys: { sk: { N: '1' } } } },
      { ...change, dynamodb: { ...change.dynamodb, Keys: {} } },
      { ...change, dynamodb: {} },
      { eventName: 'INSERT' as const },
    ];
    expect(await run(...others)).toEqual({ batchItemFailures: [] });
    expect([taken, lines]).toEqual([[], []]);
  });

  it('invariant 1: stops at the first record that SNS does not take, and says which', async () => {
    const stubborn = Array(5).fill({ failing: ['1', '2'] });
    const { run, taken, said, lines } = open(stubborn);
    const [first, second, third] = [events(AT, 1), events(AT + 1, 1), events(AT + 2, 1)];
    const given = [record('1', first), record('2', second), record('3', third)];
    expect(await run(...given)).toEqual(failure('2'));
    expect(taken).toEqual(idsOf(first));
    const unsent = { code: 'publish.unsent', itemIdentifier: '2', id: second[0]?.id };
    expect(said).toEqual([['warn', 'SNS did not accept events; the stream sends them again.', unsent]]);
    // The stream never sends again what SNS took of the records before.
    expect(lines).toEqual([line(idsOf(first), { itemIdentifier: '2', id: second[0]?.id })]);
  });

  it('invariant 1: stops at the first record of a batch for which the whole request fails, and tells the error', async () => {
    const { run, taken, said, lines } = open([undefined, new Error('throttled')]);
    const [first, second] = [events(AT, 10), events(AT + 1, 2)];
    expect(await run(record('1', first), record('2', second))).toEqual(failure('2'));
    expect(taken).toEqual(idsOf(first));
    const failed = { code: 'publish.failed', error: 'Error: throttled' };
    expect(said).toEqual([
      ['error', 'Could not publish a batch; the stream sends it again.', failed],
      ['warn', expect.any(String), { code: 'publish.unsent', itemIdentifier: '2', id: second[0]?.id }],
    ]);
    expect(lines).toMatchObject([line(taken)]);
  });

  it('invariant 1: sets aside what SNS will never take, whole, with keys and reason, and goes on', async () => {
    const { run, taken, rejected, said, lines } = open([{ refused: ['1'] }]);
    const given = events(AT, 3);
    expect(await run(record('1', given))).toEqual({ batchItemFailures: [] });
    expect(taken).toEqual([given[0]?.id, given[2]?.id]);
    const reason = 'InvalidParameter: Invalid parameter';
    expect(rejected).toEqual([{ reason, ...keysOf('1'), event: given[1] }]);
    const text = 'Could not publish an event; moved to the queue of rejected events.';
    const details = { code: 'publish.rejected', reason, sk: keysOf('1').sk, id: given[1]?.id };
    expect(said).toEqual([['error', text, details]]);
    expect(lines).toEqual([line(taken)]);
  });

  it('sets aside a record that nobody can read, and goes on with those behind it', async () => {
    const { run, taken, rejected, said } = open();
    const given = events(AT, 1);
    const broken = record('1', new Uint8Array([1, 2, 3]));
    const without = { ...broken, dynamodb: { ...broken.dynamodb, NewImage: {} } };
    expect(await run(broken, without, record('2', given))).toEqual({ batchItemFailures: [] });
    expect(taken).toEqual(idsOf(given));
    const reason = expect.stringMatching(/^Unreadable change record: \w*Error/);
    expect(rejected).toEqual(Array(2).fill({ reason, ...keysOf('1') }));
    expect(said).toMatchObject([
      ['error', expect.any(String), { sk: keysOf('1').sk, id: undefined }],
      ['error', expect.any(String), {}],
    ]);
  });
});

describe('the line of a run', () => {
  it('has 200 ids at most, and further lines the others', async () => {
    const { run, taken, lines } = open();
    await run(record('1', events(AT, 401)));
    expect(lines).toEqual([line(taken.slice(0, 200)), line(taken.slice(200, 400)), line(taken.slice(400))]);
  });

  it('of a batch that is sent message by message has none after the one that failed', async () => {
    const [first, second] = [events(AT, 1), events(AT + 1, 1)];
    const { run, taken, lines } = open([undefined, undefined, ...Array(5).fill({ failing: ['0'] })]);
    const given = [record('1', first), record('2', second), record('3', events(AT + 2, 1, ''))];
    expect(await run(...given)).toEqual(failure('2'));
    expect(taken).toEqual(idsOf(first));
    expect(lines).toMatchObject([line(taken)]);
  });

  it('invariant 10: holds nothing of an event but its id', async () => {
    const { run, lines } = open();
    const [event] = events(AT, 1);
    await run(record('1', [{ ...event, data: { ...event?.data, note: 'hush' } } as unknown as ChangeEvent]));
    expect(JSON.stringify(lines)).not.toContain('hush');
  });
});

describe('the time of a run', () => {
  it('is kept free at its end for three calls with all their tries', () => {
    expect(MARGIN_MS).toBe(3 * maxCallMs(CALL_TIMEOUTS.publish));
  });

  it.each([
    [MARGIN_MS, { batchItemFailures: [] }, 12],
    [MARGIN_MS - 1, failure('2'), 10],
  ])('with %i ms left behind its first batch ends as it must', async (left, answer, count) => {
    // Asked before the second record is read, and before the second batch is sent.
    const { run, taken, said, lines } = open([], [MARGIN_MS, left]);
    const given = [record('1', events(AT, 10)), record('2', events(AT + 1, 2))];
    expect(await run(...given)).toEqual(answer);
    expect([taken.length, said]).toEqual([count, []]);
    expect(lines).toMatchObject([line(taken)]);
  });

  it('that is up while records are read leaves the rest, which is no failure', async () => {
    const { run, taken, said, lines } = open([], [MARGIN_MS - 1]);
    expect(await run(record('1', events(AT, 1)), record('2', events(AT + 1, 1)))).toEqual(failure('2'));
    expect(taken).toHaveLength(1);
    expect([said, lines]).toEqual([[], [line(taken, { itemIdentifier: '2', id: undefined })]]);
  });

  it.each([
    ['time is up before its second batch', [], [MARGIN_MS, MARGIN_MS - 1, MARGIN_MS - 1]],
    ['SNS fails', [undefined, new Error('throttled')], [MARGIN_MS, MARGIN_MS - 1]],
  ])('invariant 1: that is up at a read, and %s: the first unsent one is named', async (_, answers, left) => {
    const { run, taken } = open(answers, left);
    const given = [
      record('1', events(AT, 10)),
      record('2', events(AT + 1, 2)),
      record('3', events(AT + 2, 1)),
    ];
    expect(await run(...given)).toEqual(failure('2'));
    expect(taken).toHaveLength(10);
  });

  it('that is up among records that cannot be read leaves the rest: each takes a call', async () => {
    const { run, rejected } = open([], [MARGIN_MS, MARGIN_MS - 1]);
    const broken = ['1', '2', '3'].map(sequence => record(sequence, new Uint8Array([1])));
    expect(await run(...broken)).toEqual(failure('3'));
    expect(rejected).toHaveLength(2);
  });

  it('that is up among the messages of a refused batch names the first that was not tried', async () => {
    const second = events(AT + 2, 1);
    const { run, taken, said, lines } = open([], [MARGIN_MS, MARGIN_MS, MARGIN_MS, MARGIN_MS - 1]);
    const given = [record('1', events(AT, 1)), record('2', events(AT + 1, 1, '')), record('3', second)];
    expect(await run(...given)).toEqual(failure('3'));
    expect(lines).toEqual([line(taken, { itemIdentifier: '3', id: second[0]?.id })]);
    // Nothing failed: only the refused message is told.
    expect(said.map(([level]) => level)).toEqual(['error']);
  });

  /** Records of up to 25 events, some of which SNS refuses, and the number of all others. */
  const mixed = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 25 }), fc.boolean()), { minLength: 1, maxLength: 12 })
    .map(sizes => {
      const isRefused = (index: number) => sizes[index]?.[1] === true && (sizes[index]?.[0] ?? 0) < 3;
      return {
        all: sizes.map(([count], index) =>
          record(String(index), events(AT + index, count, isRefused(index) ? '' : 'p1')),
        ),
        good: sizes.reduce((sum, [count], index) => sum + (isRefused(index) ? 0 : count), 0),
      };
    });
  const BUDGET_MS = 120_000;

  it('is never exceeded, and runs lose nothing together, however slow each call is', async () => {
    const slow = fc.integer({ min: 0, max: maxCallMs(CALL_TIMEOUTS.publish) });
    await fc.assert(
      fc.asyncProperty(mixed, slow, async ({ all, good }, callMs) => {
        const sent = new Set<string>();
        let now = 0;
        const topic = new TopicModel({ arn: 'arn' });
        topic.subscribe(({ body }) => sent.add(JSON.parse(body).id));
        const silent = { info: () => {}, warn: () => {}, error: () => {} };
        const send = async ({ input }: PublishBatchCommand) => {
          now += callMs;
          return topic.publishBatch(input);
        };
        const publish = createPublish({
          ...{ sns: { send } as unknown as SNSClient, topicArn: 'arn', random: () => 1, log: silent },
          sleep: async ms => {
            now += ms;
          },
          reject: async () => {
            now += callMs;
          },
        });
        let left = all;
        for (let runs = 0; left.length > 0 && runs < all.length; runs++) {
          now = 0;
          const context = { getRemainingTimeInMillis: () => BUDGET_MS - now };
          const [stop] = (await publish({ Records: left }, context)).batchItemFailures;
          expect(now).toBeLessThanOrEqual(BUDGET_MS);
          const next = left.findIndex(each => each.dynamodb?.SequenceNumber === stop?.itemIdentifier);
          left = stop ? left.slice(next) : [];
        }
        // A record that takes longer than a run begins with itself again.
        if (callMs <= 2_000) expect([left.length, sent.size]).toEqual([0, good]);
      }),
      { numRuns: 200 },
    );
  });
});
