import { type Dispatcher, interceptors } from 'undici';

/** What we ask for. Each stream of gzip needs 32 KB to be read; brotli or zstd may need megabytes, of which 32 requests at
 *  once have too few. They are read as well when they come unasked, as some proxies send them. */
export const ACCEPTED = 'gzip';

/** What passes through `agent`, with compressed bodies inflated: gzip, deflate, br and zstd, up to five of them in a row, to at
 *  most `maxSize` bytes each time. Any other content-encoding is left as it is, with its header. */
export function inflating(agent: Dispatcher, maxSize: number): Dispatcher {
  return agent.compose(quietly(() => interceptors.decompress({ maxSize })));
}

/** undici warns, in every process, that its interceptor is experimental. Its version is pinned, and tests hold what it does. */
function quietly<Made>(make: () => Made): Made {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return make();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** True for what comes of a body that is not, or not wholly, in its content-encoding: the codes of zlib, brotli and zstd. */
export function isDamage(error: unknown, code: string): boolean {
  if (error instanceof Error && error.message.startsWith('too many content-encodings')) return true;
  return /^(Z_|ZSTD_|ERR__ERROR_|ERR_BROTLI)/.test(code);
}

/** True when it was too large only once it was inflated. */
export function isBomb(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Decompressed response size');
}
