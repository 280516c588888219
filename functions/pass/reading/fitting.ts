/** The first items, as many as fit into `bytes` when written as JSON. Lists with identifiers are stored in items of the
 *  table, whose size is limited, and identifiers may have any length. */
export function fitting<Item>(items: readonly Item[], bytes: number): Item[] {
  let room = bytes;
  const isOver = (item: Item) => {
    // + 1: the comma.
    room -= Buffer.byteLength(JSON.stringify(item)) + 1;
    return room < 0;
  };
  const end = items.findIndex(isOver);
  return end < 0 ? [...items] : items.slice(0, end);
}
