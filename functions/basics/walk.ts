/** How to walk. */
export interface Walk<Item> {
  readonly concurrency: number;
  readonly work: (item: Item) => Promise<void>;
  /** Asked before each item: true stops the walk there. */
  readonly shouldStop: () => boolean;
  /** Told the last item before which, itself included, nothing is left to do. Never called twice at once. */
  readonly onReached: (item: Item, done: number) => Promise<void>;
  /** True for a failure that says nothing of what another one met: that is thrown before it. */
  readonly yields?: (error: unknown) => boolean;
}

/** Works on the items, several at once, beginning them in order. A failure lets those that run end, begins no others,
 *  and is then thrown: what is reached is done, whatever happened beyond. */
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
