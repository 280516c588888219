import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from '../../functions/basics/http.ts';

/** A server of this machine. */
export interface LocalServer {
  /** Its address on this machine. */
  readonly url: string;
  /** Closes all connections at once. */
  stop(): Promise<void>;
}

/** Listens on a port of 127.0.0.1, or of `host`; 0: any free port. The connection is closed when `answer` throws or
 *  rejects: an exception in a plain listener would end the process. @throws when the port is taken */
export async function listenLocally(
  port: number,
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  host = '127.0.0.1',
): Promise<LocalServer> {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
