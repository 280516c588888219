/**
 * The conditions of the table. The life of one project's item:
 *
 *   absent ──IS_ABSENT──▶ v1 ──IS_VERSION(v1)──▶ v2 > v1 ── … ──IS_VERSION(n), delete──▶ absent
 *
 * and of one mode's lease:
 *
 *   free ──IS_FREE──▶ A's ──IS_OURS(A): progress, progress, …──▶ IS_OURS(A): finish or release ──▶ free
 *                      └── A dies; `until` passes ──IS_FREE──▶ B's ──▶ …   (A, if alive, fails IS_OURS from here on)
 *
 * Each run has its own owner name. A request that is repeated because its answer was lost must succeed again:
 * so IS_FREE accepts `leaseOwner = :me`, and IS_OURS_TO_END `endedBy = :me`, which the next owner removes. A
 * lease that is given back leaves another name (`givenBackBy`): so all states without a lease differ, except
 * before the first lease.
 *
 * and of one endpoint's row:
 *
 *   absent ──IS_ABSENT──▶ r ──IS_REVISION(r)──▶ r+1 ── … ──IS_REVISION(n), delete──▶ absent   (else read again)
 *
 * of its slot:
 *
 *   slot free ──SLOT_IS_FREE──▶ taken ──SLOT_IS_NEAR: booked after it──▶ taken ── time passes ──▶ free
 *
 * and of one of its deliveries; `dead` comes and goes in one transaction with `pending`:
 *
 *   absent ──IS_ABSENT──▶ pending ──TRIED, UNTRIED or DUE_LATER: new time──▶ pending ── delete ──▶ delivered
 *                         pending ──IS_THERE──▶ dead ──IS_THERE, and IS_ABSENT for pending──▶ pending
 *
 * and of one audit entry, until it is forgotten:
 *
 *   absent ──IS_ABSENT──▶ emitted   (else check which ones were emitted)
 *
 * and of one recheck, whose revisions are never reused, not even for a row that is created again:
 *
 *   absent ──IS_ABSENT──▶ r ──IS_REVISION(r)──▶ r' > r ── … ──IS_REVISION(n), delete──▶ absent   (else left alone)
 *
 * of one change record, until it expires:
 *
 *   absent ──IS_ABSENT──▶ events ──HAS_EVENTS(events)──▶ some erased ── …   (else read again)
 *
 * and of the announcements of one process, whose versions only grow:
 *
 *   none ──NONE_ANNOUNCED──▶ v1 ──IS_LAST_ANNOUNCED(v1)──▶ v2 > v1 ── …   (else read again)
 *
 * of the time whose passes ticks start:
 *
 *   none ──NEVER_CLAIMED──▶ up to t1 ──IS_LAST_CLAIMED(t1)──▶ up to t2 ── …   (else start nothing)
 *
 * and of the table's layout:
 *
 *   none ──IS_ABSENT──▶ v1 ──IS_LAYOUT(v1)──▶ v1, done to k ──IS_LAYOUT_BEGUN(v1, k)──▶ … ──▶ v2   (else read again)
 *
 * The commits and announcements of a baseline emit nothing. They require NOT_BASELINED as well: after the end
 * of the baseline, changes that they write silently would never be emitted.
 */
export const IS_ABSENT = 'attribute_not_exists(pk)';
/** Without it, the update of an item that was deleted would create it again. */
export const IS_THERE = 'attribute_exists(pk)';
export const IS_VERSION = 'version = :expected';
export const IS_FREE =
  'attribute_not_exists(leaseOwner) OR leaseUntil < :now OR leaseUntil > :far OR leaseOwner = :me';
/** No pass has begun since the state was read, which had no lease (`changesEndedBy`). */
export const IS_FREE_SINCE = 'leaseOwner = :me OR endedBy = :ended';
export const IS_NEVER_TAKEN =
  'leaseOwner = :me OR (attribute_not_exists(endedBy) AND attribute_not_exists(leaseOwner))';
/** No pass has the lease, or it has expired. A pass that is still running fails IS_OURS afterwards,
 *  because the item is deleted. */
export const NOT_WALKED = 'attribute_not_exists(leaseOwner) OR leaseUntil < :now';
export const IS_OURS = 'leaseOwner = :me';
export const IS_OURS_TO_END = 'leaseOwner = :me OR endedBy = :me';
/** `announced` as `updateOf` names it. */
export const NONE_ANNOUNCED = 'attribute_not_exists(#announced)';
export const IS_LAST_ANNOUNCED = '#announced = :before';
/** The events of a change record are those that were read. */
export const HAS_EVENTS = 'events = :read';
/** `baselined` is written once, when the baseline ends. */
export const NOT_BASELINED = 'attribute_not_exists(baselined)';
/** A row that is created again begins with a new revision, so that it can't be mistaken for the removed
 *  one. */
export const IS_REVISION = 'revision = :expected';
export const TRIED = 'attribute_exists(triedAt)';
export const UNTRIED = 'attribute_exists(pk) AND attribute_not_exists(triedAt)';
export const DUE_LATER = 'due > :now';
/** A delivery for a consumer has the lease, or none, with which it was read. A request that is repeated because its
 *  answer was lost fails: the item is read again, which then is as the request leaves it. */
export const IS_AS_READ = 'due = :read AND attributes = :attributes';
export const SLOT_IS_FREE = 'attribute_not_exists(nextSlot) OR nextSlot <= :now OR nextSlot > :far';
export const SLOT_IS_NEAR = 'nextSlot > :now AND nextSlot <= :latest';
/** Required by `release`: only a process on hold has `hold`. */
export const IS_ON_HOLD = 'attribute_exists(#hold)';
export const NEVER_CLAIMED = 'attribute_not_exists(claimedThrough)';
export const IS_LAST_CLAIMED = 'claimedThrough = :seen';
/** The row of the layout while it is migrated: between two pages of a step, or before the first. */
export const IS_LAYOUT_BEGUN = 'version = :version AND doneTo = :doneTo';
export const IS_LAYOUT = 'version = :version AND attribute_not_exists(doneTo)';
export const IS_REPLAYED = 'replay = :true';

/** The condition that an item is as it was read: absent if `before` is undefined, or with this version or
 *  revision. */
export function asRead(condition: typeof IS_VERSION | typeof IS_REVISION, before: number | undefined) {
  if (before === undefined) return { ConditionExpression: IS_ABSENT };
  return {
    ConditionExpression: condition,
    ExpressionAttributeValues: { ':expected': { N: String(before) } },
  };
}
