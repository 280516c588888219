/** Bytes of a snapshot in one item: DynamoDB takes 400 KB with all names and keys. */
export const PART_BYTES = 380_000;
/** DynamoDB's limits of one transaction: 100 items, 4 MB; we stay below for names, keys, and the state's small parts. */
export const MAX_ITEMS = 100;
export const MAX_BYTES = 3_900_000;

/** Whether a snapshot (undefined: a deletion), its change records and `more` further items fit one transaction. */
export function fitsOneTransaction(
  content: Uint8Array | undefined,
  changes: readonly Uint8Array[],
  more = 0,
): boolean {
  const blobs = content ? [content, ...changes] : changes;
  const bytes = blobs.reduce((sum, { length }) => sum + length, 0);
  const parts = content ? Math.ceil(content.length / PART_BYTES) : 1;
  // Stryker disable next-line EqualityOperator: a byte is nothing beside the 200 KB that are kept free.
  return parts + changes.length + more <= MAX_ITEMS && bytes <= MAX_BYTES;
}
