import {
  PublishBatchCommand,
  type PublishBatchCommandInput,
  type PublishBatchCommandOutput,
  type SNSClient,
} from '@aws-sdk/client-sns';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { type createPublish, MARGIN_MS, type Publish } from '../../functions/handlers/create-publish.ts';
import { messageOf } from '../../functions/topic/send-batch.ts';
import { LambdaProcess } from './lambda-process.ts';
import { failingWith, type Life } from './life.ts';
import { StreamSource } from './models/event-source.ts';
import { TopicModel } from './models/topic.ts';
import { refusals } from './models/topic-errors.ts';
import { eventsOf, PublishingOracle } from './oracle/publishing.ts';
import { Violation } from './oracle/violation.ts';
import { isAmong, isDuring, type PartlyPublished } from './plan/faults.ts';
import type { Shared } from './shared.ts';

type Rejected = Parameters<Parameters<typeof createPublish>[0]['reject']>[0];

const TOPIC = 'arn:aws:sns:eu-west-1:000000000000:changewire';
const TIMEOUT_MS = 120_000;
/** The share of runs, from 0 to 1, that have little time, so that they end after a record, a call or a
 *  few. */
const SHORT_RUNS = 0.2;

/** The stream, the publish function and the topic. */
export class Publisher {
  readonly topic = new TopicModel({ arn: TOPIC });
  readonly #shared: Shared;
  readonly #source: StreamSource;
  readonly #process: LambdaProcess;
  #publish: Publish | undefined;
  #isPaused = false;
  #watch = new PublishingOracle([]);
  /** The entries that failed in the last run, and how often in this one. */
  #failedBefore = new Set<string>();
  #failures = new Map<string, number>();
  /** Events that SNS always refuses: they wait for an operator. */
  readonly #rejected: Rejected[] = [];
  /** The events that the topic takes in no try. */
  readonly #refused = new Set<string>();

