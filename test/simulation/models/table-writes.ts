import type { DeleteItemInput, PutItemInput, UpdateItemInput } from '@aws-sdk/client-dynamodb';
import { Expressions, type Placeholders } from './expressions-evaluate.ts';
import { validation } from './table-errors.ts';
import { keyOf, type Place, placeOfItem, placeOfKey } from './table-keys.ts';
import { checkValue, copyItem, type Item, sizeOf, storedItem } from './table-values.ts';

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
  /** What the command answers as `Attributes`; undefined for nothing. */
  readonly returned: (before: Item | undefined, after: Item | undefined) => Item | undefined;
}

/** What put, update and delete have in common with the conditions of a transaction. */
interface Conditional extends Placeholders {
  readonly ConditionExpression?: string | undefined;
  readonly ReturnValues?: string | undefined;
}

export function putOf(input: PutItemInput): Write {
  const given = input.Item ?? {};
  Object.values(given).forEach(checkValue);
  const place = placeOfItem(given);
  const size = sizeOf(given);
  if (size > MAX_ITEM_BYTES) throw validation('Item size has exceeded the maximum allowed size');
  const item = storedItem(given);
  return { place, size, ...conditional(input), result: () => item };
}

export function deleteOf(input: DeleteItemInput): Write {
  const place = placeOfKey(input.Key);
  return { place, size: sizeOf(keyOf(place)), ...conditional(input), result: () => undefined };
}

/** A transaction's action that writes nothing. */
export function checkOf(input: Conditional & { Key?: Item | undefined }): Write {
  const place = placeOfKey(input.Key);
  return { place, size: sizeOf(keyOf(place)), ...conditional(input), result: before => before };
}

export function updateOf(input: UpdateItemInput): Write {
  const place = placeOfKey(input.Key);
  const expressions = new Expressions(input);
  const holds = expressions.condition('ConditionExpression', input.ConditionExpression);
  const { names, apply } = expressions.update(input.UpdateExpression);
  expressions.end();
  return {
    place,
    size: sizeOf(keyOf(place)),
    holds,
    result: before => {
      const after = apply(before ?? keyOf(place));
      if (sizeOf(after) > MAX_ITEM_BYTES)
        throw validation('Item size to update has exceeded the maximum allowed size');
      return after;
    },
    returned: updateReturns(input.ReturnValues, names),
  };
}

function conditional(input: Conditional): Pick<Write, 'holds' | 'returned'> {
  const expressions = new Expressions(input);
  const holds = expressions.condition('ConditionExpression', input.ConditionExpression);
  expressions.end();
  const { ReturnValues = 'NONE' } = input;
  if (ReturnValues !== 'NONE' && ReturnValues !== 'ALL_OLD')
    throw validation('ReturnValues can only be ALL_OLD or NONE');
  return { holds, returned: before => (ReturnValues === 'ALL_OLD' && before ? copyItem(before) : undefined) };
}

function updateReturns(returnValues = 'NONE', names: readonly string[]): Write['returned'] {
  const some = (item: Item | undefined) => {
    const found = names.flatMap(name => (item?.[name] ? [[name, item[name]] as const] : []));
    return found.length > 0 ? copyItem(Object.fromEntries(found)) : undefined;
  };
  switch (returnValues) {
    case 'NONE':
      return () => undefined;
    case 'ALL_OLD':
      return before => before && copyItem(before);
    case 'ALL_NEW':
      return (_, after) => after && copyItem(after);
    case 'UPDATED_OLD':
      return before => some(before);
    case 'UPDATED_NEW':
      return (_, after) => some(after);
    default:
      throw validation(`ReturnValues can not be ${returnValues}`);
  }
}
