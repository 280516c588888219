import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { KeyError, validation } from './table-errors.ts';
import { checkValue, type Item, KEY_NAMES } from './table-values.ts';

/** Where an item is. */
export interface Place {
  readonly pk: string;
  readonly sk: string;
}

const MAX_PK = 2048;
const MAX_SK = 1024;

/** The place that a command's `Key` tells.
 *  @throws a ValidationException when it is no key of the table. */
export function placeOfKey(key: Item | undefined): Place {
  const { pk, sk, ...others } = key ?? {};
  if (pk?.S === undefined || sk?.S === undefined || Object.keys(others).length > 0)
    throw new KeyError('The provided key element does not match the schema');
  return checkedPlace({ pk: pk.S, sk: sk.S }, [pk, sk]);
}

/** The place of a whole item.
 *  @throws a ValidationException when it has none. */
export function placeOfItem(item: Item): Place {
  for (const name of KEY_NAMES) {
    const value = item[name];
    const wrong = 'One or more parameter values were invalid:';
    if (value === undefined) throw new KeyError(`${wrong} Missing the key ${name} in the item`);
    if (value.S === undefined)
      throw new KeyError(
        `${wrong} Type mismatch for key ${name} expected: S actual: ${Object.keys(value).join()}`,
      );
  }
  const { pk, sk } = item;
  return checkedPlace({ pk: pk?.S ?? '', sk: sk?.S ?? '' }, []);
}

export function keyOf({ pk, sk }: Place): Item {
  return { pk: { S: pk }, sk: { S: sk } };
}

function checkedPlace(place: Place, values: readonly AttributeValue[]): Place {
  values.forEach(checkValue);
  for (const name of KEY_NAMES) {
    if (place[name] !== '') continue;
    throw validation(
      `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
    );
  }
  const wrong = 'One or more parameter values were invalid:';
  if (Buffer.byteLength(place.pk) > MAX_PK)
    throw new KeyError(`${wrong} Size of hashkey has exceeded the maximum size limit of2048 bytes`);
  if (Buffer.byteLength(place.sk) > MAX_SK)
    throw new KeyError(
      `${wrong} Aggregated size of all range keys has exceeded the size limit of 1024 bytes`,
    );
  return place;
}
