import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unknownToModel, validation } from './table-errors.ts';
import { canonical, compareNumbers } from './table-numbers.ts';

export type Item = Record<string, AttributeValue>;

/** The names of the key's attributes: all of our tables have these. */
export const KEY_NAMES = ['pk', 'sk'] as const;

export function isKeyName(name: string): boolean {
  return name === 'pk' || name === 'sk';
}

/** @throws a ValidationException for a value with no type or two, or that DynamoDB can't hold. */
export function checkValue(value: AttributeValue): AttributeValue {
  typeOf(value);
  if (value.N !== undefined) canonical(value.N);
  if (value.S !== undefined && !value.S.isWellFormed())
    throw unknownToModel(`strings with half a surrogate pair: ${JSON.stringify(value.S.slice(0, 100))}`);
  if (value.L !== undefined) value.L.forEach(checkValue);
  if (value.M !== undefined) Object.values(value.M).forEach(checkValue);
  return value;
}

export function typeOf(value: AttributeValue): string {
  const types = Object.entries(value).flatMap(([type, content]) => (content === undefined ? [] : [type]));
  const [type, second] = types;
  if (type === undefined)
    throw validation('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
  if (second !== undefined)
    throw validation(
      'Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes',
    );
  if (!['S', 'N', 'B', 'BOOL', 'NULL', 'L', 'M'].includes(type))
    throw unknownToModel(`values of type ${type}`);
  return type;
}

/** A copy for the table or for its caller: changing it changes no other. Bytes are not copied, because
 *  nobody writes into them. */
export function copyValue(value: AttributeValue): AttributeValue {
  if (value.L !== undefined) return { L: value.L.map(copyValue) };
  if (value.M !== undefined) return { M: copyItem(value.M) };
  return { ...value };
}

export function copyItem(item: Item): Item {
  const copy: Item = {};
  for (const name in item) copy[name] = copyValue(item[name] as AttributeValue);
  return copy;
}

/** The value as DynamoDB keeps it: numbers in their one form, bytes as plain bytes. */
export function storedValue(value: AttributeValue): AttributeValue {
  if (value.N !== undefined) return { N: canonical(value.N) };
  if (value.B !== undefined)
    return { B: new Uint8Array(value.B.buffer, value.B.byteOffset, value.B.byteLength) };
  if (value.L !== undefined) return { L: value.L.map(storedValue) };
  if (value.M !== undefined) return { M: storedItem(value.M) };
  return { ...value };
}

export function storedItem(item: Item): Item {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, storedValue(value)]));
}

/** Bytes, as DynamoDB counts them against its limits. */
export function sizeOf(item: Item): number {
  let size = 0;
  for (const name in item) size += Buffer.byteLength(name) + sizeOfValue(item[name] as AttributeValue);
  return size;
}

function sizeOfValue(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.B !== undefined) return value.B.length;
  if (value.N !== undefined) return sizeOfNumber(value.N);
  if (value.L !== undefined) return value.L.reduce((sum, one) => sum + 1 + sizeOfValue(one), 3);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + sizeOf(value.M);
  return 1;
}

/** A number's size: two digits take a byte on each side of the point, without zeroes at both ends. */
function sizeOfNumber(text: string): number {
  const [whole = '', fraction = ''] = text
    .replace('-', '')
    .replace(/^0+|(?<=\..*)0+$/g, '')
    .split('.');
  const [digits, decimals] =
    fraction === ''
      ? [whole.replace(/0+$/, ''), '']
      : [whole, whole === '' ? fraction.replace(/^0+/, '') : fraction];
  const sign = text.startsWith('-') ? 1 : 0;
  return 1 + Math.ceil(digits.length / 2) + Math.ceil(decimals.length / 2) + sign;
}

export function equal(left: AttributeValue, right: AttributeValue): boolean {
  if (left.S !== undefined) return left.S === right.S;
  if (left.BOOL !== undefined) return left.BOOL === right.BOOL;
  if (left.NULL !== undefined) return left.NULL === right.NULL;
  if (left.N !== undefined) return right.N !== undefined && compareNumbers(left.N, right.N) === 0;
  if (left.B !== undefined) return right.B !== undefined && Buffer.compare(left.B, right.B) === 0;
  if (left.M !== undefined) return right.M !== undefined && equalItems(left.M, right.M);
  const [some, others] = [left.L ?? [], right.L];
  return (
    others !== undefined &&
    some.length === others.length &&
    some.every((one, index) => equal(one, others[index] as AttributeValue))
  );
}

export function equalItems(left: Item, right: Item): boolean {
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every(name => {
      const [one, other] = [left[name], right[name]];
      return one !== undefined && other !== undefined && (one === other || equal(one, other));
    })
  );
}

/** The order of two values; undefined when they are of two types, or of one that has none. */
export function compare(left: AttributeValue, right: AttributeValue): number | undefined {
  if (left.S !== undefined && right.S !== undefined) return compareStrings(left.S, right.S);
  if (left.N !== undefined && right.N !== undefined) return compareNumbers(left.N, right.N);
  if (left.B !== undefined && right.B !== undefined) return Buffer.compare(left.B, right.B);
  return undefined;
}

/** The order of two strings' UTF-8 bytes: that of their code points, and not that of JavaScript's code units. */
export function compareStrings(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const [one, other] = [left.charCodeAt(index), right.charCodeAt(index)];
    if (one !== other) return rank(one) - rank(other);
  }
  return left.length - right.length;
}

/** Surrogates stand for code points above all other code units. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
