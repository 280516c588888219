/** Merges sorted sequences into one. Holds one item of each at a time. */
export async function* merged<Item>(
  sequences: readonly AsyncIterable<Item>[],
  isBefore: (one: Item, other: Item) => boolean,
): AsyncIterable<Item> {
  const iterators = sequences.map(sequence => sequence[Symbol.asyncIterator]());
  // All start concurrently: one after the other they would take as long as all of them together.
  const heads = await Promise.all(
    iterators.map(async iterator => ({ iterator, next: await iterator.next() })),
  );
  for (;;) {
    let first: (typeof heads)[number] | undefined;
    for (const head of heads)
      if (!head.next.done && (!first || isBefore(head.next.value, first.next.value))) first = head;
    if (!first) return;
    yield first.next.value;
    first.next = await first.iterator.next();
  }
}
