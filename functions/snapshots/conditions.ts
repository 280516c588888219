/**
 * Every condition of the table has a name here. The life of one project's item:
 *
 *   absent ──IS_ABSENT──▶ v1 ──IS_VERSION(v1)──▶ v2 > v1 ── … ──IS_VERSION(n), delete──▶ absent
 *
 * and of one mode's lease:
 *
 *   free ──IS_FREE──▶ A's ──IS_OURS(A): progress, progress, …──▶ IS_OURS(A): finish or release ──▶ free
 *                      └── A dies; `until` passes ──IS_FREE──▶ B's ──▶ …   (A, if alive, fails IS_OURS from here on)
 *
 * An owner's name is of one run alone. `leaseOwner = :me` is for a request that is repeated because its answer was lost.
 *
 * and of one endpoint's item:
 *
 *   served ──FIRST_STOP──▶ stopped ── an operator deletes the item ──▶ served
 *   slot free ──SLOT_IS_FREE──▶ taken ──SLOT_IS_TAKEN: booked behind──▶ taken ── time passes ──▶ free
 *
 * and of the announcements of one process, whose versions only grow:
 *
 *   none ──NONE_ANNOUNCED──▶ v1 ──IS_LAST_ANNOUNCED(v1)──▶ v2 > v1 ── …   (who fails it reads the state again)
 */
export const IS_ABSENT = 'attribute_not_exists(pk)';
export const IS_VERSION = 'version = :expected';
export const IS_FREE = 'attribute_not_exists(leaseOwner) OR leaseUntil < :now OR leaseOwner = :me';
export const IS_OURS = 'leaseOwner = :me';
/** `announced` as `stateUpdate` names it. */
export const NONE_ANNOUNCED = 'attribute_not_exists(#announced)';
export const IS_LAST_ANNOUNCED = '#announced = :before';
export const FIRST_STOP = 'attribute_not_exists(stoppedAt)';
export const SLOT_IS_FREE = 'attribute_not_exists(nextSlot) OR nextSlot <= :now';
export const SLOT_IS_TAKEN = 'nextSlot > :now';
