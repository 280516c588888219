/** No library does this (docs/decisions/0113). Begins the items in order, at most `width` at once. The first failure, also of the
 *  items themselves, rejects once all that had begun is over; then no other begins, nor is it asked for. */
export async function inParallel<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  width: number,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const failures: unknown[] = [];
  const lane = async () => {
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
  await Promise.all(Array.from({ length: width }, lane));
  if (failures.length > 0) throw failures[0];
}
