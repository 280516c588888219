import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Applied } from './applied.ts';
import type { ChangeEvent } from './event.ts';
import { Refusal } from './refusal.ts';
import { snsReader } from './sns.ts';
import { webhookReader } from './webhooks.ts';

export interface ReceiverOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The topic whose messages are taken at `/sns`; without one, none are. */
  readonly topicArn: string | undefined;
  /** The secrets of the webhooks that are taken at `/webhook`; without any, none are. */
  readonly secrets: readonly string[];
  readonly allowLoopback: boolean;
  /** Called for each event that is neither duplicate nor stale. When it throws, the event is sent again. */
  readonly apply: (event: ChangeEvent) => void;
  readonly say: (text: string) => void;
}

type Reader = (
  headers: IncomingMessage['headers'],
  body: string,
) => Promise<ChangeEvent | undefined> | ChangeEvent;

/** An event has at most 240 KB; within the envelope, its JSON is escaped once more. */
const LONGEST_BODY = 1024 * 1024;
const LAST_MOMENTS_MS = 2_000;

/** Starts the receiver. It answers 204 once an event is applied, or need not be. */
export async function startReceiver(options: ReceiverOptions) {
  const { host, port, topicArn, secrets, say } = options;
  const readers = new Map<string, Reader>();
  if (topicArn !== undefined) readers.set('/sns', snsReader({ ...options, topicArn }));
  if (secrets.length > 0) readers.set('/webhook', webhookReader(secrets));
  const applied = new Applied();
  const server = createServer({ requestTimeout: 15_000 }, (request, response) => {
    receive(request, readers)
      .then(event => event && take(event, applied, options))
      .then(
        () => response.writeHead(204).end(),
        error => refuse(request, response, error, say),
      );
  });
  server.listen(port, host);
  await once(server, 'listening');
  const url = `http://${host}:${(server.address() as AddressInfo).port}`;
  return { urls: [...readers.keys()].map(path => url + path), stop: () => stop(server) };
}

async function receive(request: IncomingMessage, readers: ReadonlyMap<string, Reader>) {
  const reader = readers.get(request.url ?? '');
  if (!reader) throw new Refusal(404, 'Nothing is here.');
  if (request.method !== 'POST') throw new Refusal(405, 'Use POST.');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > LONGEST_BODY) throw new Refusal(413, 'The body is too long.');
    chunks.push(chunk);
  }
  return reader(request.headers, textOf(Buffer.concat(chunks)));
}

/** Strict: otherwise bytes that are no UTF-8 would all be read as one and the same character, and verify. */
function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new Refusal(400, 'The body is no UTF-8.');
  }
}

/** Nothing waits between the judgement and the memory, so two copies that come at once are not both applied. */
function take(event: ChangeEvent, applied: Applied, { apply, say }: ReceiverOptions): void {
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
  say(`answered ${refused.status}: ${refused.message}`);
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
