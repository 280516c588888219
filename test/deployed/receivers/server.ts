import assert from 'node:assert/strict';
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import { type Listening, listen } from '../../kit/listen.ts';
import { PROCESS } from '../config.ts';

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

/** What one receiver got of the process that is edited: every event, and which of them came again. */
export class ReceivedEvents {
  readonly #events = new Map<string, { event: ChangeEvent; json: string }>();
  /** Events that came again. */
  repeated = 0;

  /** @throws when an id comes again with other content */
  add(json: string): void {
    const event = JSON.parse(json) as ChangeEvent;
    if (event.data.process.id !== PROCESS) return;
    const known = this.#events.get(event.id);
    if (known) {
      assert.equal(json, known.json, `${event.id} came again with other content`);
      this.repeated += 1;
    } else this.#events.set(event.id, { event, json });
  }

  get events(): ChangeEvent[] {
    return [...this.#events.values()].map(({ event }) => event);
  }
}
