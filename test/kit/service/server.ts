import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenInTest } from '../listen-in-test.ts';

/** One request as it arrived. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly url: string;
}

/** How a server answers one request, rightly or wrongly. */
export type Behaviour = (response: ServerResponse, request: Received) => void;

export const SERVICE_DATE = 'Wed, 01 Jul 2026 12:00:00 GMT';
export const SERVICE_TIME = Date.parse(SERVICE_DATE);

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Behaviour =>
  response => {
    response.writeHead(status, { 'content-type': 'application/json', date: SERVICE_DATE, ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

export const status = (code: number, headers: Record<string, string> = {}): Behaviour =>
  json({ error: 'no' }, code, headers);

export const html: Behaviour = response => {
  response.writeHead(200, { 'content-type': 'text/html', date: SERVICE_DATE });
  response.end('<html>\u0007\u2028<title>Sign in</title></html>');
};

export const destroy: Behaviour = response => {
  response.socket?.destroy();
};

/** Announces a longer body than it sends. */
export const broken: Behaviour = response => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"projects":[', () => response.destroy());
};

/** A complete HTTP answer whose JSON is cut off. */
export const truncated: Behaviour = json('{"projects":[{"id":"1"},{"i');

export const hang: Behaviour = () => {};

export const hangInBody =
  (code = 200): Behaviour =>
  response => {
    response.writeHead(code, { date: SERVICE_DATE });
    response.write('{"projects":[');
  };

/** Answers one request after the other; the last behaviour is repeated. */
export function sequence(...behaviours: Behaviour[]): Behaviour {
  let next = 0;
  return (response, request) => {
    const behaviour = behaviours[Math.min(next, behaviours.length - 1)];
    next += 1;
    behaviour?.(response, request);
  };
}

/** A page as service-api.md §2.2 has it. */
export function page(items: unknown[], next?: string, property = 'projects'): Behaviour {
  return json({
    [property]: items,
    paging: { startCursor: 's', endCursor: next ?? null, hasNextPage: next !== undefined },
  });
}

export interface TestServer {
  readonly url: string;
  /** The requests, without those for a token. */
  readonly requests: Received[];
  readonly tokenRequests: Received[];
}

export const goodToken: Behaviour = json({ access_token: 'token-one', expires_in: 3600 });

/** Starts a server that plays the service and its authentication; it stops with the test. */
export async function startServer(api: Behaviour, token: Behaviour = goodToken): Promise<TestServer> {
  const requests: Received[] = [];
  const tokenRequests: Received[] = [];
  const server = createServer(async (incoming, response) => {
    const received = await receive(incoming);
    const isToken = received.path.endsWith('/oauth/token');
    (isToken ? tokenRequests : requests).push(received);
    (isToken ? token : api)(response, received);
  });
  const { url } = await listenInTest(server);
  return { url, requests, tokenRequests };
}

async function receive(incoming: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const url = new URL(incoming.url ?? '/', 'http://x');
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString(),
    url: incoming.url ?? '',
  };
}
