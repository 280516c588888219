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
  if (digests.length <= MOST) return { seen: digests };
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
  const [head, end] = [new Set(seen.slice(0, OF_HEAD[order])), new Set(seen.slice(OF_HEAD[order]))];
  const from = digests.findLastIndex(one => head.has(one)) + 1;
  const to = digests.findIndex(one => end.has(one));
  if (to >= 0) return [from, to];
  return [from, from === 0 ? 0 : digests.length];
}
