import { once } from 'node:events';
import type { AddressInfo, Server as NetServer } from 'node:net';

/** A server on loopback. */
export interface Listening {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, also of one that speaks HTTPS. */
  readonly url: string;
  /** Closes it, connections that are open included. A second call does nothing. */
  stop(): Promise<void>;
}

/** A server of `node:http`, `node:https`, or `node:net`; of the last one the caller ends the connections. */
export type Server = NetServer & { closeAllConnections?(): void };

/** Has a server listen on 127.0.0.1, on a free port unless told. @throws where the port is taken */
export async function listen(server: Server, port = 0): Promise<Listening> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  return {
    port: taken,
    url: `http://127.0.0.1:${taken}`,
    async stop() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections?.();
      await closed;
    },
  };
}
