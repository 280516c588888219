import type { Dispatcher } from 'undici';
import type { Clock } from '../basics/clock.ts';
import { within } from '../basics/within.ts';
import { ACCEPTED, isBomb, isDamage } from './inflate.ts';

/** One HTTP request as it goes over the wire. */
export interface HttpRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** An answer of any status. `body` is the whole body of a 2xx, in the bytes that it has when inflated; empty otherwise. */
export interface HttpAnswer {
  readonly status: number;
  readonly date: string | undefined;
  readonly retryAfter: string | undefined;
  /** The `content-encoding` that is none of those that can be read. */
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

const NOTHING = Buffer.alloc(0);

class Expired extends Error {}

type Reached = Omit<HttpAnswer, 'body'>;

/** Sends one request, once. Never rejects: what goes wrong on the way is an HttpFailure. `timeout` in ms, body included. */
export async function exchange(
  agent: Dispatcher,
  request: HttpRequest,
  how: { timeout: number; signal: AbortSignal; clock: Clock },
): Promise<HttpAnswer | HttpFailure> {
  let reached: Reached | undefined;
  const work = async (expiry: AbortSignal): Promise<HttpAnswer> => {
    const headers = { ...request.headers, 'accept-encoding': ACCEPTED, 'user-agent': 'changewire' };
    const response = await agent.request({
      ...request,
      headers,
      signal: AbortSignal.any([how.signal, expiry]),
    });
    reached = head(response, how.clock());
    if (isSuccess(reached.status))
      return { ...reached, body: Buffer.from(await response.body.arrayBuffer()) };
    await response.body.dump({ limit: 65_536 });
    return { ...reached, body: NOTHING };
  };
  try {
    return await within(how.timeout, work, () => new Expired());
  } catch (error) {
    // The body of a failing status is only thrown away: that it breaks off says nothing new.
    if (reached && !isSuccess(reached.status)) return { ...reached, body: NOTHING };
    return failure(error, reached);
  }
}

/** True for 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function head(response: Dispatcher.ResponseData, at: number): Reached {
  const header = (name: string) => response.headers[name]?.toString().trim();
  return {
    status: response.statusCode,
    date: header('date'),
    retryAfter: header('retry-after'),
    encoding: header('content-encoding'),
    at,
  };
}

function failure(error: unknown, reached: Reached | undefined): HttpFailure {
  const code = codeOf(error);
  const why = kindOf(error, code);
  return { why, during: reached ? 'body' : 'headers', code, status: reached?.status };
}

function kindOf(error: unknown, code: string): HttpFailure['why'] {
  if (error instanceof Expired) return 'time-out';
  if (isBomb(error)) return 'inflates too large';
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 'too large';
  return isDamage(error, code) ? 'damaged' : 'network';
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z]\w*$/.test(code) ? code : 'no code';
}
