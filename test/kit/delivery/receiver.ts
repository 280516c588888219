import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from '../listen.ts';

/** One request as it came. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  /** ms since 1970. */
  readonly at: number;
}

export type Reaction = (response: ServerResponse, received: Received) => void;

export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Reaction =>
  response =>
    void response.writeHead(status, headers).end(body);
export const hang: Reaction = () => {};
export const reset: Reaction = response => void (response.socket as Socket).resetAndDestroy();

/** A server on 127.0.0.1 that reacts to each request as its script says, in order; the last reaction is
 *  repeated. */
export async function startReceiver(...script: Reaction[]) {
  const received: Received[] = [];
  const watchers = new Set<() => void>();
  let connections = 0;
  const server: Server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const one = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
        at: Date.now(),
      };
      received.push(one);
      const reaction = script[Math.min(received.length, script.length) - 1] ?? answer(204);
      reaction(response, one);
      for (const watcher of watchers) watcher();
    });
  });
  server.on('connection', () => connections++);
  const { port, url, stop } = await listen(server);
  return {
    port,
    url: `${url}/hush?token=hush`,
    received,
    get connections() {
      return connections;
    },
    /** Resolves when at least `count` requests have come. */
    async requests(count: number): Promise<void> {
      if (received.length >= count) return;
      await new Promise<void>(resolve => {
        const watcher = () => {
          if (received.length < count) return;
          watchers.delete(watcher);
          resolve();
        };
        watchers.add(watcher);
      });
    },
    stop,
  };
}

/** A receiver that ends with the test. */
export async function receiver(...script: Reaction[]) {
  const started = await startReceiver(...script);
  onTestFinished(started.stop);
  return started;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
