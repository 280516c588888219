import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Caller, Operations } from '../../../functions/operations/operations.ts';
import { seal, unseal } from '../../../local/operate/seal.ts';
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
  readonly body?: string | Uint8Array;
}

export function send(port: number, { method = 'POST', path = '/operations', headers = {}, body }: Sent) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; text: string; bytes: Buffer }>(
    (resolve, reject) => {
      const sending = httpRequest(
        { host: '127.0.0.1', port, method, path, headers, agent: false },
        async response => {
          const bytes = Buffer.concat(await response.toArray());
          const { statusCode: status = 0, headers: received } = response;
          resolve({ status, headers: received, text: bytes.toString(), bytes });
        },
      );
      // The server may refuse, and close the connection, before everything is sent.
      sending.on('error', reject).end(body);
    },
  );
}

export const SEALED = { 'content-type': 'application/octet-stream' };

/** Asks as clients do. `reply` is undefined for an answer that the run did not seal. */
export async function ask(
  port: number,
  token: string,
  request: string = JSON.stringify(ASKED),
  headers: Record<string, string> = {},
) {
  const sealed = await seal(token, request);
  const answered = await send(port, { headers: { ...SEALED, ...headers }, body: sealed });
  const text = await unseal(token, answered.bytes, sealed);
  return { ...answered, reply: text === undefined ? undefined : JSON.parse(text) };
}
