import type { IncomingMessage } from 'node:http';

/** Why a request is refused. */
export interface Refusal {
  readonly status: number;
  readonly body: { readonly error: string };
}

export type Admitted =
  | { readonly asks: true }
  /** A file of the console's page, by its path. */
  | { readonly file: string }
  | Refusal;

type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>;

/** Decides by its head whether a request is read. Any web page can make a browser on this machine send requests
 *  here, but such a request names another host (DNS rebinding), or an origin or site that isn't ours, and can't be sealed
 *  with the token. The files of the page take no token, because they are the same for everybody: so
 *  another site may link to the page, which without a token can ask nothing. */
export function admit({ method, url = '', headers, socket }: Head): Admitted {
  const { pathname } = new URL(`http://127.0.0.1${url.startsWith('/') ? url : '/none'}`);
  const foreign = whyForeign(headers, socket.localPort, pathname === '/' && isOpened(headers));
  if (foreign !== undefined) return refusal(403, foreign);
  if (pathname === '/' || pathname.startsWith('/assets/'))
    return method === 'GET' || method === 'HEAD' ? { file: pathname } : refusal(405, 'Use GET.');
  if (pathname !== '/operations') return refusal(404, NOT_THERE);
  if (method !== 'POST') return refusal(405, 'Use POST.');
  if (headers['content-type'] !== 'application/octet-stream')
    return refusal(415, 'A request is sealed, as application/octet-stream.');
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

export function refusal(status: number, error: string): Refusal {
  return { status, body: { error } };
}
