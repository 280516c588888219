import { PART_BYTES } from '../limits.ts';

/** A blob in pieces that each fit one item; one at least. */
export function partsOf(bytes: Uint8Array): [Uint8Array, ...Uint8Array[]] {
  const part = (index: number) => bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES);
  const more = Math.ceil(bytes.length / PART_BYTES) - 1;
  return [part(0), ...Array.from({ length: more }, (_, index) => part(index + 1))];
}
