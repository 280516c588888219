import type { PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import type { DynamoDBRecord } from 'aws-lambda';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CALL_TIMEOUTS, maxCallMs } from '../../functions/aws/clients.ts';
import { buildEvents } from '../../functions/changes/build-events.ts';
import { createPublish, MARGIN_MS } from '../../functions/handlers/create-publish.ts';
import { encode } from '../../functions/store/codec.ts';
import { addingUp } from '../kit/adding-up.ts';
import { TopicModel } from '../simulation/models/topic.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const observed = { after: AT - 1, before: AT };

/** A change record of `count` events; an empty project id is one that SNS refuses. */
function record(sequence: string, count: number, projectId = `p${sequence}`): DynamoDBRecord {
  const commit = {
    workspace: 'eu',
    processId: 'onboarding',
    projectId,
    projectRecord: { name: 'Acme' },
    version: AT,
    observed: { project: observed, task: observed },
  };
  const changes = Array.from(
    { length: count },
    (_, index) => ({ entity: 'task', action: 'created', id: `t${index}`, record: {}, fields: [] }) as const,
  );
  return {
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: sequence,
      Keys: { pk: { S: 'W#eu#P#onboarding' }, sk: { S: `CHANGE#${AT}#${projectId}#1` } },
      NewImage: { events: { B: Buffer.from(encode(buildEvents(commit, changes))).toString('base64') } },
    },
  };
}

const unreadable: DynamoDBRecord = {
  ...record('0', 1),
  dynamodb: { ...record('0', 1).dynamodb, NewImage: { events: { B: 'AAAA' } } },
};

/** A publisher whose every call takes `callMs` of the `budget`, and waits as long as they are. `failing` entries always fail. */
function timedPublisher(budget: number, callMs: number, failing: readonly string[] = []) {
  const time = { now: 0 };
  const topic = new TopicModel({ arn: 'arn:aws:sns:eu-west-1:1:events' });
  const sent: string[] = [];
  topic.subscribe(({ body }) => sent.push(JSON.parse(body).id));
  const counts: Record<string, number> = {};
  const said: string[] = [];
  const calls: number[] = [];
  const spend = () => {
    calls.push(time.now);
    time.now += callMs;
  };
  const say = (message: string) => void said.push(message);
  const publish = createPublish({
    sns: {
      send: async ({ input }: PublishBatchCommand) => {
        spend();
        return topic.publishBatch(input, new Set(failing));
      },
    } as unknown as SNSClient,
    topicArn: topic.arn,
    sleep: async ms => {
      time.now += ms;
    },
    random: () => 1,
    reject: async () => spend(),
    log: { info: say, warn: say, error: say },
    count: addingUp(counts),
  });
  const context = { getRemainingTimeInMillis: () => budget - time.now };
  const run = (Records: DynamoDBRecord[]) => publish({ Records }, context);
  return { run, sent, counts, said, calls, time };
}

const records = (count: number, events: number) =>
  Array.from({ length: count }, (_, index) => record(String(index + 1), events));

describe('a publisher whose time is running out', () => {
  it('reports the first record that it has not sent, while there is time to', async () => {
    const { run, sent, counts, said, time } = timedPublisher(120_000, 10_000);
    expect(await run(records(100, 10))).toEqual({ batchItemFailures: [{ itemIdentifier: '10' }] });
    expect(time.now).toBe(90_000);
    expect(sent).toHaveLength(90);
    expect(counts).toEqual({ EventsPublished: 90 });
    expect(said).toEqual(['Publish batch ended.']);
  });

  it('reports a record of which only a part was sent', async () => {
    const { run } = timedPublisher(120_000, 50_000);
    expect(await run(records(4, 14))).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
  });

  it('tries the first batch however little time is left, so that each run gets further', async () => {
    const { run, sent } = timedPublisher(1_000, 10);
    expect(await run(records(3, 10))).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
    expect(sent).toHaveLength(10);
  });

  it('does not try again what SNS failed, and calls that no lack of time', async () => {
    const { run, calls, counts, said } = timedPublisher(MARGIN_MS + 100, 60, ['1']);
    expect(await run(records(2, 1))).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
    expect(calls).toHaveLength(2);
    expect(counts).toEqual({ EventsPublished: 1 });
    expect(said).toEqual(['SNS did not accept events; the stream sends them again.', 'Publish batch ended.']);
  });

  it('stops among the messages of a batch that SNS refuses whole', async () => {
    const { run, sent, calls } = timedPublisher(MARGIN_MS + 50, 30);
    const mixed = [record('1', 1), record('2', 1), record('3', 1, '')];
    expect(await run(mixed)).toEqual({ batchItemFailures: [{ itemIdentifier: '2' }] });
    expect([sent.length, calls.length]).toEqual([1, 2]);
  });

  it('stops among records that nobody can read, for setting aside takes calls too', async () => {
    const { run, calls } = timedPublisher(MARGIN_MS + 50, 30);
    const broken = ['1', '2', '3', '4'].map(SequenceNumber => ({
      ...unreadable,
      dynamodb: { ...unreadable.dynamodb, SequenceNumber },
    }));
    expect(await run(broken)).toEqual({ batchItemFailures: [{ itemIdentifier: '3' }] });
    expect(calls).toEqual([0, 30]);
  });

  const sizes = fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 12 });
  const bad = fc.array(fc.boolean(), { minLength: 12, maxLength: 12 });
  /** Records of so many events; those that are bad are refused, as long as they are few. */
  const mixed = fc.tuple(sizes, bad).map(([counts, isBad]) => {
    const isRefused = (index: number) => isBad[index] === true && (counts[index] ?? 0) < 3;
    return {
      all: counts.map((count, index) => record(String(index), count, isRefused(index) ? '' : `p${index}`)),
      good: counts.reduce((sum, count, index) => sum + (isRefused(index) ? 0 : count), 0),
    };
  });

  it('begins nothing that could outlast the run, however slow each call is', async () => {
    const slow = fc.integer({ min: 0, max: maxCallMs(CALL_TIMEOUTS.publish) });
    await fc.assert(
      fc.asyncProperty(mixed, slow, async ({ all }, callMs) => {
        const { run, time } = timedPublisher(120_000, callMs);
        await run(all);
        expect(time.now).toBeLessThanOrEqual(120_000);
      }),
      { numRuns: 200 },
    );
  });

  it('loses nothing over as many runs as it takes, if one record fits into a run', async () => {
    await fc.assert(
      fc.asyncProperty(mixed, fc.integer({ min: 0, max: 2_000 }), async ({ all, good }, callMs) => {
        const sent = new Set<string>();
        for (let runs = 0, left = all; left.length > 0; runs++) {
          expect(runs).toBeLessThan(all.length);
          const { run, sent: now } = timedPublisher(120_000, callMs);
          const [failure] = (await run(left)).batchItemFailures;
          for (const id of now) sent.add(id);
          const next = left.findIndex(each => each.dynamodb?.SequenceNumber === failure?.itemIdentifier);
          left = failure ? left.slice(next) : [];
        }
        expect(sent.size).toBe(good);
      }),
      { numRuns: 100 },
    );
  });
});
