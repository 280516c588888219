import {
  BatchGetItemCommand,
  type CancellationReason,
  DeleteItemCommand,
  DynamoDBClient,
  DynamoDBServiceException,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import {
  CONDITION_FAILED,
  conditionFailed,
  KeyError,
  notFound,
  transactionCanceled,
  unknownToModel,
  validation,
} from './table-errors.ts';
import { type Place, placeOfItem } from './table-keys.ts';
import { batchGetItem, getItem, query, scan } from './table-reads.ts';
import { Rows, type Written } from './table-rows.ts';
import { streamRecord } from './table-stream.ts';
import { copyItem, equalItems, type Item, sizeOf } from './table-values.ts';
import { checkOf, deleteOf, putOf, updateOf, type Write } from './table-writes.ts';

export type { Item };

/** DynamoDB's limits of one transaction. */
const MAX_ACTIONS = 100;
const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;

const EXPRESSIONS = ['ExpressionAttributeNames', 'ExpressionAttributeValues'];
const CONDITION = ['ConditionExpression', ...EXPRESSIONS];
/** The parameters that the model knows; any other might change what a command means. */
const PARAMETERS = {
  get: ['TableName', 'Key', 'ConsistentRead', 'ProjectionExpression', 'ExpressionAttributeNames'],
  batch: ['RequestItems'],
  query: [
    ...['TableName', 'KeyConditionExpression', 'FilterExpression', 'ProjectionExpression', 'ConsistentRead'],
    ...['Limit', 'ExclusiveStartKey', 'ScanIndexForward', ...EXPRESSIONS],
  ],
  scan: [
    ...['TableName', 'FilterExpression', 'ProjectionExpression', 'ConsistentRead', 'Limit'],
    ...['ExclusiveStartKey', 'Select', ...EXPRESSIONS],
  ],
  put: ['TableName', 'Item', 'ReturnValues', ...CONDITION],
  delete: ['TableName', 'Key', 'ReturnValues', ...CONDITION],
  update: ['TableName', 'Key', 'UpdateExpression', 'ReturnValues', ...CONDITION],
  transaction: ['TransactItems'],
};

/** The result of a transaction's action, if all others succeed: a write and its item, or why it fails. */
interface Outcome {
  readonly write?: Write;
  readonly after?: Item | undefined;
  readonly reason?: CancellationReason;
}

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
 *  synchronous and without randomness. A contract compares it with the embedded DynamoDB. */
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

  /** What the stream got so far, in the order of the writes, as Lambda's event source gives it. */
  get stream(): readonly DynamoDBRecord[] {
    return this.#stream;
  }

  /** Every item as it is, each partition in the order of its sort keys. */
  *items(): Iterable<Item> {
    for (const { item } of this.#rows.all()) yield copyItem(item);
  }

  /** Replaces all items by these. Without `stream`, as a restore does, which makes a new table whose
   *  stream has nothing of it; with `stream`, as if somebody had written them into this table. */
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
    if (command instanceof GetItemCommand)
      return getItem(this.#read(command.input), this.#known(command.input, PARAMETERS.get));
    if (command instanceof QueryCommand)
      return query(this.#read(command.input), this.#known(command.input, PARAMETERS.query));
    if (command instanceof ScanCommand)
      return scan(this.#read(command.input), this.#known(command.input, PARAMETERS.scan));
    if (command instanceof BatchGetItemCommand) {
      checkParameters(command.input, PARAMETERS.batch);
      const [request = {}] = Object.values(command.input.RequestItems ?? {});
      return batchGetItem(this.#read(request), this.#tableName, command.input);
    }
    if (command instanceof PutItemCommand)
      return this.#write(putOf(this.#known(command.input, PARAMETERS.put)));
    if (command instanceof DeleteItemCommand)
      return this.#write(deleteOf(this.#known(command.input, PARAMETERS.delete)));
    if (command instanceof UpdateItemCommand)
      return this.#write(updateOf(this.#known(command.input, PARAMETERS.update)));
    if (command instanceof TransactWriteItemsCommand) {
      checkParameters(command.input, PARAMETERS.transaction);
      return this.#transact(command.input.TransactItems ?? []);
    }
    throw unknownToModel(command.constructor.name);
  }

  /** The rows as a read sees them. */
  #read({ ConsistentRead }: { readonly ConsistentRead?: boolean | undefined }): Rows {
    if (ConsistentRead !== false) return this.#rows;
    const { now, lag } = this.#replication;
    const shown = now() - lag();
    const hidden = this.#recent.filter(({ at }) => at > shown);
    return hidden.length > 0 ? this.#rows.before(hidden) : this.#rows;
  }

  #write(write: Write): object {
    const before = this.#rows.get(write.place)?.item;
    if (!write.holds(before ?? {})) throw conditionFailed();
    const after = write.result(before);
    this.#store(write, after);
    const Attributes = write.returned(before, after);
    return Attributes ? { Attributes } : {};
  }

  #transact(actions: readonly TransactWriteItem[]): object {
    const outcomes: Outcome[] = this.#writesOf(actions).map(write =>
      write instanceof KeyError ? { reason: invalid(write) } : this.#outcome(write),
    );
    const reasons = outcomes.map(({ reason }) => reason ?? { Code: 'None' });
    if (reasons.some(({ Code }) => Code !== 'None')) throw transactionCanceled(reasons);
    for (const { write, after } of outcomes) if (write) this.#store(write, after);
    return {};
  }

  /** Checks the requests of all actions: an error in one makes all fail, whatever the items are. */
  #writesOf(actions: readonly TransactWriteItem[]): (Write | KeyError)[] {
    const limit = (text: string) =>
      validation(
        `1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length ${text}`,
      );
    if (actions.length === 0) throw limit('greater than or equal to 1');
    if (actions.length > MAX_ACTIONS) throw limit(`less than or equal to ${MAX_ACTIONS}`);
    const all = actions.map(action => this.#writeOrKeyError(action));
    const writes = all.flatMap(write => (write instanceof KeyError ? [] : [write]));
    if (new Set(writes.map(({ place: { pk, sk } }) => JSON.stringify([pk, sk]))).size < writes.length)
      throw validation('Transaction request cannot include multiple operations on one item');
    if (writes.reduce((sum, { size }) => sum + size, 0) > MAX_TRANSACTION_BYTES)
      throw validation(
        'Collection size of items exceeded, which can also be caused by the aggregate size of the items in the transaction exceeding the 4MB limit',
      );
    return all;
  }

  #writeOrKeyError(action: TransactWriteItem): Write | KeyError {
    try {
      return this.#writeOf(action);
    } catch (error) {
      if (error instanceof KeyError) return error;
      throw error;
    }
  }

  #writeOf({ Put, Delete, Update, ConditionCheck, ...others }: TransactWriteItem): Write {
    const given = [Put, Delete, Update, ConditionCheck].filter(action => action !== undefined);
    if (given.length !== 1 || Object.keys(others).length > 0)
      throw unknownToModel('an element of a transaction that is not one action');
    const without = (parameters: readonly string[]) => parameters.filter(name => name !== 'ReturnValues');
    if (Put) return putOf(this.#known(Put, without(PARAMETERS.put)));
    if (Delete) return deleteOf(this.#known(Delete, without(PARAMETERS.delete)));
    if (ConditionCheck) return checkOf(this.#known(ConditionCheck, without(PARAMETERS.delete)));
    if (Update?.UpdateExpression === undefined)
      throw unknownToModel('an update without UpdateExpression in a transaction');
    return updateOf(this.#known(Update, without(PARAMETERS.update)));
  }

  #outcome(write: Write): Outcome {
    const before = this.#rows.get(write.place)?.item;
    if (!write.holds(before ?? {}))
      return { reason: { Code: 'ConditionalCheckFailed', Message: CONDITION_FAILED } };
    try {
      return { write, after: write.result(before) };
    } catch (error) {
      if (!(error instanceof DynamoDBServiceException)) throw error;
      return { reason: invalid(error) };
    }
  }

  #store({ place }: Write, after: Item | undefined): void {
    this.#put(place, after);
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

  #known<T extends { TableName?: string | undefined }>(input: T, parameters: readonly string[]): T {
    checkParameters(input, parameters);
    if (input.TableName !== this.#tableName) throw notFound();
    return input;
  }
}

function invalid({ message }: Error): CancellationReason {
  return { Code: 'ValidationError', Message: message };
}

function checkParameters(input: object, parameters: readonly string[]): void {
  for (const [name, value] of Object.entries(input))
    if (value !== undefined && !parameters.includes(name)) throw unknownToModel(`the parameter ${name}`);
}

/** A client whose commands all go through `send`; the SDK's paginators take it. */
export function modelClient(send: (command: object) => Promise<unknown>): DynamoDBClient {
  // Made without the constructor, which would look for a region, credentials and a connection. Paginators
  // check only its class.
  const client: DynamoDBClient = Object.create(DynamoDBClient.prototype);
  return Object.assign(client, { send, destroy: () => undefined });
}
