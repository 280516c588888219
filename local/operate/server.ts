import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerRequest } from '../../functions/operations/answer-request.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import type { Reply } from '../../functions/operations/protocol/reply.ts';
import { type Address, newToken, proofOf } from './address.ts';
import { admit, type Refusal } from './admit.ts';
import { readBody } from './read-body.ts';

export interface OperationsServer extends Address {
  stop(): Promise<void>;
}

/**
 * Answers on a free port of 127.0.0.1 (DESIGN §13):
 *
 *     POST /operations         a request (functions/operations/protocol/), with the token; the reply is protocol/reply.ts
 *     GET /operations?challenge=…   proves that the token is known here, without telling it
 *
 * A page of the web can't ask, whatever a browser on this machine is made to send (`admit.ts`). No request is ever logged: it may hold a secret.
 * `who` is whoever may read the token: the user of this run.
 */
export async function startOperationsServer(
  operations: Operations,
  { who, onError }: { readonly who: string; readonly onError: (error: unknown) => void },
): Promise<OperationsServer> {
  const token = newToken();
  const server = createServer((message, response) => {
    answer(message, { operations, token, who }).then(
      ({ status, body }) => send(response, status, body),
      error => {
        onError(error);
        send(response, 500, { error: 'This failed in the run, which says why.' });
      },
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Parts {
  readonly operations: Operations;
  readonly token: string;
  readonly who: string;
}
interface Answered {
  readonly status: number;
  readonly body: Reply | Refusal['body'] | { readonly proof: string };
}

async function answer(message: IncomingMessage, { operations, token, who }: Parts): Promise<Answered> {
  const admitted = admit(message, token);
  if ('status' in admitted) return admitted;
  if ('challenge' in admitted) return { status: 200, body: { proof: proofOf(token, admitted.challenge) } };
  const asked = await readBody(message);
  if ('status' in asked) return asked;
  const reply = await answerRequest(operations, asked.json, { who, isProven: true });
  if ('answer' in reply) return { status: 200, body: reply };
  return { status: reply.isUsage ? 400 : 409, body: reply };
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // What was refused may have more to send, that nobody reads.
    ...(status >= 400 && { connection: 'close' }),
  });
  response.end(`${JSON.stringify(body)}\n`);
}
