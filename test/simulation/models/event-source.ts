import type {
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import type { SimulatedQueue } from './queue.ts';

/** The outcome of one batch. */
export interface Run<Item> {
  /** The handler's input; empty when it was not called. */
  readonly batch: readonly Item[];
  /** The items that need not come again. */
  readonly done: readonly Item[];
  /** What the handler threw. */
  readonly error?: unknown;
}

type Failures = SQSBatchResponse['batchItemFailures'];
type Batches = SQSBatchResponse | DynamoDBBatchResponse;

/** Lambda's event source mapping of a queue, with ReportBatchItemFailures. Several runs may be under way at once. */
export class QueueSource {
  readonly #queue: Pick<SimulatedQueue, 'receive' | 'delete'>;
  readonly #batchSize: number;
  readonly #handler: (event: SQSEvent) => Promise<SQSBatchResponse>;

  constructor(options: {
    readonly queue: Pick<SimulatedQueue, 'receive' | 'delete'>;
    /** More than 10 take several receives. */
    readonly batchSize: number;
    readonly handler: (event: SQSEvent) => Promise<SQSBatchResponse>;
  }) {
    this.#queue = options.queue;
    this.#batchSize = options.batchSize;
    this.#handler = options.handler;
  }

  /** Hands over one batch and deletes what the handler took. When the handler throws, or never answers
   *  because its process died, nothing is deleted: all of it is visible again after the visibility
   *  time-out. Never rejects because of the handler. */
  async run(): Promise<Run<SQSRecord>> {
    const batch = await this.#receive();
    return conclude(batch, this.#handler, failures => {
      const ids = batch.map(({ messageId }) => messageId);
      // An identifier that no message has means that all failed. One message may be in a batch twice.
      const isUnknown = indicesOf(ids, failures).includes(-1);
      const failed = new Set(failures.map(({ itemIdentifier }) => itemIdentifier));
      const done = isUnknown ? [] : batch.filter(({ messageId }) => !failed.has(messageId));
      for (const { receiptHandle } of done) this.#queue.delete(receiptHandle);
      return done;
    });
  }

  async #receive(): Promise<SQSRecord[]> {
    const batch: SQSRecord[] = [];
    while (batch.length < this.#batchSize) {
      const received = await this.#queue.receive(Math.min(10, this.#batchSize - batch.length));
      if (received.length === 0) break;
      batch.push(...received);
    }
    return batch;
  }
}

/** Lambda's event source mapping of one shard of a stream, with ReportBatchItemFailures: in order, at
 *  least once. It does not bisect batches or give records up by age: a record that always fails is tried
 *  for ever. */
export class StreamSource {
  readonly #records: readonly DynamoDBRecord[];
  readonly #batchSize: number;
  readonly #handler: (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
  #position = 0;
  #begin = 0;
  #run = 0;

  constructor(options: {
    /** The shard in its order; it may grow, and is read anew at each run. */
    readonly records: readonly DynamoDBRecord[];
    readonly batchSize: number;
    readonly handler: (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
  }) {
    this.#records = options.records;
    this.#batchSize = options.batchSize;
    this.#handler = options.handler;
  }

  /** How many records of the shard are done with. */
  get position(): number {
    return this.#position;
  }

  /** How many are left. */
  get pending(): number {
    return this.#records.length - this.#position;
  }

  /** Hands over the last `count` records again, as after a failure in Lambda. The answer of a run that is
   *  under way is ignored. */
  stepBack(count: number): void {
    this.#run++;
    this.#position = Math.max(this.#begin, this.#position - count);
  }

  /** Begins a new shard, as another table has: what was left of this one is lost, and returned. */
  cut(): readonly DynamoDBRecord[] {
    this.#run++;
    const lost = this.#records.slice(this.#position);
    this.#begin = this.#records.length;
    this.#position = this.#begin;
    return lost;
  }

  /** Hands over the next batch. Records before the first failed one are done; when the handler throws,
   *  none is. When it never answers, because its process died, the next run hands over the same batch,
   *  and a late answer is ignored. Never rejects because of the handler. */
  async run(): Promise<Run<DynamoDBRecord>> {
    const run = ++this.#run;
    const batch = this.#records.slice(this.#position, this.#position + this.#batchSize);
    return conclude(batch, this.#handler, failures => {
      if (run !== this.#run) return [];
      const numbers = batch.map(({ dynamodb }) => dynamodb?.SequenceNumber);
      // A sequence number that no record has means that all failed.
      const taken = Math.max(0, Math.min(batch.length, ...indicesOf(numbers, failures)));
      this.#position += taken;
      return batch.slice(0, taken);
    });
  }
}

function indicesOf(identifiers: readonly (string | undefined)[], failures: Failures): number[] {
  return failures.map(({ itemIdentifier }) => identifiers.indexOf(itemIdentifier));
}

async function conclude<Item>(
  batch: Item[],
  handler: (event: { Records: Item[] }) => Promise<Batches>,
  settle: (failures: Failures) => readonly Item[],
): Promise<Run<Item>> {
  if (batch.length === 0) return { batch, done: [] };
  let answer: Batches;
  try {
    answer = await handler({ Records: [...batch] });
  } catch (error) {
    return { batch, done: [], error };
  }
  // To Lambda, an answer without a list means success.
  return { batch, done: settle(answer.batchItemFailures ?? []) };
}
