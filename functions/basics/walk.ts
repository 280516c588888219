/** How `walk` works on its items. */
interface Walk<Item> {
  readonly concurrency: number;
  readonly work: (item: Item) => Promise<void>;
  /** Asked before each item; true begins no further one. */
  readonly shouldStop: () => boolean;
  /** Called with the last item up to which all are done, and how many these are. Never called twice at
   *  once. */
  readonly onReached: (item: Item, done: number) => Promise<void>;
  /** True for a failure that is thrown only if there is no other: it says nothing about the others. */
  readonly yields?: (error: unknown) => boolean;
}

/** Works on the items, several at once, beginning them in order. After a failure no other is begun, and when
 *  those under way have ended the failure is thrown. All items up to the one that was last passed to
 *  `onReached` are done, whatever failed after it. */
export async function walk<Item>(items: readonly Item[], how: Walk<Item>): Promise<'done' | 'stopped'> {
  const done: boolean[] = [];
  let next = 0;
  let reached = 0;
  let stopped = false;
  let telling = Promise.resolve();

  const tell = () => {
    const before = reached;
    while (done[reached]) reached += 1;
    const [last, count] = [items[reached - 1], reached];
    if (count > before) telling = telling.then(() => how.onReached(last as Item, count));
    return telling;
  };
  const worker = async () => {
    while (next < items.length && !stopped) {
      if (how.shouldStop()) stopped = true;
      else {
        const index = next++;
        await how.work(items[index] as Item);
        done[index] = true;
        await tell();
      }
    }
  };
  const stopOnFailure = async () => {
    try {
      await worker();
    } catch (error) {
      stopped = true;
      throw error;
    }
  };
  const workers = Array.from({ length: how.concurrency }, stopOnFailure);
  const ended = await Promise.allSettled(workers);
  const failures = ended.flatMap(result => (result.status === 'rejected' ? [result.reason] : []));
  if (failures.length > 0) throw failures.find(error => how.yields?.(error) !== true) ?? failures[0];
  return stopped ? 'stopped' : 'done';
}
