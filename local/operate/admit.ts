import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Why a request is refused. */
export interface Refusal {
  readonly status: number;
  readonly body: { readonly error: string };
}

export type Admitted =
  | { readonly challenge: string }
  | { readonly asks: true }
  /** A file of the console's page, by its path. */
  | { readonly file: string }
  /** A browser that the command opened: it shows a ticket. */
  | { readonly ticket: string }
  | Refusal;

type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>;

/** Decides whether a request is answered. Any web page can make a browser on this machine send requests
 *  here, but such a request names another host (DNS rebinding), or an origin or site that isn't ours, and
 *  can't have the token. The files of the page take no token, because they are the same for everybody: so
 *  another site may link to the page, which without a token can ask nothing. */
export function admit({ method, url = '', headers, socket }: Head, token: string): Admitted {
  const { pathname, searchParams } = new URL(`http://127.0.0.1${url.startsWith('/') ? url : '/none'}`);
  const isOfPage = pathname === '/' || pathname === '/open';
  const foreign = whyForeign(headers, socket.localPort, isOfPage && isOpened(headers));
  if (foreign !== undefined) return refusal(403, foreign);
  if (isOfPage || pathname.startsWith('/assets/')) {
    if (method !== 'GET' && method !== 'HEAD') return refusal(405, 'Use GET.');
    return pathname === '/open' ? { ticket: searchParams.get('ticket') ?? '' } : { file: pathname };
  }
  if (pathname !== '/operations') return refusal(404, NOT_THERE);
  if (method === 'GET') return challengeOf(searchParams.get('challenge'));
  if (method !== 'POST') return refusal(405, 'Use POST.');
  if (!isToken(headers.authorization, token))
    return refusal(401, 'It takes the token of this run, from operate.json in its data directory.');
  if (!/^application\/json(; *charset=utf-8)?$/i.test(headers['content-type'] ?? ''))
    return refusal(415, 'A request is application/json.');
  return { asks: true };
}

function whyForeign(headers: Head['headers'], port: number | undefined, isOpening: boolean) {
  const { host, origin, 'sec-fetch-site': site } = headers;
  if (host !== `127.0.0.1:${port}`) return 'Ask 127.0.0.1, by this name and port.';
  if (origin !== undefined && origin !== `http://127.0.0.1:${port}`)
    return 'Pages of other origins may not ask.';
  const isOurs = site === undefined || site === 'same-origin' || site === 'none';
  return isOurs || isOpening ? undefined : 'Pages of other sites may not ask.';
}

export const NOT_THERE = 'There is POST /operations, and the console at /.';

/** Whether a browser opens the address in a tab: a request of a script, or of a frame, has other headers. */
function isOpened(headers: Head['headers']): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}

function challengeOf(challenge: string | null): Admitted {
  if (challenge === null || !/^[\w-]{16,128}$/.test(challenge))
    return refusal(400, 'GET /operations takes a challenge.');
  return { challenge };
}

/** Compares in a time that doesn't depend on how much of the token is right, so that nobody can guess it
 *  bit by bit. */
function isToken(authorization = '', token: string): boolean {
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

export function refusal(status: number, error: string): Refusal {
  return { status, body: { error } };
}
