import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Applied } from './applied.ts';
import { Refusal, type Senders, type SentEvent, verify } from './changewire.ts';

export interface ReceiverOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** Whose events are taken, by path. */
  readonly senders: ReadonlyMap<string, Senders>;
  /** Called for each event that is neither duplicate nor stale. When it throws, the event is sent again. */
  readonly apply: (event: SentEvent) => void;
  readonly say: (text: string) => void;
}

const LAST_MOMENTS_MS = 2_000;

/** Starts the receiver. It answers 204 once an event is applied, or need not be. */
export async function startReceiver(options: ReceiverOptions) {
  const { host, port, senders, say } = options;
  const applied = new Applied();
  const server = createServer({ requestTimeout: 15_000 }, (request, response) => {
    receive(request, senders)
      .then(event => {
        if (event) take(event, applied, options);
        else say(`handled ${request.headers['x-amz-sns-message-type']}`);
      })
      .then(
        () => response.writeHead(204).end(),
        error => refuse(request, response, error, say),
      );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return { urls: [...senders.keys()].map(path => url + path), stop: () => stop(server) };
}

async function receive(request: IncomingMessage, senders: ReadonlyMap<string, Senders>) {
  const expected = senders.get(request.url ?? '');
  if (!expected) throw new Refusal(404, 'Nothing is here.');
  if (request.method !== 'POST') throw new Refusal(405, 'Use POST.');
  return verify(request, expected);
}

/** Nothing waits between the judgement and the memory, so two copies that come at once are not both applied. */
function take(event: SentEvent, applied: Applied, { apply, say }: ReceiverOptions): void {
  const verdict = applied.judge(event);
  if (verdict === 'new') {
    apply(event);
    applied.remember(event);
  } else say(`dropped as ${verdict}: ${event.id}`);
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  say: (text: string) => void,
): void {
  const refused = error instanceof Refusal ? error : new Refusal(500, 'The event could not be handled.');
  say(`answered ${refused.status}: ${error === refused ? refused.message : error}`);
  // A body that was not read to its end would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  response.writeHead(refused.status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${refused.message}\n`);
}

/** Lets requests that are under way end, for a moment. */
async function stop(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), LAST_MOMENTS_MS);
  await closed;
  clearTimeout(timer);
}
