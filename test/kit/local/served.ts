import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Caller, Operations } from '../../../functions/operations/operations.ts';
import { type ServerOptions, startOperationsServer } from '../../../local/operate/server.ts';

export const ASKED = { operation: 'endpoints' } as const;
export const ANSWER = { endpoints: [] };

/** A server whose operations record their requests. */
export async function served(
  operations: (asked: object) => unknown = () => ANSWER,
  options: Partial<ServerOptions> = {},
) {
  const asked: { request: object; caller: Caller }[] = [];
  const errors: unknown[] = [];
  const record = async (request: object, caller: Caller) => {
    asked.push({ request, caller });
    return operations(request);
  };
  const server = await startOperationsServer(record as Operations, {
    ...options,
    who: 'ann',
    onError: error => errors.push(error),
  });
  onTestFinished(server.stop);
  const port = Number(new URL(server.url).port);
  return { server, port, asked, errors };
}

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export function send(port: number, { method = 'POST', path = '/operations', headers = {}, body }: Sent) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
    const sending = httpRequest(
      { host: '127.0.0.1', port, method, path, headers, agent: false },
      response => {
        let text = '';
        response.setEncoding('utf8').on('data', chunk => (text += chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      },
    );
    // The server may refuse, and close the connection, before everything is sent.
    sending.on('error', reject).end(body);
  });
}

export const good = (token: string) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
});
