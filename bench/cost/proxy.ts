import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, request as send } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { type Listening, listen as listenOnLoopback } from '../../test/kit/listen.ts';
import type { Recorder } from './recorder.ts';

/** Keeps connections open for long: its clients wait longer between two requests than a server of Node
 *  allows. */
export function listen(server: Server): Promise<Listening> {
  server.keepAliveTimeout = 120_000;
  return listenOnLoopback(server);
}

/** A proxy before the simulated service: counts the bytes that are sent to it, and answers as late as a
 *  real service would, or not at all. */
export function startServiceProxy(
  upstream: string,
  recorder: Recorder,
  isHanging: () => boolean,
): Promise<Listening> {
  const { hostname, port } = new URL(upstream);
  const server = createServer(async (request, response) => {
    const body = await text(request);
    recorder.add({ asked: 1, sent: sizeOf(request, body) });
    if (isHanging()) return recorder.unanswered(once(response, 'close'));
    const answer = await recorder.late('service', async () => {
      const { method = 'GET', url = '/', headers } = request;
      const outgoing = send({ hostname, port, method, path: url, headers });
      outgoing.end(body);
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      return { incoming, body: Buffer.concat(chunks) };
    });
    const { 'transfer-encoding': _, ...headers } = answer.incoming.headers;
    response.writeHead(answer.incoming.statusCode ?? 500, {
      ...headers,
      'content-length': answer.body.length,
    });
    response.end(answer.body);
  });
  return listen(server);
}

/** A receiver of events over HTTPS, which accepts each. */
export function startReceiver(
  certificate: { readonly cert: string; readonly key: string },
  recorder: Recorder,
): Promise<Listening> {
  const server = createTlsServer(certificate, async (request, response) => {
    const body = await text(request);
    recorder.add({ asked: 1, sent: sizeOf(request, body) });
    await recorder.late('service', async () => undefined);
    response.end();
  });
  return listen(server as Server);
}

/** Bytes of a request as it goes over the wire, before TLS. */
function sizeOf({ method = '', url = '', rawHeaders }: IncomingMessage, body: string): number {
  const lines = method.length + url.length + 13;
  return rawHeaders.reduce((sum, part) => sum + part.length + 2, lines) + Buffer.byteLength(body);
}
