import type { IncomingMessage, ServerResponse } from 'node:http';
import { userInfo } from 'node:os';
import { getuid } from 'node:process';
import { answerRequest, type Operations } from '../../functions/operations/operations.ts';
import type { Reply } from '../../functions/operations/protocol/requests.ts';
import { listenLocally } from '../basics/listener.ts';
import { type Address, newToken } from './address.ts';
import { type Page, PageError, type PageFile } from './page.ts';
import { seal, unseal } from './seal.ts';

export interface OperationsServer extends Address {
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** The name of the caller: only the user of this run can read the token. */
  readonly who: string;
  readonly onError: (error: unknown) => void;
  /** The console; undefined: not served. */
  readonly page?: Page | undefined;
  /** The address of the previous run. This run takes the same port, so that a page that is still open finds it, and
   *  gives its token to a request with a former one. If another program has the port now, it does not: a page that
   *  was reloaded from there may have leaked its token. */
  readonly before?: Address | undefined;
}

/**
 * Answers on a free port of 127.0.0.1 (design.md §13):
 *
 *     POST /operations       a request (functions/operations/protocol/), sealed with the token (seal.ts); the answer is
 *                            sealed too: protocol/requests.ts, or {"token": …} for a request with a former run's token
 *     GET /, GET /assets/…   the console's page, which sends the same requests
 *
 * Web pages of other origins are refused (`admit`). Requests are never logged: they may contain secrets.
 */
export async function startOperationsServer(
  operations: Operations,
  { who, onError, page, before }: ServerOptions,
): Promise<OperationsServer> {
  const token = newToken();
  let former: readonly string[] = [];
  const listen = (port: number) =>
    listenLocally(port, async (message, response) => {
      const parts = { operations, token, former, who, page, onError };
      const answered = await answer(message, parts).catch(error => {
        if (error instanceof HttpError) return error;
        onError(error);
        return failed(error);
      });
      send(response, answered, message.method === 'HEAD');
    });
  const again = before && (await listen(Number(new URL(before.url).port)).catch(undefinedIfTaken));
  if (before && again) former = [before.token, ...before.former].slice(0, MAX_FORMER);
  const server = again ?? (await listen(0).catch(undefinedIfTaken));
  if (!server) throw new Error('Could not listen on 127.0.0.1: all ports are in use.');
  return { ...server, token, former, hasPage: page !== undefined };
}

/** A page in the background sends no requests, and may miss this number of restarts. */
const MAX_FORMER = 8;

function undefinedIfTaken(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
}

interface Parts extends Pick<OperationsServer, 'token' | 'former'> {
  readonly operations: Operations;
  readonly who: string;
  readonly page: Page | undefined;
  readonly onError: ServerOptions['onError'];
}

/** Why a request is refused. */
class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws HttpError */
async function answer(message: IncomingMessage, parts: Parts): Promise<Uint8Array | PageFile> {
  const { token, former, page } = parts;
  const path = admit(message);
  if (path !== '/operations') {
    const file = await page?.file(path);
    if (file) return file;
    throw new HttpError(404, NOT_THERE);
  }
  const sealed = await readBody(message);
  for (const known of [token, ...former]) {
    const text = await unseal(known, sealed);
    if (text === undefined) continue;
    const reply = known === token ? await replyTo(text, parts) : { token };
    return await seal(known, JSON.stringify(reply), sealed);
  }
  throw new HttpError(401, 'The token of this run is required: it is in operate.json in the data directory.');
}

/** A request that was sealed with the token always gets a sealed answer: clients do not accept any other. */
async function replyTo(text: string, { operations, who, onError }: Parts): Promise<Reply> {
  try {
    return await answerRequest(operations, parsed(text), { who, isProven: true });
  } catch (error) {
    onError(error);
    return { refused: FAILED, isUsage: false };
  }
}

