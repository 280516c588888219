import { brotliDecompressSync, constants, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { Clock } from '../basics/clock.ts';

/** One HTTP request as it goes over the wire. */
export interface HttpRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** An answer of any status. `body` is the whole body of a 2xx, in the bytes that it has when inflated; empty
 *  otherwise. */
export interface HttpAnswer {
  readonly status: number;
  readonly date: string | undefined;
  readonly retryAfter: string | undefined;
  /** The `content-encoding`, where it is one that can't be inflated. */
  readonly encoding: string | undefined;
  readonly body: Buffer;
  /** When the headers came, by our clock, in ms since 1970. */
  readonly at: number;
}

/** No whole answer. `code` is undici's or the system's, never a message: those may quote what was sent. */
export interface HttpFailure {
  readonly why: 'time-out' | 'too large' | 'inflates too large' | 'damaged' | 'network';
  readonly during: 'headers' | 'body';
  readonly code: string;
  /** The status, when the headers had come. */
  readonly status: number | undefined;
}

/** True for 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** `timeout` in ms, body included; `maxBodyBytes` of an inflated body. */
interface Limits {
  readonly timeout: number;
  readonly maxBodyBytes: number;
  readonly clock: Clock;
}

type Head = Omit<HttpAnswer, 'body'>;
type Headers = Readonly<Record<string, string | string[] | undefined>>;

const NOTHING = Buffer.alloc(0);
/** So many bytes of a failing answer are read and dropped, so that its connection can be used again. Beyond
 *  that, a new connection costs less. */
const MAX_DUMPED = 65_536;
const MAX_TIMER = 2 ** 31 - 1;

/** Sends one request, once. Never rejects: what goes wrong on the way is an HttpFailure. */
export function sendOnce(
  agent: Dispatcher,
  request: HttpRequest,
  limits: Limits,
): Promise<HttpAnswer | HttpFailure> {
  return new Promise(resolve => {
    const headers = { ...request.headers, 'accept-encoding': ACCEPTED, 'user-agent': 'changewire' };
    const handler = new Exchange(limits, resolve);
    try {
      agent.dispatch({ ...request, headers }, handler);
    } catch (error) {
      handler.fail(error);
    }
  });
}

/** Takes undici's callbacks for one request. It replaces undici's `request()`, whose stream and signals cost
 *  more time than everything else here. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: Limits;
  readonly #resolve: (result: HttpAnswer | HttpFailure) => void;
  readonly #timer: NodeJS.Timeout;
  #isOver = false;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head | undefined;
  #chunks: Buffer[] = [];
  #dumped = 0;

  constructor(limits: Limits, resolve: (result: HttpAnswer | HttpFailure) => void) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#expire(), Math.min(limits.timeout, MAX_TIMER));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The time may have run out while undici connected: only now can the request be aborted.
    if (this.#isOver) controller.abort(new Error('too late'));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status >= 200) this.#head = headOf(status, headers, this.#limits.clock());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#head && isSuccess(this.#head.status)) {
      this.#chunks.push(chunk);
      return;
    }
    this.#dumped += chunk.length;
    if (this.#dumped > MAX_DUMPED) controller.abort(new Error('enough'));
  }

  onResponseEnd(): void {
    try {
      if (this.#head) this.#end({ ...this.#head, ...this.#body(this.#head) });
      else this.fail(undefined);
    } catch (error) {
      this.fail(error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    const code = codeOf(error);
    this.#break(kindOf(error, code), code);
  }

  #expire(): void {
    this.#break('time-out', 'no code');
    this.#controller?.abort(new Error('too late'));
  }

  #break(why: HttpFailure['why'], code: string): void {
    const head = this.#head;
    // A failing answer is complete without its body, which is dropped anyway: it doesn't matter that it broke
    // off.
    if (head && !isSuccess(head.status)) this.#end({ ...head, body: NOTHING });
    else this.#end({ why, during: head ? 'body' : 'headers', code, status: head?.status });
  }

  #end(result: HttpAnswer | HttpFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(result);
  }

  #body({ status, encoding }: Head): Pick<HttpAnswer, 'body' | 'encoding'> {
    const [only = NOTHING, ...more] = this.#chunks;
    const body = more.length > 0 ? Buffer.concat(this.#chunks) : only;
    if (!isSuccess(status) || status === 204 || !canInflate(encoding)) return { body, encoding };
    return { body: inflate(body, encoding, this.#limits.maxBodyBytes), encoding: undefined };
  }
}

function headOf(status: number, headers: Headers, at: number): Head {
  const header = (name: string) => headers[name]?.toString().trim();
  return {
    status,
    date: header('date'),
    retryAfter: header('retry-after'),
    encoding: header('content-encoding'),
    at,
  };
}

function kindOf(error: unknown, code: string): HttpFailure['why'] {
  if (error instanceof InflateError) return error.why;
  return code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'too large' : 'network';
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z]\w*$/.test(code) ? code : 'no code';
}

/** The encoding that we ask for: gzip needs 32 KB of memory for each answer, brotli or zstd may need
 *  megabytes. Those are inflated, too, when they come unasked, as some proxies send them. */
const ACCEPTED = 'gzip';

/** No real server applies more codings to one body. */
const MAX_CODINGS = 5;

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

/** A body that is not completely in its content-encoding, or that inflates to more than the limit. `code` is zlib's. */
class InflateError extends Error {
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
function canInflate(encoding: string | undefined): encoding is string {
  const codings = codingsOf(encoding);
  return (
    codings.length > MAX_CODINGS ||
    (codings.length > 0 && codings.every(coding => Object.hasOwn(CODINGS, coding)))
  );
}

/**
 * The body, inflated to at most `most` bytes by each of its codings. Synchronous, because setting up a stream
 * and waiting for its thread takes longer than inflating a page. Throws an InflateError.
 */
function inflate(body: Buffer, encoding: string, most: number): Buffer {
  const codings = codingsOf(encoding);
  if (codings.length > MAX_CODINGS) throw new InflateError('TOO_MANY_CODINGS');
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
