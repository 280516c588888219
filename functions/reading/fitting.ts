/** The first of the items, as many as are so many bytes of JSON together. Lists of identifiers stand in items of the table,
 *  and nobody knows how long an identifier is. */
export function fitting<Item>(items: readonly Item[], bytes: number): Item[] {
  let room = bytes;
  const isOver = (item: Item) => {
    // With the comma behind it.
    room -= Buffer.byteLength(JSON.stringify(item)) + 1;
    return room < 0;
  };
  const end = items.findIndex(isOver);
  return end < 0 ? [...items] : items.slice(0, end);
}
