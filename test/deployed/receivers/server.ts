import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Listening, listen } from '../../kit/listen.ts';

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

/** A server on a free port of 127.0.0.1; with a certificate it speaks HTTPS. What `receive` throws becomes a 400, which
 *  the sender takes for a failure. */
export async function startReceiver(receive: Receive, certificate?: Certificate): Promise<Listening> {
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
