import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChangeEvent } from '../../functions/changes/event.ts';
import { type EventMeta, Inbox } from './inbox.ts';
import { Refusal } from './refusal.ts';

export interface SubscriberOptions {
  /** Called once per event, in the order of arrival. When it throws, SNS is asked to send the event again. */
  onEvent(event: ChangeEvent, meta: EventMeta): void;
  /** The only topic whose subscription is confirmed; by default any that signs its messages. */
  readonly topicArn?: string;
  /** By default `/events`. */
  readonly path?: string;
}

export interface Subscriber {
  /** What to subscribe. */
  readonly url: string;
  /** Kills every connection. */
  stop(): Promise<void>;
}

// SNS's 256 KB, doubled for the escapes of the envelope's JSON, and the envelope.
const LONGEST_BODY = 1024 * 1024;

/** The built-in subscriber, on 127.0.0.1 and a free port. It confirms its own subscription, verifies the signature of each
 *  message, answers 403 to what it can't trust and 400 to what is no change event. */
export async function startSubscriber(options: SubscriberOptions): Promise<Subscriber> {
  const path = options.path ?? '/events';
  const inbox = new Inbox(options.topicArn, options.onEvent);
  const server = createServer((request, response) => {
    receive(request, path, inbox).then(
      () => response.writeHead(200).end(),
      error => refuse(response, error),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function receive(request: IncomingMessage, path: string, inbox: Inbox): Promise<void> {
  if (request.url !== path) throw new Refusal(404, 'Nothing is here.');
  if (request.method !== 'POST') throw new Refusal(405, 'Use POST.');
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) {
    body += chunk;
    if (body.length > LONGEST_BODY) throw new Refusal(413, 'The body is too long.');
  }
  await inbox.take(request.headers, body);
}

function refuse(response: ServerResponse, error: unknown): void {
  const { status, message } =
    error instanceof Refusal ? error : { status: 500, message: 'The event could not be handled.' };
  // What is left of a body that was not read would be taken for the next request.
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${message}\n`);
}
