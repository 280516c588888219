/** Merges sequences that are sorted into one that is. Holds one item of each at a time. */
export async function* merged<Item>(
  sequences: readonly AsyncIterable<Item>[],
  isBefore: (one: Item, other: Item) => boolean,
): AsyncIterable<Item> {
  const iterators = sequences.map(sequence => sequence[Symbol.asyncIterator]());
  // All begin at once: one after the other they would take as long as all of them together.
  const heads = await Promise.all(iterators.map(iterator => iterator.next()));
  for (;;) {
    let first = -1;
    for (const [index, head] of heads.entries()) {
      const best = heads[first];
      if (!head.done && (best === undefined || isBefore(head.value, best.value))) first = index;
    }
    const [head, iterator] = [heads[first], iterators[first]];
    if (!head || !iterator) return;
    yield head.value;
    heads[first] = await iterator.next();
  }
}
