/** How many digests are remembered at most: they stand in one item of the table. */
const MOST = 5_000;

/** How many of these are of the first entries of the log; the others are of its last entries. */
const OF_HEAD = { 'newest-first': MOST, 'oldest-first': 0, unknown: MOST / 2 };

/** Which of `digests` to remember: those of the pages where new entries may appear, in the order of the log. A page may have any
 *  length; if there are too many for the item, only those next to where new entries appear are remembered. */
import type { AuditPosition } from '../../model/process-state.ts';
export function remembered(
  order: AuditPosition['order'],
  digests: readonly string[],
): Pick<AuditPosition, 'seen' | 'isCut'> {
  const all = [...new Set(digests)];
  if (all.length <= MOST) return { seen: all };
  const [head, end] = [OF_HEAD[order], digests.length - MOST + OF_HEAD[order]];
  return { seen: [...digests.slice(0, head), ...digests.slice(end)], isCut: true };
}

/** The range of a page's entries (`to` excluded) that were seen, but not remembered because there were too many: they stand
 *  after the remembered first entries and before the remembered last ones. */
export function forgotten(
  { order, seen, isCut = false }: AuditPosition,
  digests: readonly string[],
): readonly [from: number, to: number] {
  if (!isCut) return [0, 0];
  const [head, end] = [seen.slice(0, OF_HEAD[order]), seen.slice(OF_HEAD[order])];
  // Equal entries may occur several times: of the first entries the first occurrence counts, of the last ones the last.
  const [first, last] = [new Map<string, number>(), new Map<string, number>()];
  for (const [index, one] of digests.entries()) {
    if (!first.has(one)) first.set(one, index);
    last.set(one, index);
  }
  const from = head.reduce((most, one) => Math.max(most, (first.get(one) ?? -1) + 1), 0);
  const to = end.reduce((least, one) => Math.min(least, last.get(one) ?? least), digests.length);
  return from === 0 && to === digests.length ? [0, 0] : [from, to];
}
