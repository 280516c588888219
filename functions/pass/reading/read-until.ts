import type { ReadUntil, Snapshot } from '../../store/snapshots.ts';

interface ReadTimes {
  readonly readBefore: number;
  readonly untimed?: boolean;
}

/** The times up to which a snapshot that follows `before` holds all changes; undefined where only our clock tells when its parts were read. */
export function readUntil(
  before: Pick<Snapshot, 'readUntil'> | undefined,
  record: ReadTimes,
  tasks: ReadTimes,
): ReadUntil | undefined {
  if (record.untimed || tasks.untimed) return undefined;
  const { record: recordBefore = 0, tasks: tasksBefore = 0 } = before?.readUntil ?? {};
  return {
    record: Math.max(record.readBefore, recordBefore),
    tasks: Math.max(tasks.readBefore, tasksBefore),
  };
}
