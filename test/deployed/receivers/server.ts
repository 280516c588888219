import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** The status of the answer. */
export type Receive = (request: Received) => number | Promise<number>;

/** A server on loopback. */
export interface ReceiverServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** A server on a free port of 127.0.0.1; with a certificate it speaks HTTPS. What `receive` throws becomes a 400, which
 *  the sender takes for a failure. */
export async function startReceiver(receive: Receive, certificate?: Certificate): Promise<ReceiverServer> {
  const listener: RequestListener = async (request, response) => {
    try {
      const body = await text(request);
      response.writeHead(await receive({ headers: request.headers, body }));
    } catch {
      response.writeHead(400);
    }
    response.end();
  };
  return listen(certificate ? createHttpsServer(certificate, listener) : createHttpServer(listener));
}

/** Has a server listen on a free port of 127.0.0.1. */
export async function listen(server: Server): Promise<ReceiverServer> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
