import type {
  ConditionCheck,
  DeleteItemInput,
  PutItemInput,
  TransactWriteItem,
  UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import { unknownToModel, validation } from './table-errors.ts';
import { Expressions } from './table-expressions.ts';
import { keyOf, type Place, placeOfItem, placeOfKey } from './table-keys.ts';
import { checkValue, copyItem, type Item, sizeOf } from './table-values.ts';

/** DynamoDB's limit of one item, with its names. */
const MAX_ITEM_BYTES = 400 * 1024;

/** A write whose request is valid. Whether it fits the item is not known yet. */
export interface Write {
  readonly place: Place;
  /** Bytes that count against a transaction's limit. */
  readonly size: number;
  /** Whether its condition holds for the item; a missing item counts as an empty one. */
  readonly holds: (item: Item) => boolean;
  /** The item afterwards; undefined when there is none.
   *  @throws a ValidationException when the update does not fit the item. */
  readonly result: (before: Item | undefined) => Item | undefined;
  /** The attributes of an update. */
  readonly names?: readonly string[];
}

export function writeOf({ Put, Delete, Update, ConditionCheck }: TransactWriteItem): Write {
  if (Put) return putOf(Put);
  if (Update) return updateOf(Update);
  const input: DeleteItemInput | ConditionCheck | undefined = Delete ?? ConditionCheck;
  if (!input) throw unknownToModel('a transaction with an empty action');
  const place = placeOfKey(input.Key);
  const result = (before: Item | undefined) => (Delete ? undefined : before);
  return { place, size: sizeOf(keyOf(place)), holds: conditionOf(input), result };
}

function putOf(input: PutItemInput): Write {
  const item = copyItem(input.Item ?? {});
  Object.values(item).forEach(checkValue);
  const place = placeOfItem(item);
  const size = sizeOf(item);
  if (size > MAX_ITEM_BYTES) throw validation('Item size has exceeded the maximum allowed size');
  return { place, size, holds: conditionOf(input), result: () => item };
}

function updateOf(input: UpdateItemInput): Write {
  const place = placeOfKey(input.Key);
  const expressions = new Expressions(input);
  const holds = expressions.condition(input.ConditionExpression);
  const { names, apply } = expressions.update(input.UpdateExpression);
  expressions.end();
  const result = (before: Item | undefined) => {
    const after = copyItem(apply(before ?? keyOf(place)));
    if (sizeOf(after) > MAX_ITEM_BYTES)
      throw validation('Item size to update has exceeded the maximum allowed size');
    return after;
  };
  return { place, size: sizeOf(keyOf(place)), holds, result, names };
}

function conditionOf(input: PutItemInput | DeleteItemInput | ConditionCheck): Write['holds'] {
  const expressions = new Expressions(input);
  const holds = expressions.condition(input.ConditionExpression);
  expressions.end();
  return holds;
}

/** The `Attributes` of an answer; undefined for none. */
export function returned(how: string | undefined, { names = [] }: Write, before: Item | undefined) {
  if (how === undefined) return undefined;
  if (how !== 'ALL_OLD' && how !== 'UPDATED_OLD') throw unknownToModel(`the ReturnValues ${how}`);
  if (!before) return undefined;
  if (how === 'ALL_OLD') return copyItem(before);
  const old = names.flatMap(name => (before[name] ? [[name, before[name]] as const] : []));
  return old.length > 0 ? copyItem(Object.fromEntries(old)) : undefined;
}
