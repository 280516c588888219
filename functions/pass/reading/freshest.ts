import { jsonEqual } from '../../changes/equal.ts';
import { updateTime } from '../../changes/ignored-fields.ts';
import type { Snapshot, Tombstone } from '../../store/snapshots.ts';
import type { Listed } from './listing.ts';

/** The clocks of the service's machines may differ, and count whole seconds: what was read later by more than this is newer. */
export const CLOCK_TOLERANCE_MS = 5_000;
/** Our own clock may be wrong by hours, and differ between two pollers (docs/decisions/0052). */
const OUR_CLOCK_TOLERANCE_MS = 24 * 60 * 60 * 1000;

/** Which project record is the newer one: the listing's, the snapshot's, or nobody can tell yet.
 *
 *  A sweep lists first, then walks for minutes; meanwhile a `changes` pass may commit a newer record. Comparing the older
 *  record with that one would report a change back to the old value, which never happened. So, in this order:
 *  1. A record that was listed clearly later than the snapshot's is newer: later by seconds, or by a day if one of the two
 *     times is by our own clock.
 *  2. Else the later update time wins, so that one answer with a `Date` in the future can't make a snapshot win for good.
 *  3. If an update time is missing, or both are equal, the later time of reading wins.
 *  4. If these are equal, too, the snapshot's record stands. If the two differ, the project is uncertain: a later pass, which
 *     lists it again, decides. */
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

/** Whether a listing shows a project that was made again after its deletion. It does if it was read clearly later than the
 *  listing that lacked the project: later by seconds; by our own clock, by a day, or by seconds if the record was also updated
 *  since. Else it may show the project as it was before the deletion, and the next pass, which lists again, decides. */
export function isMadeAgain(listed: Listed, tombstone: Tombstone): boolean {
  const byReading = listed.readAt - tombstone.readAt;
  if (!listed.untimed && !tombstone.untimed) return byReading > CLOCK_TOLERANCE_MS;
  if (byReading > OUR_CLOCK_TOLERANCE_MS) return true;
  const [theirs, ours] = [updateTime(listed.record), tombstone.updatedAt];
  // A newer update time alone proves nothing: the edit may have come before the deletion, with no snapshot of it.
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
