import {
  BatchGetItemCommand,
  type BatchGetItemOutput,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item, TableModel } from '../simulation/models/table.ts';
import { sizeOf } from '../simulation/models/table-values.ts';

/** Counts units as DynamoDB bills them: 1 KB written, or 4 KB read consistently, is one unit. */
export class Units {
  read = 0;
  written = 0;
  requests = 0;
  readonly #model: TableModel;

  constructor(model: TableModel) {
    this.#model = model;
  }

  /** Runs a command on the model, and counts it. */
  run(command: object): unknown {
    this.requests += 1;
    const places = placesOf(command);
    const before = places.map(place => this.#sizeAt(place));
    this.read += this.#readBy(command);
    const output = this.#model.run(command);
    const factor = command instanceof TransactWriteItemsCommand ? 2 : 1;
    for (const [index, place] of places.entries())
      this.written +=
        factor * Math.max(1, Math.ceil(Math.max(before[index] ?? 0, this.#sizeAt(place)) / 1_024));
    return output;
  }

  #sizeAt(key: Item): number {
    const item = [...this.#model.items()].find(({ pk, sk }) => pk?.S === key.pk?.S && sk?.S === key.sk?.S);
    return item ? sizeOf(item) : 0;
  }

  /** Counts what is read, even if a filter removes it from the answer. */
  #readBy(command: object): number {
    if (command instanceof GetItemCommand)
      return unitsOf([this.#sizeAt(command.input.Key ?? {})], command.input.ConsistentRead);
    if (command instanceof QueryCommand) {
      const {
        ProjectionExpression: _,
        FilterExpression: __,
        ExpressionAttributeNames: ___,
        ...input
      } = command.input;
      const { Items = [] } = this.#model.run(new QueryCommand(input)) as { Items?: Item[] };
      return unitsOf([Items.reduce((sum, item) => sum + sizeOf(item), 0)], input.ConsistentRead);
    }
    if (!(command instanceof BatchGetItemCommand)) return 0;
    const [[table, request] = []] = Object.entries(command.input.RequestItems ?? {});
    if (table === undefined || !request) return 0;
    const { Keys, ConsistentRead } = request;
    const whole = new BatchGetItemCommand({ RequestItems: { [table]: { Keys, ConsistentRead } } });
    const found = (this.#model.run(whole) as BatchGetItemOutput).Responses?.[table] ?? [];
    const absent = (Keys?.length ?? 0) - found.length;
    return unitsOf([...found.map(sizeOf), ...Array<number>(absent).fill(0)], ConsistentRead);
  }
}

function unitsOf(sizes: readonly number[], isConsistent: boolean | undefined): number {
  const units = sizes.reduce((sum, size) => sum + Math.max(1, Math.ceil(size / 4_096)), 0);
  return isConsistent ? units : units / 2;
}

function placesOf(command: object): Item[] {
  if (command instanceof TransactWriteItemsCommand)
    return (command.input.TransactItems ?? []).flatMap(item => placeOf(item));
  if (command instanceof PutItemCommand) return placeOf({ Put: command.input } as TransactWriteItem);
  if (command instanceof DeleteItemCommand || command instanceof UpdateItemCommand)
    return [command.input.Key ?? {}];
  return [];
}

function placeOf({ Put, Update, Delete, ConditionCheck }: TransactWriteItem): Item[] {
  const key = Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key;
  return key ? [key] : [];
}
