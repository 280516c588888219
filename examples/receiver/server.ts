import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Applied } from './applied.ts';
import { Refusal, type Senders, type SentEvent, verify } from './changewire.ts';

export interface ReceiverOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The accepted senders, by path. */
  readonly senders: ReadonlyMap<string, Senders>;
  /** Called first for each event, whatever its place in the order. When it throws, the event is sent again. */
  readonly store?: (event: SentEvent) => void;
  /** Called for each event that is neither duplicate nor stale. When it throws, the event is sent again. */
  readonly apply: (event: SentEvent) => void;
  readonly log: (text: string) => void;
}

const STOP_TIMEOUT_MS = 2_000;

/** Starts the receiver. It answers 204 once an event is applied or dropped. */
export async function startReceiver(options: ReceiverOptions) {
  const { host, port, senders, log } = options;
  const applied = new Applied();
  const server = createServer({ requestTimeout: 15_000 }, (request, response) => {
    receive(request, senders)
      .then(event => {
        if (event) take(event, applied, options);
        else log(`handled ${request.headers['x-amz-sns-message-type']}`);
      })
      .then(
        () => response.writeHead(204).end(),
        error => refuse(request, response, error, log),
      );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return { urls: [...senders.keys()].map(path => url + path), stop: () => stop(server) };
}

async function receive(request: IncomingMessage, senders: ReadonlyMap<string, Senders>) {
  const expected = senders.get(request.url ?? '');
  if (!expected) throw new Refusal(404, 'Not found.');
  if (request.method !== 'POST') throw new Refusal(405, 'Use POST.');
  return verify(request, expected);
}

/** Nothing is awaited between `judge` and `remember`, so two concurrent copies are not both applied. */
function take(event: SentEvent, applied: Applied, { store, apply, log }: ReceiverOptions): void {
  store?.(event);
  const verdict = applied.judge(event);
  if (verdict === 'new') {
    apply(event);
    applied.remember(event);
  } else log(`dropped as ${verdict}: ${event.id}`);
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  log: (text: string) => void,
): void {
  const refused = error instanceof Refusal ? error : new Refusal(500, 'The event could not be handled.');
  log(`answered ${refused.status}: ${error === refused ? refused.message : error}`);
  // The rest of an unread body would be read as the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(refused.status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${refused.message}\n`);
}

/** Gives current requests a moment to end. */
async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT_MS);
  await closed;
  clearTimeout(timer);
}
