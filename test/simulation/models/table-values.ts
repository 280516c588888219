import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unknownToModel } from './table-errors.ts';

export type Item = Record<string, AttributeValue>;

/** The types of values that the store writes. */
const TYPES: readonly string[] = ['S', 'N', 'B', 'BOOL', 'M'];

/** @throws for a value that DynamoDB refuses, and for one of a kind that the store does not write. */
export function checkValue(value: AttributeValue): void {
  const [type = 'none', second] = Object.keys(value);
  if (!TYPES.includes(type) || second !== undefined)
    throw unknownToModel(`values of type ${Object.keys(value)}`);
  // Numbers as JavaScript writes them are also as DynamoDB keeps them.
  if (value.N !== undefined && (!/^-?[\d.]+$/.test(value.N) || String(Number(value.N)) !== value.N))
    throw unknownToModel(`the number ${value.N}`);
  if (value.S !== undefined && !value.S.isWellFormed())
    throw unknownToModel(`strings with half a surrogate pair: ${JSON.stringify(value.S.slice(0, 100))}`);
  for (const inner of Object.values(value.M ?? {})) checkValue(inner);
}

/** A copy for the table or for its caller: a change of it changes no other. Bytes are not copied, because
 *  no code writes into them. */
export function copyItem(item: Item): Item {
  const copy: Item = {};
  for (const name in item) copy[name] = copyValue(item[name] as AttributeValue);
  return copy;
}

function copyValue(value: AttributeValue): AttributeValue {
  if (value.M !== undefined) return { M: copyItem(value.M) };
  // Plain bytes, as an answer has them, for the Buffers of requests.
  if (value.B !== undefined)
    return { B: new Uint8Array(value.B.buffer, value.B.byteOffset, value.B.byteLength) };
  return { ...value };
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
  return value.M === undefined ? 1 : 3 + Object.keys(value.M).length + sizeOf(value.M);
}

/** Two digits take a byte on each side of the point, without zeroes at both ends. */
function sizeOfNumber(text: string): number {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const digits = fraction === '' ? whole.replace(/0+$/, '') : whole;
  return 1 + Math.ceil(digits.length / 2) + Math.ceil(fraction.length / 2) + Number(text.startsWith('-'));
}

export function equal(left: AttributeValue, right: AttributeValue): boolean {
  if (left.B !== undefined) return right.B !== undefined && Buffer.compare(left.B, right.B) === 0;
  if (left.M !== undefined) return right.M !== undefined && equalItems(left.M, right.M);
  return left.S === right.S && left.N === right.N && left.BOOL === right.BOOL;
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
