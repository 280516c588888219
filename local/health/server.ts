import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Closers } from '../basics/closers.ts';
import { listener } from '../basics/listener.ts';
import { type Health, type HealthParts, healthOf } from './health.ts';

export interface HealthServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Hosts that a request may name. Under another name, which leads to this machine, any web page could ask
 *  from a browser here. */
const OURS = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Answers `GET /healthz` on 127.0.0.1: 200 when all is well, 503 when something is late or can't be known; as JSON.
 *  @throws when nobody can listen on that port */
export async function startHealthServer(port: number, health: () => Promise<Health>): Promise<HealthServer> {
  const server = createServer(
    listener(async ({ method = '', url = '', headers }, response) => {
      if (!OURS.has(hostnameOf(headers.host))) return send(response, 403, { error: 'Ask 127.0.0.1.' });
      if (url.split('?')[0] !== '/healthz') return send(response, 404, { error: 'There is GET /healthz.' });
      if (method !== 'GET' && method !== 'HEAD') return send(response, 405, { error: 'Use GET.' });
      const told = await health().catch(() => undefined);
      if (!told) return send(response, 503, { status: 'late', late: ['what is kept can not be read'] });
      return send(response, told.status === 'ok' ? 200 : 503, told);
    }),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  }).catch(({ code }: NodeJS.ErrnoException) => {
    throw new Error(
      `Nobody can listen on port ${port} of this machine (${code}). Choose another one with --health PORT.`,
    );
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @returns where it answers until `closers` close; undefined when nobody asked for it */
export async function serveHealth(
  closers: Closers,
  port: number | undefined,
  parts: HealthParts,
): Promise<string | undefined> {
  if (port === undefined) return undefined;
  const server = await startHealthServer(port, () => healthOf(parts));
  closers.add(server.stop);
  return server.url;
}

function hostnameOf(host = ''): string {
  return URL.parse(`http://${host}`)?.hostname ?? '';
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(`${JSON.stringify(body, null, 2)}\n`);
}
