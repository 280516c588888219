import type {
  DynamoDBBatchResponse,
  DynamoDBRecord,
  DynamoDBStreamEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import type { QueueModel } from './queue.ts';

/** What became of one batch. */
export interface Run<Item> {
  /** What the handler was called with; it wasn't called when this is empty. */
  readonly batch: readonly Item[];
  /** Those that are done with. */
  readonly done: readonly Item[];
  /** What the handler threw. */
  readonly error?: unknown;
}

type Failures = SQSBatchResponse['batchItemFailures'];
type Batches = SQSBatchResponse | DynamoDBBatchResponse;

/** Lambda's event source mapping of a queue, with ReportBatchItemFailures. Several runs may be under way at once. */
export class QueueSource {
  readonly #queue: QueueModel;
  readonly #batchSize: number;
  readonly #handler: (event: SQSEvent) => Promise<SQSBatchResponse>;

  constructor(options: {
    readonly queue: QueueModel;
    /** More than 10 take several receives. */
    readonly batchSize: number;
    readonly handler: (event: SQSEvent) => Promise<SQSBatchResponse>;
  }) {
    this.#queue = options.queue;
    this.#batchSize = options.batchSize;
    this.#handler = options.handler;
  }

  /** Hands over one batch and deletes what the handler took. When the handler throws, or never answers because its process
   *  died, nothing is deleted: the visibility time-out brings all of it again. Never rejects for the handler's sake. */
  async run(): Promise<Run<SQSRecord>> {
    const batch = this.#receive();
    return conclude(batch, this.#handler, failures => {
      const ids = batch.map(({ messageId }) => messageId);
      const failed = indicesOf(ids, failures);
      // An identifier that no message has fails them all.
      const done = failed.includes(-1) ? [] : batch.filter((_, index) => !failed.includes(index));
      for (const { receiptHandle } of done) this.#queue.delete(receiptHandle);
      return done;
    });
  }

  #receive(): SQSRecord[] {
    const batch: SQSRecord[] = [];
    while (batch.length < this.#batchSize) {
      const received = this.#queue.receive(Math.min(10, this.#batchSize - batch.length));
      if (received.length === 0) break;
      batch.push(...received);
    }
    return batch;
  }
}

/** Lambda's event source mapping of one shard of a stream, with ReportBatchItemFailures: in order, at least once. Bisecting
 *  and giving up by age are not here: a record that always fails is tried for ever. */
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

  /** The last `count` records come again, as after a failure on Lambda's side. What is under way counts for nothing. */
  stepBack(count: number): void {
    this.#run++;
    this.#position = Math.max(this.#begin, this.#position - count);
  }

  /** The shard begins anew behind what is there, as another table's does: what is left of it is lost, and returned. */
  cut(): readonly DynamoDBRecord[] {
    this.#run++;
    const lost = this.#records.slice(this.#position);
    this.#begin = this.#records.length;
    this.#position = this.#begin;
    return lost;
  }

  /** Hands over the next batch. What comes before the first failed record is done with; when the handler throws, nothing is.
   *  When it never answers, because its process died, the next run hands over the same batch, and an answer that comes later
   *  counts for nothing. Never rejects for the handler's sake. */
  async run(): Promise<Run<DynamoDBRecord>> {
    const run = ++this.#run;
    const batch = this.#records.slice(this.#position, this.#position + this.#batchSize);
    return conclude(batch, this.#handler, failures => {
      if (run !== this.#run) return [];
      const numbers = batch.map(({ dynamodb }) => dynamodb?.SequenceNumber);
      // A sequence number that no record has fails them all.
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
  let answer: Batches | undefined;
  try {
    answer = await handler({ Records: [...batch] });
  } catch (error) {
    return { batch, done: [], error };
  }
  // Lambda takes an answer without a list for success.
  return { batch, done: settle(answer?.batchItemFailures ?? []) };
}
