import { jsonEqual } from '../changes/equal.ts';
import { updateTime } from '../changes/ignored-fields.ts';
import type { Snapshot, Tombstone } from '../snapshots/snapshots.ts';
import type { Listed } from './listing.ts';

/** Clocks of one service's machines may differ by this much, and tell seconds only: what was read so much later is newer. */
export const CLOCK_TOLERANCE_MS = 5_000;
/** Ours may be wrong by hours, and differ between two pollers (docs/decisions/0052). */
const OUR_CLOCK_TOLERANCE_MS = 24 * 60 * 60 * 1000;

/** Which project record is the newer one: the listing's, the snapshot's, or nobody can tell yet.
 *
 *  A sweep lists first and walks for minutes; meanwhile a `changes` pass may have committed a newer record. To compare
 *  the older one with it would tell a change back that never happened. What was listed clearly
 *  later is newer: by seconds, or by a day where one of the two was read by nothing but our own clock. Else the records' own
 *  update times decide (a single answer with a `Date` ahead of its time must not make a snapshot win for good), and where
 *  these are missing or the same, the times of reading. Where nothing tells them apart, the snapshot's stands for now, and
 *  the next pass, which lists again, decides. */
export function freshest(
  listed: Listed | undefined,
  snapshot: Snapshot | undefined,
): { readonly newer: 'listed' | 'snapshot'; readonly isUncertain: boolean } {
  if (!snapshot) return { newer: 'listed', isUncertain: false };
  if (!listed) return { newer: 'snapshot', isUncertain: false };
  const order = newerBy(listed, snapshot);
  if (order > 0) return { newer: 'listed', isUncertain: false };
  return {
    newer: 'snapshot',
    isUncertain: order === 0 && !jsonEqual(listed.record, snapshot.content.record),
  };
}

/** Whether a listing shows a project that was made again after its deletion: it was read clearly later than the listing that
 *  lacked it. By our own clocks that is known after a day, or where the record was updated since, too. Else it may show what was
 *  there before, and the next pass, which lists again, decides. */
export function isMadeAgain(listed: Listed, tombstone: Tombstone): boolean {
  const byReading = listed.readAt - tombstone.readAt;
  if (!listed.untimed && !tombstone.untimed) return byReading > CLOCK_TOLERANCE_MS;
  if (byReading > OUR_CLOCK_TOLERANCE_MS) return true;
  const [theirs, ours] = [updateTime(listed.record), tombstone.updatedAt];
  // An edit that no snapshot had seen may be older than the deletion: that alone tells nothing.
  const isUpdated = theirs === undefined || ours === undefined || theirs > ours;
  return isUpdated && byReading > CLOCK_TOLERANCE_MS;
}

function newerBy(listed: Listed, snapshot: Snapshot): number {
  const byReading = listed.readAt - snapshot.recordReadAt;
  if (byReading > (listed.untimed || snapshot.untimed ? OUR_CLOCK_TOLERANCE_MS : CLOCK_TOLERANCE_MS))
    return byReading;
  const [theirs, ours] = [updateTime(listed.record), updateTime(snapshot.content.record)];
  return theirs !== undefined && ours !== undefined && theirs !== ours ? theirs - ours : byReading;
}
