import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import type { Sleep } from '../../functions/basics/clock.ts';
import { journal } from './journal.ts';
import { isChange, lambdaRecord, timeOfChange } from './lambda-record.ts';
import type { Position, PositionStore } from './position.ts';
import { type PublishHandler, publishAll } from './publish-all.ts';
import { type Feed, type RoundsOptions, startRounds } from './rounds.ts';
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
  readonly onNotice: (text: string) => void;
  /** How often the stream is read when it is quiet, in ms. */
  readonly interval?: number;
}

const INTERVAL_MS = 200;
/** How far before the last delivered record the journal is read again, in ms: records reach the stream in
 *  another order than their times, but they differ by no more than the time of a commit. */
const JOURNAL_MARGIN = 15 * 60_000;

/**
 * The event source of `publish.ts` on one machine: hands it the change records that the table's stream
 * shows, in order, and remembers how far they are taken. After a restart it goes on from there. When the
 * stream no longer reaches so far back, it takes the change records from the table, some of them a second
 * time.
 */
export function startStreamPump(options: StreamPumpOptions): Feed {
  const pump = new Pump(options);
  const { sleep, onNotice, interval = INTERVAL_MS } = options;
  const round: RoundsOptions['round'] = (fails, signal) => pump.round(fails, signal);
  return startRounds({ what: 'The stream of changes', round, sleep, onNotice, interval });
}

class Pump {
  readonly #options: StreamPumpOptions;
  readonly #reader: ShardReader;
  #position: Position | undefined;

  constructor(options: StreamPumpOptions) {
    this.#options = options;
    this.#reader = new ShardReader(options.streams, options.table.streamArn);
  }

  /** Reads each shard once. @returns whether it read any record, or the end of a shard */
  async round(fails: Parameters<RoundsOptions['round']>[0], signal: AbortSignal): Promise<boolean> {
    const publish = (records: readonly DynamoDBRecord[]) => this.#publish(records, fails, signal);
    this.#position ??= await this.#resume(publish);
    return this.#read(this.#position, publish);
  }

  /** The persisted position, if the stream still reaches so far back; else the journal is published first. */
  async #resume(publish: PublishRecords): Promise<Position> {
    const { client, table, position: store, onNotice } = this.#options;
    const saved = store.load();
    const fresh: Position = { streamArn: table.streamArn, shards: {}, time: saved?.time ?? 0 };
    if (saved === undefined) return fresh;
    if (saved.streamArn === table.streamArn && (await this.#reader.has(saved.shards))) return saved;
    onNotice('The stream has lost its place; sending the latest changes again from the table.');
    let { time } = fresh;
    for await (const records of journal(client, table, saved.time - JOURNAL_MARGIN)) {
      await publish(records);
      time = latest(time, records);
    }
    const resumed = { ...fresh, time };
    store.save(resumed);
    return resumed;
  }

  async #read(position: Position, publish: PublishRecords): Promise<boolean> {
    let found = false;
    const shards = { ...position.shards };
    for await (const read of this.#reader.round(shards)) {
      const changes = read.records.filter(isChange);
      const records = changes.map(record => lambdaRecord(record, this.#options.table.streamArn));
      if (records.length > 0) await publish(records);
      const end = endOf(read, shards[read.shardId]);
      if (end === undefined) continue;
      shards[read.shardId] = end;
      this.#position = {
        ...position,
        shards: { ...shards },
        time: latest(this.#position?.time ?? 0, records),
      };
      this.#options.position.save(this.#position);
      found = true;
    }
    return found;
  }

  async #publish(
    records: readonly DynamoDBRecord[],
    fails: (what: string, error: unknown) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const { publish, sleep } = this.#options;
    const onFailure = (error: unknown, left: number) =>
      fails(`${left} change records are not published`, error);
    await publishAll(records, { publish, sleep, signal, onFailure });
  }
}

type PublishRecords = (records: readonly DynamoDBRecord[]) => Promise<void>;

/** Where the shard stands after the read; undefined when it stands where it stood. */
function endOf(read: ShardRead, before: Position['shards'][string] | undefined): typeof before {
  const sequenceNumber = read.records.at(-1)?.dynamodb?.SequenceNumber;
  if (sequenceNumber === undefined && !read.ended) return undefined;
  return { sequenceNumber: sequenceNumber ?? before?.sequenceNumber ?? '0', ended: read.ended };
}

function latest(time: number, records: readonly DynamoDBRecord[]): number {
  return records.reduce((max, record) => Math.max(max, timeOfChange(record)), time);
}
