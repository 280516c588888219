/** Works on the items, beginning them in order, at most `width` at once. After a failure, also of the
 *  iterator itself, no other is begun; once those under way have ended, the first failure is thrown. No
 *  library does this (docs/decisions/0113). */
export async function inParallel<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    try {
      while (failures.length === 0) {
        const { value, done } = await left.next();
        if (done || failures.length > 0) return;
        await work(value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: width }, worker));
  if (failures.length > 0) throw failures[0];
}

/** The same for a list, with the results in the order of the items. */
export async function mapInParallel<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  await inParallel(items.entries(), width, async ([index, item]) => {
    results[index] = await work(item);
  });
  return results;
}
