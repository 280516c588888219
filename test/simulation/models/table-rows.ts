import type { Place } from './table-keys.ts';
import { compareStrings, type Item } from './table-values.ts';

/** An item as the table holds it. It never changes: a write puts another one in its place. */
export interface Row {
  readonly sk: string;
  readonly item: Item;
  /** Bytes. */
  readonly size: number;
}

/** A write, and the row that was there before. */
export interface Written {
  readonly place: Place;
  readonly before: Row | undefined;
}

/** The table's items: by their keys, and in the order of the sort keys' bytes. */
export class Rows {
  readonly #partitions = new Map<string, { readonly byKey: Map<string, Row>; readonly inOrder: Row[] }>();

  get({ pk, sk }: Place): Row | undefined {
    return this.#partitions.get(pk)?.byKey.get(sk);
  }

  put(pk: string, row: Row): void {
    const partition = this.#partitions.get(pk) ?? { byKey: new Map(), inOrder: [] };
    this.#partitions.set(pk, partition);
    const at = firstFrom(partition.inOrder, row.sk);
    partition.inOrder.splice(at, partition.byKey.has(row.sk) ? 1 : 0, row);
    partition.byKey.set(row.sk, row);
  }

  delete({ pk, sk }: Place): void {
    const partition = this.#partitions.get(pk);
    if (!partition?.byKey.delete(sk)) return;
    partition.inOrder.splice(firstFrom(partition.inOrder, sk), 1);
  }

  /** In the order of the sort keys. */
  partition(pk: string): readonly Row[] {
    return this.#partitions.get(pk)?.inOrder ?? [];
  }

  /** The rows as they were before these writes, the latest of which is the last. */
  before(writes: readonly Written[]): Rows {
    const earlier = new Rows();
    const touched = new Set(writes.map(({ place }) => place.pk));
    for (const [pk, partition] of this.#partitions) {
      const copied = () => ({ byKey: new Map(partition.byKey), inOrder: [...partition.inOrder] });
      earlier.#partitions.set(pk, touched.has(pk) ? copied() : partition);
    }
    for (const { place, before } of writes.toReversed())
      if (before) earlier.put(place.pk, before);
      else earlier.delete(place);
    return earlier;
  }

  *all(): Iterable<Row> {
    for (const { inOrder } of this.#partitions.values()) yield* inOrder;
  }

  /** All rows after `start` in the order of `all`, whether there is a row at `start` or not. */
  *after(start: Place): Iterable<Row> {
    let isAfter = false;
    for (const [pk, { inOrder }] of this.#partitions) {
      if (isAfter) yield* inOrder;
      else if (pk === start.pk) yield* inOrder.slice(firstAfter(inOrder, start.sk));
      isAfter ||= pk === start.pk;
    }
  }
}

/** The index of the first row whose sort key is `sk` or after it. */
export function firstFrom(rows: readonly Pick<Row, 'sk'>[], sk: string): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareStrings(rows[middle]?.sk ?? '', sk) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first row whose sort key is after `sk`. */
export function firstAfter(rows: readonly Pick<Row, 'sk'>[], sk: string): number {
  const at = firstFrom(rows, sk);
  return rows[at]?.sk === sk ? at + 1 : at;
}
