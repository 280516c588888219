/** Does the first item alone, then the others in order, at most `width` at once. The first failure rejects, once all that had
 *  begun is over; then no other begins. */
export async function oneThenMany<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const failures: unknown[] = [];
  const take = async (): Promise<boolean> => {
    const { value, done } = left.next();
    if (done || failures.length > 0) return false;
    try {
      await work(value);
    } catch (error) {
      failures.push(error);
    }
    return true;
  };
  const lane = async () => {
    while (await take());
  };
  await take();
  await Promise.all(Array.from({ length: width }, lane));
  if (failures.length > 0) throw failures[0];
}
