import type { Snapshot } from '../snapshots/snapshots.ts';

interface ReadTimes {
  readonly readBefore: number;
  readonly untimed?: boolean;
}

/** The time up to which a snapshot that follows `before` holds all changes, in ms since 1970 by the service's clock; undefined where only our
 *  clock tells when its parts were read. */
export function readUntil(
  before: Pick<Snapshot, 'readUntil'> | undefined,
  record: ReadTimes,
  tasks: ReadTimes,
): number | undefined {
  if (record.untimed || tasks.untimed) return undefined;
  return Math.max(record.readBefore, tasks.readBefore, before?.readUntil ?? 0);
}
