import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';

/** The encoding that we ask for: gzip needs 32 KB of memory for each answer, brotli or zstd may need
 *  megabytes. Those are inflated, too, when they come unasked, as some proxies send them. */
export const ACCEPTED = 'gzip';

/** No real server applies more codings to one body. */
const MOST_CODINGS = 5;

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer;

const zstd: Inflate = (bytes, { maxOutputLength }) =>
  zstdDecompressSync(bytes, { maxOutputLength, params: { [constants.ZSTD_d_windowLogMax]: 23 } });

const CODINGS: Readonly<Record<string, Inflate | undefined>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd,
};

/** A body that is not, or not wholly, in its content-encoding, or that inflates to more than the limit. `code` is zlib's. */
export class InflateError extends Error {
  readonly why: 'damaged' | 'inflates too large';
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
    this.why = code === 'ERR_BUFFER_TOO_LARGE' ? 'inflates too large' : 'damaged';
  }
}

/** True when `inflate` handles a body in this content-encoding, if only to refuse one with too many codings.
 *  Any other is left as it came. */
export function canInflate(encoding: string | undefined): encoding is string {
  const codings = codingsOf(encoding);
  return (
    codings.length > MOST_CODINGS ||
    (codings.length > 0 && codings.every(coding => Object.hasOwn(CODINGS, coding)))
  );
}

/**
 * The body, inflated to at most `most` bytes by each of its codings. Synchronous, because setting up a stream and waiting for its
 * thread takes longer than inflating a page. Throws an InflateError.
 */
export function inflate(body: Buffer, encoding: string, most: number): Buffer {
  const codings = codingsOf(encoding);
  if (codings.length > MOST_CODINGS) throw new InflateError('TOO_MANY_CODINGS');
  try {
    return codings.reduceRight(
      (bytes, coding) => CODINGS[coding]?.(bytes, { maxOutputLength: most }) ?? bytes,
      body,
    );
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no code';
    throw new InflateError(code);
  }
}

function codingsOf(encoding = ''): string[] {
  if (encoding === 'gzip') return [encoding];
  const parts = encoding.toLowerCase().split(',');
  return parts.map(part => part.trim()).filter(part => part !== '');
}
