import {
  AuthorizationErrorException,
  InternalErrorException,
  InvalidParameterException,
  KMSAccessDeniedException,
  NotFoundException,
  type PublishBatchCommand,
  type PublishBatchCommandOutput,
  SNSClient,
  SNSServiceException,
  ThrottledException,
  ValidationException,
} from '@aws-sdk/client-sns';
import type { DynamoDBRecord } from 'aws-lambda';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildEvents } from '../../functions/changes/build-events.ts';
import { createPublish, type Rejected } from '../../functions/handlers/create-publish.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { encode } from '../../functions/store/codec.ts';
import { addingUp } from '../kit/adding-up.ts';
import { checkEvents } from '../kit/check-event.ts';
import { type Emulator, type Feed, startEmulator } from '../kit/fauxqs.ts';
import { TopicModel } from '../simulation/models/topic.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const ENDLESS = { getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY };
const observed = { after: AT - 1, before: AT };

/** `count` events of one commit, each about `size` bytes. */
function events(version: number, count: number, size = 10): ChangeEvent[] {
  const commit = {
    workspace: 'eu',
    processId: 'onboarding',
    projectId: 'p1',
    projectRecord: { name: 'Acme' },
    version,
    observed: { project: observed, task: observed },
  };
  const field = {
    field: 'note',
    name: 'Note',
    kind: 'custom',
    type: 'text',
    from: '',
    to: 'x'.repeat(size),
  } as const;
  const change = (id: string) =>
    ({ entity: 'task', action: 'updated', id, record: {}, fields: [field] }) as const;
  return [
    ...checkEvents(
      buildEvents(
        commit,
        Array.from({ length: count }, (_, index) => change(`t${index}`)),
      ),
    ),
  ];
}

function record(sequence: string, of: unknown, more: Partial<DynamoDBRecord> = {}): DynamoDBRecord {
  const bytes = of instanceof Uint8Array ? of : encode(of);
  return {
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: sequence,
      Keys: { pk: { S: 'W#eu#P#onboarding' }, sk: { S: `CHANGE#${AT}#p1#${sequence}` } },
      NewImage: { events: { B: Buffer.from(bytes).toString('base64') } },
    },
    ...more,
  };
}

let emulator: Emulator;
let feed: Feed;
beforeAll(async () => {
  emulator = await startEmulator('events');
});
afterAll(() => emulator?.close());

