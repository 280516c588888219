import { PublishBatchCommand, type PublishBatchCommandInput, type SNSClient } from '@aws-sdk/client-sns';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { createPublish } from '../../functions/create-publish.ts';
import { Life } from './life.ts';
import { StreamSource } from './models/event-source.ts';
import { TopicModel } from './models/topic.ts';
import { Violation } from './oracle/violation.ts';
import type { Shared } from './shared.ts';

const TOPIC = 'arn:aws:sns:eu-west-1:000000000000:changewire';
const TIMEOUT_MS = 120_000;

/** The stream, the publish function and the topic. */
export class Publisher {
  readonly topic = new TopicModel({ arn: TOPIC });
  readonly #shared: Shared;
  readonly #source: StreamSource;
  #life: Life | undefined;
  #publish: ((event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>) | undefined;
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
    const { plan, nature, coverage, scheduler, fail } = this.#shared;
    const run = this.#runs++;
    const again = plan.streamAgain.find(each => each.run === run);
    if (again && nature.faulty && this.#source.position > 0) {
      this.#source.stepBack(again.records);
      coverage.add('stream', 'records twice');
    }
    const life = this.#alive();
    life.expect(plan.publisher[run] ?? []);
    const timeout = scheduler.after(TIMEOUT_MS, () => life.kill());
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

  #invoke(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
    if (!this.#publish) throw new Error('the publisher was not started');
    return this.#publish(event);
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
