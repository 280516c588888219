import { PublishBatchCommand, type PublishBatchCommandInput, type SNSClient } from '@aws-sdk/client-sns';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { createPublish, MARGIN_MS, type Publish } from '../../functions/create-publish.ts';
import { Life } from './life.ts';
import { StreamSource } from './models/event-source.ts';
import { TopicModel } from './models/topic.ts';
import { Violation } from './oracle/violation.ts';
import type { Shared } from './shared.ts';

const TOPIC = 'arn:aws:sns:eu-west-1:000000000000:changewire';
const TIMEOUT_MS = 120_000;
/** Of 1: how often most of a run's time was taken by something else, so that it ends after a record or a call or some. */
const SHORT_RUNS = 0.2;

/** The stream, the publish function and the topic. */
export class Publisher {
  readonly topic = new TopicModel({ arn: TOPIC });
  readonly #shared: Shared;
  readonly #source: StreamSource;
  #life: Life | undefined;
  #publish: Publish | undefined;
  #deadline = 0;
  #runs = 0;
  #isRunning = false;
  #died: (() => void) | undefined;

  constructor(shared: Shared) {
    this.#shared = shared;
    this.#source = new StreamSource({
      records: shared.shard,
      batchSize: 5,
      handler: event => this.#invoke(event),
    });
  }

  get isIdle(): boolean {
    return !this.#isRunning && this.#source.pending === 0;
  }

  /** To be called when the stream may have grown. */
  wake(): void {
    if (this.isIdle || this.#isRunning) return;
    this.#isRunning = true;
    this.#shared.scheduler.after(50 + this.#shared.random() * 400, () => void this.#run());
  }

  async #run(): Promise<void> {
    const { plan, nature, coverage, scheduler, random, fail } = this.#shared;
    const run = this.#runs++;
    const again = plan.streamAgain.find(each => each.run === run);
    if (again && nature.faulty && this.#source.position > 0) {
      this.#source.stepBack(again.records);
      coverage.add('stream', 'records twice');
    }
    const life = this.#alive();
    life.expect(plan.publisher[run] ?? []);
    const isShort = nature.faulty && random() < SHORT_RUNS;
    const budget = isShort ? MARGIN_MS - 200 + random() * 600 : TIMEOUT_MS;
    this.#deadline = scheduler.now + budget;
    const timeout = scheduler.after(budget, () => life.kill());
    const died = new Promise<void>(resolve => {
      this.#died = resolve;
    });
    await Promise.race([this.#source.run(), died]).catch(fail);
    timeout();
    this.#isRunning = false;
    this.wake();
  }

  #alive(): Life {
    if (this.#life && !this.#life.isDead) return this.#life;
    const { nature, random, log } = this.#shared;
    const life: Life = new Life(nature, () => this.#died?.());
    this.#life = life;
    this.#publish = createPublish({
      sns: { send: (command: object) => this.#send(life, command) } as unknown as SNSClient,
      topicArn: TOPIC,
      sleep: (ms, signal) => life.sleep(ms, signal),
      random,
      reject: async rejected => {
        throw new Violation(1, `an event was rejected: ${rejected.reason}`);
      },
      log,
      count: () => {},
    });
    return life;
  }

  async #invoke(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
    if (!this.#publish) throw new Error('the publisher was not started');
    const getRemainingTimeInMillis = () => this.#deadline - this.#shared.scheduler.now;
    const answer = await this.#publish(event, { getRemainingTimeInMillis });
    if (answer.batchItemFailures.length > 0 && getRemainingTimeInMillis() < MARGIN_MS)
      this.#shared.coverage.add('publisher', 'out of time');
    return answer;
  }

  #send(life: Life, command: object) {
    if (!(command instanceof PublishBatchCommand)) throw new Error('the topic knows PublishBatch alone');
    const { input } = command;
    return life.call(
      'topic.publish',
      () => this.topic.publishBatch(input),
      (work, fault) => {
        if (fault === 'some-fail') return this.topic.publishBatch(input, someOf(input));
        if (fault === 'worked-then-failed') work();
        throw Object.assign(new Error('Rate exceeded'), { name: 'ThrottledException' });
      },
    );
  }
}

function someOf({ PublishBatchRequestEntries: entries = [] }: PublishBatchCommandInput): Set<string> {
  return new Set(entries.filter((_, index) => index % 2 === 0).map(({ Id }) => Id ?? ''));
}
