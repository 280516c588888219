import type { AuditPosition } from '../snapshots/state.ts';

/** So many digests are remembered: they stand in one item of the table. */
const MOST = 5_000;

/** How many of them are of the head of the log; the others are of its end. */
const OF_HEAD = { 'newest-first': MOST, 'oldest-first': 0, unknown: MOST / 2 };

/** What to remember of the entries that were read where new ones may come, `digests` in their order. A log in one page, however
 *  long, would fill the item: what is remembered is then cut to what is next to the new ones. */
export function remembered(
  order: AuditPosition['order'],
  digests: readonly string[],
): Pick<AuditPosition, 'seen' | 'isCut'> {
  const all = [...new Set(digests)];
  if (all.length <= MOST) return { seen: all };
  const [head, end] = [OF_HEAD[order], digests.length - MOST + OF_HEAD[order]];
  return { seen: [...digests.slice(0, head), ...digests.slice(end)], isCut: true };
}

/** From which to which index (the last excluded) entries of a page were seen, but are remembered no longer: behind what is known
 *  of the head, before what is known of the end. */
export function forgotten(
  { order, seen, isCut = false }: AuditPosition,
  digests: readonly string[],
): readonly [from: number, to: number] {
  if (!isCut) return [0, 0];
  const [head, end] = [seen.slice(0, OF_HEAD[order]), seen.slice(OF_HEAD[order])];
  // Equal entries may stand elsewhere, too: what counts is where the head's stand first, and the end's last.
  const [first, last] = [new Map<string, number>(), new Map<string, number>()];
  for (const [index, one] of digests.entries()) {
    if (!first.has(one)) first.set(one, index);
    last.set(one, index);
  }
  const from = head.reduce((most, one) => Math.max(most, (first.get(one) ?? -1) + 1), 0);
  const to = end.reduce((least, one) => Math.min(least, last.get(one) ?? least), digests.length);
  return from === 0 && to === digests.length ? [0, 0] : [from, to];
}