/** The real SNS client against the embedded SNS; `answers` may change what one call after the other answers. */
function publisher(answers: ((output: PublishBatchCommandOutput) => PublishBatchCommandOutput)[] = []) {
  const sns = new SNSClient({
    endpoint: emulator.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const batches: string[][] = [];
  sns.middlewareStack.add(
    next => async given => {
      const input = given.input as PublishBatchCommand['input'];
      batches.push(
        (input.PublishBatchRequestEntries ?? []).map(({ Message = '' }) => JSON.parse(Message).id),
      );
      const answer = answers.shift();
      const result = await next(given);
      return answer
        ? { ...result, output: answer(result.output as PublishBatchCommandOutput) as never }
        : result;
    },
    { step: 'initialize' },
  );
  const rejected: Rejected[] = [];
  const counts: Record<string, number> = {};
  const waits: number[] = [];
  const silent = { info: () => {}, warn: () => {}, error: () => {} };
  const publish = createPublish({
    sns,
    topicArn: emulator.topicArn,
    sleep: async ms => void waits.push(ms),
    random: () => 1,
    reject: async entry => void rejected.push(entry),
    log: silent,
    count: addingUp(counts),
  });
  return { publish, batches, rejected, counts, waits };
}

/** A publisher to the model, which refuses a batch as a whole as SNS does, and the embedded one does not. `answers` are
 *  thrown, or fail what they name, one call after the other. */
function modelPublisher(answers: readonly (Error | { failing?: readonly string[] } | undefined)[] = []) {
  const topic = new TopicModel({ arn: 'arn:aws:sns:eu-west-1:1:events' });
  const taken: string[] = [];
  topic.subscribe(({ body }) => taken.push(JSON.parse(body).id));
  const batches: string[][] = [];
  const send = async ({ input }: PublishBatchCommand) => {
    const entries = input.PublishBatchRequestEntries ?? [];
    const answer = answers[batches.length];
    batches.push(entries.map(({ Message = '' }) => JSON.parse(Message).id));
    if (answer instanceof Error) throw answer;
    return topic.publishBatch(input, new Set(answer?.failing));
  };
  const rejected: Rejected[] = [];
  const publish = createPublish({
    sns: { send } as unknown as SNSClient,
    topicArn: topic.arn,
    sleep: async () => {},
    random: () => 1,
    reject: async entry => void rejected.push(entry),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    count: () => {},
  });
  return { publish, batches, taken, rejected };
}

/** SNS takes no attribute without a value. */
function malformed(event: ChangeEvent | undefined): ChangeEvent {
  return { ...event, data: { ...event?.data, project: { id: '' } } } as ChangeEvent;
}

const failing = (ids: string[], senderFault: boolean) => (output: PublishBatchCommandOutput) => ({
  ...output,
  Successful: output.Successful?.filter(({ Id }) => !ids.includes(Id ?? '')),
  Failed: ids.map(Id => ({
    Id,
    Code: senderFault ? 'InvalidParameter' : 'InternalError',
    SenderFault: senderFault,
    Message: 'no',
  })),
});

async function received(
  count: number,
): Promise<{ event: ChangeEvent; attributes: Record<string, unknown> }[]> {
  const got = [];
  while (got.length < count) {
    for (const message of await feed.receive(10, AbortSignal.timeout(5_000))) {
      await feed.settle(message);
      got.push({
        event: JSON.parse(message.message) as ChangeEvent,
        attributes: message.attributes as Record<string, unknown>,
      });
    }
  }
  return got;
}

describe('publishing', () => {
  beforeEach(async () => {
    feed = await emulator.openFeed(`feed-${Math.random().toString(36).slice(2)}`);
    return () => feed.close();
  });

  it('sends each event of each change record, as it was committed, with the attributes that filters ask for', async () => {
    const { publish, counts } = publisher();
    const [first, second] = [events(AT, 3), events(AT + 1, 2)];
    expect(await publish({ Records: [record('1', first), record('2', second)] }, ENDLESS)).toEqual({
      batchItemFailures: [],
    });
    const got = await received(5);
    const byId = (left: ChangeEvent, right: ChangeEvent) => (left.id < right.id ? -1 : 1);
    expect(got.map(({ event }) => event).sort(byId)).toEqual([...first, ...second].sort(byId));
    expect(got[0]?.attributes).toEqual({
      eventType: { Type: 'String', Value: 'task.updated' },
      workspace: { Type: 'String', Value: 'eu' },
      processId: { Type: 'String', Value: 'onboarding' },
      projectId: { Type: 'String', Value: 'p1' },
      changedFields: { Type: 'String.Array', Value: '["note"]' },
    });
    expect(counts).toEqual({ EventsPublished: 5 });
  });

  it('invariant 1: sends single entries that SNS failed again, with growing waits, and only those', async () => {
    const { publish, batches, waits } = publisher([failing(['1', '2'], false), failing(['2'], false)]);
    const three = events(AT, 3);
    const ids = three.map(({ id }) => id);
    expect(await publish({ Records: [record('1', three)] }, ENDLESS)).toEqual({ batchItemFailures: [] });
    expect(batches).toEqual([ids, [ids[1], ids[2]], [ids[2]]]);
    expect(waits).toEqual([200, 400]);
  });

  it('invariant 1: reports the first record when SNS cannot be reached', async () => {
    const unreachable = new SNSClient({
      endpoint: 'http://127.0.0.1:1',
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
      maxAttempts: 1,
    });
    const errors: string[] = [];
    const publish = createPublish({
      sns: unreachable,
      topicArn: emulator.topicArn,
      sleep: async () => {},
      random: () => 0,
      reject: async () => {},
      log: { info: () => {}, warn: () => {}, error: message => errors.push(message) },
      count: () => {},
    });
    const Records = [record('7', events(AT, 1))];
    expect(await publish({ Records }, ENDLESS)).toEqual({ batchItemFailures: [{ itemIdentifier: '7' }] });
    expect(errors).toEqual(['Could not publish a batch; the stream sends it again.']);
  });

  it('invariant 3: sends the same bytes when a record comes twice', async () => {
    const { publish } = publisher();
    const Records = [record('1', events(AT, 2))];
    await publish({ Records }, ENDLESS);
    await publish({ Records }, ENDLESS);
    const got = (await received(4)).map(({ event }) => JSON.stringify(event));
    expect(new Set(got).size).toBe(2);
  });
});

describe('a batch that SNS refuses as a whole', () => {
  const [a, b, c] = events(AT, 3) as [ChangeEvent, ChangeEvent, ChangeEvent];
  const [d] = events(AT + 1, 1) as [ChangeEvent];
  const bad = malformed(b);
  const Records = [record('1', [a, bad, c]), record('2', [d])];
  const $metadata = {};

  it('invariant 1: loses only the events that SNS refuses alone too: they are set aside, the others go out in order', async () => {
    const { publish, batches, taken, rejected } = modelPublisher();
    expect(await publish({ Records }, ENDLESS)).toEqual({ batchItemFailures: [] });
    expect(batches).toEqual([[a.id, b.id, c.id, d.id], [a.id], [b.id], [c.id], [d.id]]);
    expect(taken).toEqual([a.id, c.id, d.id]);
    const reason = expect.stringMatching(/^InvalidParameterValueException: .*projectId/);
    expect(rejected).toEqual([{ reason, pk: 'W#eu#P#onboarding', sk: `CHANGE#${AT}#p1#1`, event: bad }]);
  });

  it.each([
    new ValidationException({ message: 'no', Message: 'no', $metadata }),
    // As the SDK tells what it has no class for.
    new SNSServiceException({ name: 'InvalidParameterValue', $fault: 'client', $metadata }),
  ])('goes out whole when each of its events is taken alone ($name)', async refusal => {
    const { publish, taken, rejected } = modelPublisher([refusal]);
    expect(await publish({ Records: [record('1', [a, c])] }, ENDLESS)).toEqual({ batchItemFailures: [] });
    expect([taken, rejected]).toEqual([[a.id, c.id], []]);
  });

  const message = 'no';
  it.each([
    new ThrottledException({ message, $metadata }),
    new AuthorizationErrorException({ message, $metadata }),
    new NotFoundException({ message, $metadata }),
    new KMSAccessDeniedException({ message, $metadata }),
    new InternalErrorException({ message, $metadata }),
    new SNSServiceException({ name: 'ExpiredToken', message, $fault: 'client', $metadata }),
    // It is about every event alike.
    new InvalidParameterException({ message: 'Invalid parameter: TopicArn', $metadata }),
    new TypeError('InvalidParameter'),
  ])('invariant 1: for another reason than its contents ($name) is sent again by the stream', async error => {
    const { publish, batches, rejected } = modelPublisher([error]);
    expect(await publish({ Records }, ENDLESS)).toEqual({ batchItemFailures: [{ itemIdentifier: '1' }] });
    expect([batches.length, rejected]).toEqual([1, []]);
  });
});