const FAILED = 'Internal error; see the log of the running instance.';

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failed(error: unknown): HttpError {
  if (error instanceof PageError)
    return new HttpError(
      503,
      'The console could not be built; see the log of the running instance. The commands still work.',
    );
  return new HttpError(500, FAILED);
}

function send(response: ServerResponse, answered: Uint8Array | PageFile | HttpError, isHead: boolean): void {
  const isRefused = answered instanceof HttpError;
  const [type, bytes] = isRefused
    ? ['application/json', `${JSON.stringify({ error: answered.message })}\n`]
    : answered instanceof Uint8Array
      ? ['application/octet-stream', answered]
      : [answered.type, answered.body];
  response.writeHead(isRefused ? answered.status : 200, {
    ...HEADERS,
    'content-type': type,
    'content-length': Buffer.byteLength(bytes),
    // The body of a refused request is not read: on an open connection, the rest would be read as the next request.
    ...(isRefused && { connection: 'close' }),
  });
  response.end(isHead ? undefined : bytes);
}

type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>;

/** Decides from its head whether a request is read. Any web page can make a browser on this machine send requests
 *  here, but such a request names another host (DNS rebinding), origin or site, and can't be sealed with the token.
 *  The files of the page need no token, because they are the same for everyone: another site may link to the page,
 *  which can't send requests without a token.
 *  @returns the path: `/operations`, or that of a file of the page
 *  @throws HttpError */
function admit({ method, url = '', headers, socket }: Head): string {
  const { pathname } = new URL(`http://127.0.0.1${url.startsWith('/') ? url : '/none'}`);
  const foreign = whyForeign(headers, socket.localPort, pathname === '/' && isOpened(headers));
  if (foreign !== undefined) throw new HttpError(403, foreign);
  if (pathname === '/' || pathname.startsWith('/assets/')) {
    if (method !== 'GET' && method !== 'HEAD') throw new HttpError(405, 'Use GET.');
  } else {
    if (pathname !== '/operations') throw new HttpError(404, NOT_THERE);
    if (method !== 'POST') throw new HttpError(405, 'Use POST.');
    if (headers['content-type'] !== 'application/octet-stream')
      throw new HttpError(415, 'A request must be sealed, as application/octet-stream.');
  }
  return pathname;
}

function whyForeign(headers: Head['headers'], port: number | undefined, isOpening: boolean) {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (host !== `127.0.0.1:${port}`) return `Open http://127.0.0.1:${port} (this exact host and port).`;
  if (origin !== undefined && origin !== `http://127.0.0.1:${port}`)
    return 'Requests from other origins are not allowed.';
  const isOurs = site === undefined || site === 'same-origin' || site === 'none';
  return isOurs || isOpening ? undefined : 'Requests from other sites are not allowed.';
}

const NOT_THERE = 'Not found; use POST /operations, or / for the console.';

/** Whether a browser opens the address in a tab: requests of scripts and frames have other headers. */
function isOpened(headers: Head['headers']): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

/** Enough for a filter with thousands of values. */
const MAX_BODY_BYTES = 256 * 1024;

/** The body of an admitted request. @throws HttpError */
async function readBody(message: IncomingMessage): Promise<Buffer> {
  const tooLong = new HttpError(413, `A request has at most ${MAX_BODY_BYTES} bytes.`);
  if (Number(message.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLong;
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) throw tooLong;
      chunks.push(chunk);
    }
  } catch (error) {
    throw error === tooLong ? tooLong : new HttpError(400, 'The request is incomplete.');
  }
  return Buffer.concat(chunks);
}

/** The page loads only our own files, has no inline code, and can't be framed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every answer. Browsers must not cache: files come from this machine anyway, and an answer may contain a
 *  secret. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** The user that this process runs as. In a container a user may have a number and no name.
 *  @param info the system's function; tests give another */
export function userName(info: () => { readonly username: string } = userInfo): string {
  try {
    return info().username;
  } catch {
    return `user ${getuid?.() ?? 'without a name'}`;
  }
}
