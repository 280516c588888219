import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { DeliverContext } from '../../functions/handlers/create-deliver.ts';
import type { Strike } from './faults.ts';
import { Life } from './life.ts';
import { QueueSource } from './models/event-source.ts';
import type { SimulatedQueue } from './models/queue.ts';
import type { Shared } from './shared.ts';

export type Handler = (event: SQSEvent, context: DeliverContext) => Promise<SQSBatchResponse>;

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

/** Lambda's runs of a function for a queue: one after the other, each in the same process as the one
 *  before, unless that died. */
export class Consumer {
  readonly #shared: Shared;
  readonly #options: ConsumerOptions;
  readonly #source: QueueSource;
  /** The present process. */
  #life: Life | undefined;
  #handler: Handler | undefined;
  #runs = 0;
  #isRunning = false;
  #deadline = 0;
  #died: (() => void) | undefined;

  constructor(shared: Shared, options: ConsumerOptions) {
    this.#shared = shared;
    this.#options = options;
    this.#source = new QueueSource({
      queue: options.queue,
      batchSize: options.size,
      handler: event => this.#invoke(event),
    });
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** How many runs there were, including this one. */
  get runs(): number {
    return this.#runs;
  }

  /** ms that are left of the run. */
  get left(): number {
    return this.#deadline - this.#shared.scheduler.now;
  }

  /** Faults that this run met. */
  get struck(): number {
    return this.#life?.struck ?? 0;
  }

  /** To be called when the queue may hold something new. */
  wake(): void {
    if (this.#isRunning) return;
    const { queue, window } = this.#options;
    const visibleAt = queue.nextVisibleAt();
    if (visibleAt === undefined) return;
    this.#isRunning = true;
    const { scheduler, random } = this.#shared;
    scheduler.after(visibleAt - scheduler.now + window + 20 + random() * 300, () => void this.#run());
  }

  async #run(): Promise<void> {
    const { scheduler, fail } = this.#shared;
    const { strikes, limit } = this.#options;
    const life = this.#alive();
    life.expect(strikes[this.#runs++] ?? []);
    this.#deadline = scheduler.now + limit;
    const timeout = scheduler.after(limit, () => life.kill());
    const died = new Promise<void>(resolve => {
      this.#died = resolve;
    });
    await Promise.race([this.#source.run(), died]).catch(fail);
    timeout();
    this.#isRunning = false;
    this.wake();
  }

  #invoke(event: SQSEvent): Promise<SQSBatchResponse> {
    const { name } = this.#options;
    const deadline = this.#deadline;
    const context = {
      awsRequestId: `${name}-${this.#runs}`,
      getRemainingTimeInMillis: () => deadline - this.#shared.scheduler.now,
    };
    return (this.#handler as Handler)(event, context);
  }

  #alive(): Life {
    const { nature, releases } = this.#shared;
    const release = releases.draw(this.#options.functionName);
    if (this.#life && !this.#life.isDead && this.#life.release === release) return this.#life;
    const life: Life = new Life(
      nature,
      () => {
        if (this.#life === life) this.#died?.();
      },
      release,
    );
    this.#life = life;
    this.#handler = this.#options.start(life);
    return life;
  }
}
