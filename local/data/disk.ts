import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Disk } from '../../functions/model/disk.ts';

/** The disk of a data file; undefined where it can't be read, or reports no size. */
export async function diskOf(store: string): Promise<Disk | undefined> {
  const sizeOf = (path: string) =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  const [found, bytes, logBytes] = await Promise.all([
    statfs(dirname(store)).catch(() => undefined),
    sizeOf(store),
    sizeOf(`${store}-wal`),
  ]);
  if (!found || found.blocks === 0) return undefined;
  const { bavail, blocks, bsize } = found;
  return { free: bavail * bsize, size: blocks * bsize, data: bytes + logBytes };
}
