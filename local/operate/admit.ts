import type { IncomingMessage } from 'node:http';

/** Why a request is refused, in text for people. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Head = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'socket'>;

/** Decides from its head whether a request is read. Any web page can make a browser on this machine send requests
 *  here, but such a request names another host (DNS rebinding), origin or site, and can't be sealed with a token.
 *  The files of the page need no token, because they are the same for everyone: another site may link to the page,
 *  which can't send requests without a token.
 *  @param origin where a reverse proxy serves the page, such as `https://changewire.example.com`
 *  @returns the path: `/operations`, or that of a file of the page
 *  @throws HttpError */
export function admit({ method, url = '', headers, socket }: Head, origin?: string): string {
  const { pathname } = new URL(`http://127.0.0.1${url.startsWith('/') ? url : '/none'}`);
  if (!isOurHost(headers.host, origin)) throw new HttpError(403, otherHost(socket.localPort, origin));
  const foreign = whyForeign(headers, origin, pathname === '/' && isOpened(headers));
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

/** This machine, by names that no DNS server can give to another address. With any port: an SSH tunnel or a container
 *  may have another one than the server. */
const THIS_MACHINE = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

function isOurHost(host = '', origin?: string): boolean {
  return THIS_MACHINE.test(host) || (origin !== undefined && host === new URL(origin).host);
}

function otherHost(port: number | undefined, origin: string | undefined): string {
  return `This address does not open the console. Open ${origin ?? `http://127.0.0.1:${port}`}.

From another machine, use an SSH tunnel, then open http://127.0.0.1:${port} there:

  ssh -L ${port}:127.0.0.1:${port} NAME-OF-THIS-MACHINE

For a reverse proxy, start Changewire with --console-origin https://NAME.
`;
}

function whyForeign(headers: Head['headers'], ours: string | undefined, isOpening: boolean) {
  const { host, origin, 'sec-fetch-site': site } = headers;
  const isKnown =
    origin === undefined || origin === ours || (origin === `http://${host}` && THIS_MACHINE.test(host ?? ''));
  if (!isKnown)
    return 'Requests from other origins are not allowed. For a reverse proxy, start Changewire with --console-origin.\n';
  const isOurs = site === undefined || site === 'same-origin' || site === 'none';
  return isOurs || isOpening ? undefined : 'Requests from other sites are not allowed.';
}

export const NOT_THERE = 'Not found; use POST /operations, or / for the console.';

/** Whether a browser opens the address in a tab: requests of scripts and frames have other headers. */
function isOpened(headers: Head['headers']): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
}
