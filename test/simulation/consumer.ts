import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { LambdaContext } from '../../functions/queue/queue.ts';
import type { Strike } from './faults.ts';
import { LambdaProcess } from './lambda-process.ts';
import type { Life } from './life.ts';
import { QueueSource } from './models/event-source.ts';
import type { SimulatedQueue } from './models/queue.ts';
import type { Shared } from './shared.ts';

export type Handler = (event: SQSEvent, context: LambdaContext) => Promise<SQSBatchResponse>;

export interface ConsumerOptions {
  readonly queue: SimulatedQueue;
  readonly name: string;
  readonly functionName: 'route' | 'deliver';
  readonly size: number;
  /** ms for which a batch waits for more. */
  readonly window: number;
  /** ms that one run may take. */
  readonly limit: number;
  /** The faults that its runs meet, one entry for each run. */
  readonly strikes: readonly (readonly Strike[])[];
  /** Makes the function ready in a new life. */
  readonly start: (life: Life) => Handler;
}

/** Lambda's runs of a function for a queue. */
export class Consumer {
  readonly #shared: Shared;
  readonly #options: ConsumerOptions;
  readonly #source: QueueSource;
  readonly #process: LambdaProcess;
  #handler: Handler | undefined;

  constructor(shared: Shared, options: ConsumerOptions) {
    this.#shared = shared;
    this.#options = options;
    this.#process = new LambdaProcess(shared, options.functionName, life => {
      this.#handler = options.start(life);
    });
    this.#source = new QueueSource({
      queue: options.queue,
      batchSize: options.size,
      handler: event => this.#invoke(event),
    });
  }

  get isRunning(): boolean {
    return this.#process.isRunning;
  }

  get runs(): number {
    return this.#process.runs;
  }

  /** To be called when the queue may hold something new. */
  wake(): void {
    if (this.isRunning) return;
    const { queue, window } = this.#options;
    const visibleAt = queue.nextVisibleAt();
    if (visibleAt === undefined) return;
    const { scheduler, random } = this.#shared;
    this.#process.runAfter(visibleAt - scheduler.now + window + 20 + random() * 300, async () => {
      const { strikes, limit } = this.#options;
      await this.#process.run(
        strikes[this.runs] ?? [],
        () => limit,
        () => this.#source.run(),
      );
      this.wake();
    });
  }

  #invoke(event: SQSEvent): Promise<SQSBatchResponse> {
    const { scheduler } = this.#shared;
    const deadline = scheduler.now + this.#process.left;
    const context = {
      awsRequestId: `${this.#options.name}-${this.runs}`,
      getRemainingTimeInMillis: () => deadline - scheduler.now,
    };
    return (this.#handler as Handler)(event, context);
  }
}