  constructor(shared: Shared) {
    this.#shared = shared;
    this.#process = new LambdaProcess(shared, 'publish', life => {
      this.#publish = this.#publishIn(life);
    });
    this.#source = new StreamSource({
      records: shared.shard,
      batchSize: shared.plan.streamBatch,
      handler: event => this.#invoke(event),
    });
  }

  get isIdle(): boolean {
    return !this.#process.isRunning && this.#source.pending === 0;
  }

  /** No run begins until it goes on. */
  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.wake();
  }

  /** The table's stream ends here, and another one begins. @returns the ids of events that are lost with
   *  it */
  cut(): string[] {
    this.#process.kill();
    return this.#source.cut().flatMap(record => eventsOf(record).map(({ id }) => id));
  }

  /** To be called when the stream may have grown. */
  wake(): void {
    if (this.isIdle || this.#process.isRunning || this.#isPaused) return;
    this.#process.runAfter(50 + this.#shared.random() * 400, () => this.#run());
  }

  async #run(): Promise<void> {
    const { plan, nature, coverage, random } = this.#shared;
    const run = this.#process.runs;
    const again = plan.streamAgain.find(each => each.run === run);
    if (again && nature.faulty && this.#source.position > 0) {
      this.#source.stepBack(again.records);
      coverage.add('stream', 'records twice');
    }
    const limit = () =>
      nature.faulty && random() < SHORT_RUNS ? MARGIN_MS - 200 + random() * 600 : TIMEOUT_MS;
    await this.#process.run(plan.publisher[run] ?? [], limit, () => this.#source.run());
    this.wake();
  }

  #publishIn(life: Life): Publish {
    const { random, log } = this.#shared;
    return life.release.createPublish({
      sns: { send: (command: object) => this.#send(life, command) } as unknown as SNSClient,
      topicArn: TOPIC,
      sleep: (ms, signal) => life.sleep(ms, signal),
      random,
      reject: rejected => this.#failedQueues(life, rejected),
      log,
    });
  }

  async #invoke(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
    if (!this.#publish) throw new Error('the publisher was not started');
    const watch = new PublishingOracle(event.Records);
    this.#watch = watch;
    this.#failedBefore = new Set(this.#failures.keys());
    this.#failures = new Map();
    const getRemainingTimeInMillis = () => this.#process.left;
    const answer = await this.#publish(event, { getRemainingTimeInMillis });
    if (answer.batchItemFailures.length > 0 && getRemainingTimeInMillis() < MARGIN_MS)
      this.#shared.coverage.add('publisher', 'out of time');
    this.#shared.judge(() => watch.ends(answer));
    return answer;
  }

  async #send(life: Life, command: object) {
    if (!(command instanceof PublishBatchCommand)) throw new Error('the topic knows PublishBatch alone');
    const { input } = command;
    const watch = this.#watch;
    this.#shared.judge(() => watch.sends(entriesOf(input).map(({ event }) => event)));
    try {
      const answer = await life.call(
        'topic.publish',
        () => this.#partly(input),
        (work, fault) => {
          if (fault === 'some-fail') return this.topic.publishBatch(input, this.#someOf(input));
          return failing(work, fault);
        },
      );
      const taken = new Set(answer.Successful?.map(({ Id }) => Id));
      for (const { id, event } of entriesOf(input)) if (taken.has(id)) watch.settled(event);
      return answer;
    } catch (error) {
      watch.failed();
      throw error;
    }
  }

  /** Publishes the entries that the plan does not let fail. */
  #partly(input: PublishBatchCommandInput): PublishBatchCommandOutput {
    const { plan, nature } = this.#shared;
    const now = nature.faulty
      ? plan.partly.publish.filter(partly => isDuring(partly, this.#process.runs - 1))
      : [];
    const struck = (how: PartlyPublished['how']) =>
      entriesOf(input).filter(({ event }) => now.some(one => one.how === how && isAmong(one, event)));
    const [failed, refused, malformed] = [struck('failed'), struck('refused'), struck('malformed')];
    for (const { event } of [...refused, ...malformed]) this.#refused.add(event);
    if (malformed.length > 0) {
      this.#shared.coverage.add('topic.entries', 'malformed', malformed.length);
      throw refusals.badMessage('Invalid parameter: Message');
    }
    const answer = this.topic.publishBatch(input, idsOf(failed), idsOf(refused));
    if (failed.length + refused.length > 0) this.#count(failed, refused);
    return answer;
  }

  #count(failed: readonly Entry[], refused: readonly Entry[]): void {
    const { coverage } = this.#shared;
    if (refused.length > 0) coverage.add('topic.entries', 'refused', refused.length);
    if (failed.length === 0) return;
    coverage.add('topic.entries', 'failed', failed.length);
    if (refused.length > 0) coverage.add('topic.entries', 'failed beside refused');
    if (failed.some(({ event }) => this.#watch.isBehindTen(event)))
      coverage.add('topic.entries', 'failed behind the first ten');
    const records = this.#watch.recordsOf(failed.map(({ event }) => event));
    if (records > 1) coverage.add('topic.entries', 'failed of several records');
    for (const { event } of failed) {
      const times = (this.#failures.get(event) ?? 0) + 1;
      this.#failures.set(event, times);
      if (times === 5) coverage.add('topic.entries', 'failed in all tries');
      if (times === 1 && this.#failedBefore.has(event))
        coverage.add('topic.entries', 'failed in the next run, too');
    }
  }

  /** Some of the entries, at least one. */
  #someOf(input: PublishBatchCommandInput): Set<string> {
    const { random } = this.#shared;
    const entries = entriesOf(input);
    const one = entries[Math.floor(random() * entries.length)]?.id ?? '';
    const part = random();
    return new Set([one, ...entries.filter(() => random() < part).map(({ id }) => id)]);
  }

  async #failedQueues(life: Life, rejected: Rejected): Promise<void> {
    const watch = this.#watch;
    this.#shared.judge(() => {
      if (rejected.event && !this.#refused.has(rejected.event.id))
        throw new Violation(1, `${rejected.event.id} is set aside, though the topic may take it later`);
    });
    const keep = () => void this.#rejected.push(rejected);
    try {
      await life.call('queue.rejected', keep, failing);
      if (rejected.event) watch.settled(rejected.event.id);
    } catch (error) {
      watch.failed();
      throw error;
    }
  }

  /** Sends the rejected events as the runbook says, once the topic takes them. */
  sendRejected(): void {
    for (const { event } of this.#rejected.splice(0))
      if (event)
        this.topic.publishBatch({
          TopicArn: TOPIC,
          PublishBatchRequestEntries: [{ Id: '0', ...messageOf(event) }],
        });
  }
}

interface Entry {
  readonly id: string;
  /** The event's id. */
  readonly event: string;
}

const entriesByInput = new WeakMap<PublishBatchCommandInput, Entry[]>();

function entriesOf(input: PublishBatchCommandInput): Entry[] {
  const entries =
    entriesByInput.get(input) ??
    (input.PublishBatchRequestEntries ?? []).map(({ Id = '', Message = '{}' }) => ({
      id: Id,
      event: (JSON.parse(Message) as { id: string }).id,
    }));
  entriesByInput.set(input, entries);
  return entries;
}

function idsOf(entries: readonly Entry[]): Set<string> {
  return new Set(entries.map(({ id }) => id));
}

const failing = failingWith(() => Object.assign(new Error('Throttled'), { name: 'RequestThrottled' }));
