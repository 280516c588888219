import type { IncomingMessage, ServerResponse } from 'node:http';
import { userInfo } from 'node:os';
import { getuid } from 'node:process';
import { answerRequest, type Operations } from '../../functions/operations/operations.ts';
import { isLook, type Reply } from '../../functions/operations/protocol/requests.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { type LocalServer, listenLocally } from '../basics/listener.ts';
import type { ConsolePlace } from '../settings/console-options.ts';
import { type Address, newReadOnlyToken, newToken } from './address.ts';
import { admit, HttpError, NOT_THERE } from './admit.ts';
import { type Page, PageError, type PageFile } from './page.ts';
import { seal, unseal } from './seal.ts';

export interface OperationsServer extends Address {
  readonly readOnlyToken: string;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** The name of the caller: only the user of this run can read the token. */
  readonly who: string;
  readonly onError: (error: unknown) => void;
  /** The console; undefined: not served. */
  readonly page?: Page | undefined;
  /** The address of the previous run. This run takes the same port, so that a page that is still open finds it, and
   *  gives its token to a request with a former one; the read-only token stays. If another program has the port now,
   *  it does not: a page that was reloaded from there may have leaked its token. */
  readonly before?: Address | undefined;
  readonly place?: ConsolePlace | undefined;
}

/**
 * Answers on a port of this machine (design.md §13):
 *
 *     POST /operations       a request (functions/operations/protocol/), sealed with a token (seal.ts); the answer is
 *                            sealed too: protocol/requests.ts, or {"token": …} for a request with a former run's token.
 *                            With the read-only token, only `lookRequests` are carried out
 *     GET /, GET /assets/…   the console's page, which sends the same requests
 *
 * Web pages of other origins are refused (`admit`). Requests are never logged: they may contain secrets.
 * @throws if `place` can't be used
 */
export async function startOperationsServer(
  operations: Operations,
  { who, onError, page, before, place = {} }: ServerOptions,
): Promise<OperationsServer> {
  const token = newToken();
  const { origin } = place;
  let readOnlyToken = newReadOnlyToken();
  let former: readonly string[] = [];
  const listen = (port: number) =>
    listenOn(port, place.host, async (message, response) => {
      const parts = { operations, token, readOnlyToken, former, who, page, origin, onError };
      const answered = await answer(message, parts).catch(error => {
        if (error instanceof HttpError) return error;
        onError(error);
        return failed(error);
      });
      send(response, answered, message.method === 'HEAD');
    });
  const last = before && Number(new URL(before.url).port);
  const isSame = place.port === undefined || place.port === last;
  const again = last && isSame && (await listen(last).catch(ifTaken(place)));
  if (before && again) {
    former = [before.token, ...before.former].slice(0, MAX_FORMER);
    readOnlyToken = before.readOnlyToken ?? readOnlyToken;
  }
  const server = again || (await listen(place.port ?? 0).catch(ifTaken(place)));
  if (!server) throw new Error('Could not listen on 127.0.0.1: all ports are in use.');
  return { ...server, token, readOnlyToken, former, hasPage: page !== undefined, origin };
}

type Listener = Parameters<typeof listenLocally>[1];

/** Listens on `host`, and on 127.0.0.1, where commands send their requests. */
async function listenOn(port: number, host: string | undefined, answer: Listener): Promise<LocalServer> {
  const hasOther = host !== undefined && host !== '127.0.0.1';
  if (!hasOther || host === '0.0.0.0' || host === '::') return listenLocally(port, answer, host);
  const local = await listenLocally(port, answer);
  const other = await listenLocally(Number(new URL(local.url).port), answer, host).catch(async error => {
    await local.stop();
    throw error;
  });
  return { url: local.url, stop: async () => void (await Promise.all([local.stop(), other.stop()])) };
}

/** A page in the background sends no requests, and may miss this number of restarts. */
const MAX_FORMER = 8;

/** Ignores that a port is taken, unless it was asked for. */
function ifTaken({ port, host = '127.0.0.1' }: ConsolePlace): (error: NodeJS.ErrnoException) => undefined {
  return error => {
    const isTaken = error.code === 'EADDRINUSE' || error.code === 'EACCES';
    if (isTaken && port === undefined) return undefined;
    const where = port === undefined ? host : `${host}, port ${port}`;
    // Not a usage error: another process may release the port, and the address may come up later.
    throw new Error(
      `The console could not listen on ${where} (${error.code}). Choose another --console-port, or with --console-host ` +
        'an address of this machine.',
    );
  };
}

interface Parts extends Omit<OperationsServer, keyof LocalServer | 'hasPage'>, ServerOptions {
  readonly operations: Operations;
}

/** @throws HttpError */
async function answer(message: IncomingMessage, parts: Parts): Promise<Uint8Array | PageFile> {
  const { token, readOnlyToken, former, page, origin } = parts;
  const path = admit(message, origin);
  if (path !== '/operations') {
    const file = await page?.file(path);
    if (file) return file;
    throw new HttpError(404, NOT_THERE);
  }
  const sealed = await readBody(message);
  for (const known of [token, readOnlyToken, ...former]) {
    const text = await unseal(known, sealed);
    if (text === undefined) continue;
    const isReadOnly = known === readOnlyToken;
    const reply = known === token || isReadOnly ? await replyTo(text, parts, isReadOnly) : { token };
    return await seal(known, JSON.stringify(reply), sealed);
  }
  throw new HttpError(401, 'The token of this run is required: it is in operate.json in the data directory.');
}

/** Only the requests that change nothing. */
function lookOnly(operations: Operations): Operations {
  return async (asked, caller) => {
    if (isLook(asked)) return operations(asked, caller);
    throw new Refused('This link is read-only. Changes need the link of "npx changewire console".');
  };
}

/** A request that was sealed with the token always gets a sealed answer: clients do not accept any other. */
async function replyTo(
  text: string,
  { operations, who, onError }: Parts,
  isReadOnly: boolean,
): Promise<Reply> {
  try {
    const allowed = isReadOnly ? lookOnly(operations) : operations;
    return await answerRequest(allowed, parsed(text), { who, isProven: true });
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
    ? ['text/plain; charset=utf-8', answered.message]
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
