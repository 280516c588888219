import { validation } from './table-errors.ts';
import type { Item } from './table-values.ts';

/** The key of an item. */
export interface Place {
  readonly pk: string;
  readonly sk: string;
}

const MAX_PK_BYTES = 2048;
const MAX_SK_BYTES = 1024;

/** The place of a command's `Key`.
 *  @throws a ValidationException when it is no key of the table. */
export function placeOfKey(key: Item | undefined): Place {
  if (Object.keys(key ?? {}).length !== 2)
    throw validation('The provided key element does not match the schema');
  return placeOfItem(key as Item);
}

/** The place of a whole item.
 *  @throws a ValidationException when it has none. */
export function placeOfItem({ pk, sk }: Item): Place {
  const place = { pk: pk?.S ?? '', sk: sk?.S ?? '' };
  if (place.pk === '' || place.sk === '')
    throw validation('One or more parameter values were invalid: a key is missing, empty or not a string');
  if (Buffer.byteLength(place.pk) > MAX_PK_BYTES || Buffer.byteLength(place.sk) > MAX_SK_BYTES)
    throw validation('One or more parameter values were invalid: a key exceeds the maximum size');
  return place;
}

export function keyOf({ pk, sk }: Place): Item {
  return { pk: { S: pk }, sk: { S: sk } };
}

/** @throws a ValidationException when two of the places are equal. */
export function checkDistinct(places: readonly Place[], message: string): void {
  if (new Set(places.map(({ pk, sk }) => JSON.stringify([pk, sk]))).size < places.length)
    throw validation(message);
}
