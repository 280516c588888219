import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Sleep } from '../../functions/clock.ts';
import { journal } from './journal.ts';
import { isChange, lambdaRecord, timeOfChange } from './lambda-record.ts';
import type { Position, PositionStore } from './position.ts';
import { type PublishHandler, publishAll } from './publish-all.ts';
import { type ShardRead, ShardReader } from './shards.ts';

export interface StreamPumpOptions {
  readonly client: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly table: { readonly name: string; readonly streamArn: string };
  /** `functions/publish.ts`. */
  readonly publish: PublishHandler;
  readonly position: PositionStore;
  readonly sleep: Sleep;
  /** One line for people: reading or publishing fails, or works again. */
  readonly onNotice?: (text: string) => void;
  /** How often the stream is read when it is quiet, in ms. */
  readonly interval?: number;
}

export interface StreamPump {
  /** Resolves when every change record committed before the call is published and delivered; rejects when stopped. */
  drained(): Promise<void>;
  stop(): Promise<void>;
}

/** Commit times and the stream's order part by no more than a commit takes. */
const JOURNAL_MARGIN = 15 * 60_000;

/**
 * The event source of `publish.ts` on one machine: hands it the change records that the table's stream shows, in order,
 * and remembers how far they are taken. It goes on from there after a restart; when the stream no longer reaches so
 * far back, it takes the change records from the table, some of them a second time.
 */
export function startStreamPump(options: StreamPumpOptions): StreamPump {
  const stopping = new AbortController();
  const pump = new Pump(options, stopping);
  const running = pump.run();
  return {
    drained: () => pump.drained(),
    stop: async () => {
      stopping.abort(new Error('The stream pump was stopped.'));
      await running;
    },
  };
}

class Pump {
  readonly #options: StreamPumpOptions;
  readonly #signal: AbortSignal;
  readonly #reader: ShardReader;
  /** Woken by {@link drained}. */
  #nap = new AbortController();
  #drains: PromiseWithResolvers<void>[] = [];
  #position: Position | undefined;
  #failing = false;

  constructor(options: StreamPumpOptions, stopping: AbortController) {
    this.#options = options;
    this.#signal = stopping.signal;
    this.#reader = new ShardReader(options.streams, options.table.streamArn);
  }

  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      const asked = this.#drains;
      this.#drains = [];
      try {
        this.#position ??= await this.#resume();
        const count = await this.#round(this.#position);
        this.#works();
        if (count > 0) this.#drains.push(...asked);
        else for (const { resolve } of asked) resolve();
        if (count === 0) await this.#rest(this.#options.interval ?? 200);
      } catch (error) {
        this.#drains.push(...asked);
        if (this.#signal.aborted) break;
        this.#fails('The stream of changes is not read', error);
        await this.#rest(1000);
      }
    }
    for (const { reject } of this.#drains) reject(this.#signal.reason);
  }

  async drained(): Promise<void> {
    this.#signal.throwIfAborted();
    const read = Promise.withResolvers<void>();
    this.#drains.push(read);
    this.#nap.abort();
    await read.promise;
  }

  /** The persisted position, if the stream still reaches so far back; else the journal is published first. */
  async #resume(): Promise<Position> {
    const { client, table, position: store, onNotice } = this.#options;
    const saved = store.load();
    const fresh: Position = { streamArn: table.streamArn, shards: {}, time: saved?.time ?? 0 };
    if (saved === undefined) return fresh;
    if (saved.streamArn === table.streamArn && (await this.#reader.has(saved.shards))) return saved;
    onNotice?.('The stream has lost its place; sending the latest changes again from the table.');
    let { time } = fresh;
    for await (const records of journal(client, table, saved.time - JOURNAL_MARGIN)) {
      await this.#publish(records);
      time = latest(time, records);
    }
    const resumed = { ...fresh, time };
    store.save(resumed);
    return resumed;
  }

  /** Reads each shard once. @returns how many records there were, of any kind. */
  async #round(position: Position): Promise<number> {
    let count = 0;
    const shards = { ...position.shards };
    for await (const read of this.#reader.round(shards)) {
      const changes = read.records.filter(isChange);
      const records = changes.map(record => lambdaRecord(record, this.#options.table.streamArn));
      if (records.length > 0) await this.#publish(records);
      const end = endOf(read, shards[read.shardId]);
      if (end === undefined) continue;
      shards[read.shardId] = end;
      this.#position = {
        ...position,
        shards: { ...shards },
        time: latest(this.#position?.time ?? 0, records),
      };
      this.#options.position.save(this.#position);
      count += Math.max(read.records.length, 1);
    }
    return count;
  }

  async #publish(records: readonly DynamoDBRecord[]): Promise<void> {
    const { publish, sleep } = this.#options;
    await publishAll(records, {
      publish,
      sleep,
      signal: this.#signal,
      onFailure: (error, left) => this.#fails(`${left} change records are not published`, error),
    });
  }

  async #rest(ms: number): Promise<void> {
    if (this.#drains.length > 0 && !this.#failing) return;
    this.#nap = new AbortController();
    await this.#options.sleep(ms, AbortSignal.any([this.#signal, this.#nap.signal])).catch(() => undefined);
  }

  #fails(what: string, error: unknown): void {
    if (this.#failing || this.#signal.aborted) return;
    this.#failing = true;
    const why = error instanceof Error ? `: ${error.message}` : '';
    this.#options.onNotice?.(`${what}${why}. It is tried again until it works.`);
  }

  #works(): void {
    if (!this.#failing) return;
    this.#failing = false;
    this.#options.onNotice?.('The stream of changes is read again.');
  }
}

/** Where the shard stands after the read; undefined when it stands where it stood. */
function endOf(read: ShardRead, before: Position['shards'][string] | undefined): typeof before {
  const sequenceNumber = read.records.at(-1)?.dynamodb?.SequenceNumber;
  if (sequenceNumber === undefined && !read.ended) return undefined;
  return { sequenceNumber: sequenceNumber ?? before?.sequenceNumber ?? '0', ended: read.ended };
}

function latest(time: number, records: readonly DynamoDBRecord[]): number {
  return records.reduce((max, record) => Math.max(max, timeOfChange(record)), time);
}
