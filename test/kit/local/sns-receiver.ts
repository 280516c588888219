import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { expect, vi } from 'vitest';
import { listen } from '../listen.ts';

/** A request that the receiver got. */
export interface Received {
  readonly type: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What to answer: a status, `hang` (never), `reset` (destroy the connection). */
export type Reply = number | 'hang' | 'reset';

/** A real HTTP endpoint that records what it gets. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  notifications(): Received[];
  confirmations(): Received[];
  /** The `SubscribeURL` of the first confirmation, once that has come. */
  subscribeUrl(): Promise<string>;
  close(): Promise<void>;
}

/** Confirms every subscription itself, unless `confirm` is false. `reply` decides the answer to notification number `n`.
 *  `port` is that of one that was closed. */
export async function startReceiver(
  options: { confirm?: boolean; port?: number; reply?: (received: Received, n: number) => Reply } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const notifications = () => received.filter(({ type }) => type === 'Notification');
  const confirmations = () => received.filter(({ type }) => type === 'SubscriptionConfirmation');
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    const type = String(request.headers['x-amz-sns-message-type']);
    const one = { type, headers: request.headers, body };
    received.push(one);
    if (type === 'SubscriptionConfirmation' && options.confirm !== false) {
      // A test may end while it is confirmed: an error here would fail whichever test runs then.
      await fetch((JSON.parse(body) as { SubscribeURL: string }).SubscribeURL).catch(() => undefined);
    }
    answer(response, type === 'Notification' ? (options.reply?.(one, notifications().length) ?? 200) : 200);
  });
  const { url, stop } = await listen(server, options.port);
  return {
    url: `${url}/hook`,
    received,
    notifications,
    confirmations,
    subscribeUrl: async () => {
      await vi.waitFor(() => expect(confirmations()).toHaveLength(1), { timeout: 10_000, interval: 10 });
      return JSON.parse(confirmations()[0]?.body ?? '{}').SubscribeURL;
    },
    close: stop,
  };
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === 'reset') response.socket?.destroy();
  else if (reply !== 'hang') response.writeHead(reply).end();
}
