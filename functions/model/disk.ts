/** The disk with the data of one machine, in bytes. */
export interface Disk {
  /** Free for the user of the run. */
  readonly free: number;
  readonly size: number;
  /** The data file with its log. */
  readonly data: number;
}

/** With a larger share free no disk is low: a small one with room needs no warning. */
const MIN_SHARE = 0.1;
/** Nor with more bytes free, which last for months on a large disk; a backup there needs as much as the data. */
const MIN_FREE = 1_000_000_000;

/** Whether an operator must make space, before the disk is full. */
export function isLowDisk({ free, size, data }: Disk): boolean {
  return free < size * MIN_SHARE && free < Math.max(MIN_FREE, 2 * data);
}

/** `The disk has 850 MB free of 20 GB.`, and the remedy. */
export function lowDiskText({ free, size }: Disk): string {
  return (
    `The disk has ${bytesText(free)} free of ${bytesText(size)}. Free space on it, or move the data directory to a ` +
    'larger one: while it is full, no changes are read or sent.'
  );
}

function bytesText(bytes: number): string {
  const [size, unit] = bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${size < 10 ? Math.round(size * 10) / 10 : Math.round(size)} ${unit}`;
}
