import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ExpiredIteratorException,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ResourceNotFoundException,
  type Shard,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';

/** How far a stream was read. */
export interface Position {
  /** A table that was made again has another one. */
  readonly streamArn: string;
  /** By shard: the last record that is done with. `ended`: the shard has no more records. */
  readonly shards: Record<string, { readonly sequenceNumber: string; readonly ended: boolean }>;
  /** The latest time in the key of a change record that is delivered: ms since 1970. */
  readonly time: number;
}

export interface ShardRead {
  readonly shardId: string;
  readonly records: readonly _Record[];
  /** The shard is closed and read to its end. */
  readonly ended: boolean;
}

/** Reads a stream's shards, each from the place in `positions`, and each parent to its end before its
 *  children. */
export class ShardReader {
  readonly #client: DynamoDBStreamsClient;
  readonly #streamArn: string;
  readonly #iterators = new Map<string, string>();

  constructor(client: DynamoDBStreamsClient, streamArn: string) {
    this.#client = client;
    this.#streamArn = streamArn;
  }

  /** One read of each shard that may have more, in turn; the caller moves `positions` between two of them. */
  async *round(positions: Position['shards']): AsyncGenerator<ShardRead> {
    const shards = await this.#shards();
    const known = new Set(shards.map(shard => shard.ShardId));
    for (const { ShardId = '', ParentShardId = '' } of shards) {
      const parentIsOpen = known.has(ParentShardId) && positions[ParentShardId]?.ended !== true;
      if (positions[ShardId]?.ended !== true && !parentIsOpen)
        yield await this.#read(ShardId, positions[ShardId]?.sequenceNumber);
    }
  }

  /**
   * Whether the stream still has every record after `positions`: it does if it still has the last one
   * that was read. That one is missing when the stream was trimmed beyond it, or when the database is
   * older than the position.
   */
  async has(positions: Position['shards']): Promise<boolean> {
    const known = new Set((await this.#shards()).map(shard => shard.ShardId));
    for (const [shardId, { sequenceNumber, ended }] of Object.entries(positions)) {
      if (ended) continue;
      if (!known.has(shardId) || !(await this.#isThere(shardId, sequenceNumber))) return false;
    }
    return true;
  }

  async #isThere(shardId: string, sequenceNumber: string): Promise<boolean> {
    try {
      const ShardIterator = await this.#iterator(shardId, 'AT_SEQUENCE_NUMBER', sequenceNumber);
      const { Records } = await this.#client.send(new GetRecordsCommand({ ShardIterator, Limit: 1 }));
      return Records?.[0]?.dynamodb?.SequenceNumber === sequenceNumber;
    } catch (error) {
      if (error instanceof TrimmedDataAccessException || error instanceof ResourceNotFoundException)
        return false;
      throw error;
    }
  }

  async #read(shardId: string, after: string | undefined): Promise<ShardRead> {
    const ShardIterator =
      this.#iterators.get(shardId) ??
      (after === undefined
        ? await this.#iterator(shardId, 'TRIM_HORIZON')
        : await this.#iterator(shardId, 'AFTER_SEQUENCE_NUMBER', after));
    this.#iterators.delete(shardId);
    try {
      const { Records = [], NextShardIterator } = await this.#client.send(
        new GetRecordsCommand({ ShardIterator, Limit: 100 }),
      );
      if (NextShardIterator !== undefined) this.#iterators.set(shardId, NextShardIterator);
      return { shardId, records: Records, ended: NextShardIterator === undefined };
    } catch (error) {
      if (error instanceof ExpiredIteratorException) return { shardId, records: [], ended: false };
      throw error;
    }
  }

  async #iterator(
    ShardId: string,
    ShardIteratorType: 'TRIM_HORIZON' | 'AFTER_SEQUENCE_NUMBER' | 'AT_SEQUENCE_NUMBER',
    SequenceNumber?: string,
  ): Promise<string> {
    const { ShardIterator } = await this.#client.send(
      new GetShardIteratorCommand({
        StreamArn: this.#streamArn,
        ShardId,
        ShardIteratorType,
        ...(SequenceNumber !== undefined && { SequenceNumber }),
      }),
    );
    if (ShardIterator === undefined)
      throw new Error(`${ShardIteratorType} of shard ${ShardId} has no iterator.`);
    return ShardIterator;
  }

  async #shards(): Promise<Shard[]> {
    const shards: Shard[] = [];
    let ExclusiveStartShardId: string | undefined;
    do {
      const { StreamDescription } = await this.#client.send(
        new DescribeStreamCommand({
          StreamArn: this.#streamArn,
          ...(ExclusiveStartShardId !== undefined && { ExclusiveStartShardId }),
        }),
      );
      shards.push(...(StreamDescription?.Shards ?? []));
      ExclusiveStartShardId = StreamDescription?.LastEvaluatedShardId;
    } while (ExclusiveStartShardId !== undefined);
    return shards;
  }
}
