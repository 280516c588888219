import {
  BatchGetItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ResourceNotFoundException,
  ScanCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { conditionFailed, transactionCanceled, unknownToModel, validation } from './table-errors.ts';
import { checkDistinct, type Place, placeOfItem } from './table-keys.ts';
import { batchGetItem, getItem, query, scan } from './table-reads.ts';
import { Rows, type Written } from './table-rows.ts';
import { streamRecord } from './table-stream.ts';
import { copyItem, equalItems, type Item, sizeOf } from './table-values.ts';
import { returned, type Write, writeOf } from './table-writes.ts';

export type { Item };

/** DynamoDB's limits of one transaction. */
const MAX_ACTIONS = 100;
const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;

/** The parameters that the model knows; any other might change what a command means. */
const PARAMETERS: ReadonlySet<string> = new Set([
  ...['TableName', 'Key', 'Item', 'ConsistentRead', 'ReturnValues', 'RequestItems', 'Keys'],
  ...['ExclusiveStartKey', 'Limit', 'ScanIndexForward', 'Select', 'TransactItems'],
  ...['ConditionExpression', 'FilterExpression', 'KeyConditionExpression', 'ProjectionExpression'],
  ...['UpdateExpression', 'ExpressionAttributeNames', 'ExpressionAttributeValues'],
]);

/** How late eventually consistent reads may show a write. */
export interface Replication {
  /** In ms, of a clock that is never set back. */
  readonly now: () => number;
  /** By how many ms the next such read is late. */
  readonly lag: () => number;
  /** In ms; no lag is longer. */
  readonly maxLag: number;
}

const AT_ONCE: Replication = { now: () => 0, lag: () => 0, maxLag: 0 };

/** A DynamoDB table with the keys `pk` and `sk` (strings) and a stream of new images, in memory,
 *  synchronous and without randomness: the part of DynamoDB that the store uses. A contract compares it
 *  with the embedded DynamoDB. */
export class TableModel {
  readonly #tableName: string;
  readonly #replication: Replication;
  readonly #rows = new Rows();
  readonly #stream: DynamoDBRecord[] = [];
  /** The writes of the last `maxLag` ms. */
  #recent: (Written & { readonly at: number })[] = [];

  constructor(tableName: string, replication: Replication = AT_ONCE) {
    this.#tableName = tableName;
    this.#replication = replication;
  }

  /** The stream so far, in the order of the writes, as Lambda's event source hands it over. */
  get stream(): readonly DynamoDBRecord[] {
    return this.#stream;
  }

  /** Every item as it is, each partition in the order of its sort keys. */
  *items(): Iterable<Item> {
    for (const { item } of this.#rows.all()) yield copyItem(item);
  }

  /** Replaces all items by these. Without `stream`, as a restore does, which makes a new table whose
   *  stream is empty; with `stream`, as if they had been written into this table. */
  restore(items: readonly Item[], { stream }: { readonly stream: boolean }): void {
    const wanted = new Map(items.map(item => [JSON.stringify([item.pk?.S, item.sk?.S]), item]));
    const places = [...this.#rows.all()].map(({ item }) => placeOfItem(item));
    const before = this.#stream.length;
    for (const place of places)
      if (!wanted.has(JSON.stringify([place.pk, place.sk]))) this.#put(place, undefined);
    for (const item of items) this.#put(placeOfItem(item), copyItem(item));
    if (!stream) this.#stream.length = before;
    this.#recent = [];
  }

  /**
   * Runs one command of `@aws-sdk/client-dynamodb` at once, whole or not at all.
   * @returns its output.
   * @throws the exception that the SDK throws; a plain Error for what the model doesn't know.
   */
  run(command: object): unknown {
    return { $metadata: { httpStatusCode: 200 }, ...this.#output(command) };
  }

  #output(command: object): object {
    if (command instanceof GetItemCommand) return getItem(this.#read(command.input), command.input);
    if (command instanceof QueryCommand) return query(this.#read(command.input), command.input);
    if (command instanceof ScanCommand) return scan(this.#read(command.input), command.input);
    if (command instanceof BatchGetItemCommand) {
      const [[TableName, request] = []] = Object.entries(command.input.RequestItems ?? {});
      return batchGetItem(this.#read({ TableName, ...request }), command.input);
    }
    if (command instanceof PutItemCommand) return this.#write({ Put: command.input });
    if (command instanceof DeleteItemCommand) return this.#write({ Delete: command.input });
    if (command instanceof UpdateItemCommand)
      return this.#write({ Update: { UpdateExpression: undefined, ...command.input } });
    if (command instanceof TransactWriteItemsCommand) {
      checkParameters(command.input);
      return this.#transact(command.input.TransactItems ?? []);
    }
    throw unknownToModel(command.constructor.name);
  }

  /** The rows as a read sees them. Refuses reads that do not state whether they are consistent: code that
   *  may get stale data must not do so unnoticed. */
  #read(input: {
    readonly ConsistentRead?: boolean | undefined;
    readonly TableName: string | undefined;
  }): Rows {
    this.#check(input);
    if (input.ConsistentRead === undefined) throw unknownToModel('reads without ConsistentRead');
    if (input.ConsistentRead) return this.#rows;
    const { now, lag } = this.#replication;
    const shown = now() - lag();
    const hidden = this.#recent.filter(({ at }) => at > shown);
    return hidden.length > 0 ? this.#rows.before(hidden) : this.#rows;
  }

  #write(action: TransactWriteItem): object {
    const write = this.#writeOf(action);
    const before = this.#rows.get(write.place)?.item;
    if (!write.holds(before ?? {})) throw conditionFailed();
    const [{ ReturnValues } = {}] = Object.values(action) as { ReturnValues?: string }[];
    const Attributes = returned(ReturnValues, write, before);
    this.#put(write.place, write.result(before));
    return Attributes ? { Attributes } : {};
  }

  #transact(actions: readonly TransactWriteItem[]): object {
    if (actions.length === 0 || actions.length > MAX_ACTIONS)
      throw validation("Value at 'transactItems' must have length between 1 and 100");
    const writes = actions.map(action => this.#writeOf(action));
    checkDistinct(
      writes.map(({ place }) => place),
      'Transaction request cannot include multiple operations on one item',
    );
    if (writes.reduce((sum, { size }) => sum + size, 0) > MAX_TRANSACTION_BYTES)
      throw validation('Collection size of items exceeded the 4MB limit');
    const outcomes = writes.map(write => this.#outcome(write));
    if (outcomes.some(({ error }) => error)) throw transactionCanceled(outcomes.map(({ error }) => error));
    for (const { place, after } of outcomes) this.#put(place, after);
    return {};
  }

  #outcome({ place, holds, result }: Write): {
    readonly place: Place;
    readonly after?: Item | undefined;
    readonly error?: DynamoDBServiceException;
  } {
    const before = this.#rows.get(place)?.item;
    if (!holds(before ?? {})) return { place, error: conditionFailed() };
    try {
      return { place, after: result(before) };
    } catch (error) {
      if (error instanceof DynamoDBServiceException) return { place, error };
      throw error;
    }
  }

  #writeOf(action: TransactWriteItem): Write {
    for (const input of Object.values(action)) this.#check(input);
    return writeOf(action);
  }

  /** A write that changes nothing leaves no record in the stream. */
  #put(place: Place, after: Item | undefined): void {
    const row = this.#rows.get(place);
    const before = row?.item;
    if (before === after || (before && after && equalItems(before, after))) return;
    const { now, maxLag } = this.#replication;
    if (maxLag > 0) {
      const at = now();
      this.#recent = [
        ...this.#recent.filter(written => written.at > at - maxLag),
        { at, place, before: row },
      ];
    }
    if (after) this.#rows.put(place.pk, { sk: place.sk, item: after, size: sizeOf(after) });
    else this.#rows.delete(place);
    this.#stream.push(streamRecord(this.#tableName, this.#stream.length, place, before, after));
  }

  #check(input: { readonly TableName: string | undefined }): void {
    checkParameters(input);
    if (input.TableName !== this.#tableName)
      throw new ResourceNotFoundException({ message: 'Requested resource not found', $metadata: {} });
  }
}

function checkParameters(input: object): void {
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && !PARAMETERS.has(name)) throw unknownToModel(`the parameter ${name}`);
}

/** A client whose commands all go through `send`; the SDK's paginators take it. */
export function modelClient(send: (command: object) => Promise<unknown>): DynamoDBClient {
  // Made without the constructor, which would look for a region, credentials and a connection. Paginators
  // check only its class.
  const client: DynamoDBClient = Object.create(DynamoDBClient.prototype);
  return Object.assign(client, { send, destroy: () => undefined });
}
