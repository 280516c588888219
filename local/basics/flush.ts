import type { Writable } from 'node:stream';

/** Resolves when everything written to the stream has left this process, or nobody reads it any more. A pipe takes 64 KB at a
 *  time, and what waits for its reader when the process exits is lost. */
export function flush(stream: Writable): Promise<void> {
  return new Promise(resolve => {
    if (stream.destroyed) return resolve();
    stream.once('close', resolve);
    stream.write('', () => resolve());
  });
}
