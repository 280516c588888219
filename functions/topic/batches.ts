import { bytesOf, type Message } from './entry.ts';

/** SNS's limits of one PublishBatch. */
const MAX_ENTRIES = 10;
const MAX_BYTES = 256 * 1024;

/** Batches of at most 10 messages and 256 KB, in order. */
export function batchesOf<Item extends { readonly message: Message }>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item.message);
    const batch = batches.at(-1);
    if (!batch || batch.length === MAX_ENTRIES || bytes + size > MAX_BYTES) {
      batches.push([item]);
      bytes = size;
    } else {
      batch.push(item);
      bytes += size;
    }
  }
  return batches;
}
