import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerRequest } from '../../functions/operations/answer-request.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import type { Reply } from '../../functions/operations/protocol/reply.ts';
import { listener } from '../basics/listener.ts';
import { PageError, type PageFile } from '../console/built-page.ts';
import type { Page } from '../console/page.ts';
import { type Address, newToken, proofOf } from './address.ts';
import { admit, NOT_THERE, type Refusal, refusal } from './admit.ts';
import { HEADERS } from './headers.ts';
import { readBody } from './read-body.ts';
import { ticketTaker } from './tickets.ts';

export interface OperationsServer extends Address {
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** The name of the caller: whoever may read the token is the user of this run. */
  readonly who: string;
  readonly onError: (error: unknown) => void;
  /** The console; undefined: there is none. */
  readonly page?: Page | undefined;
  /** Where the run before answered. This one takes the same port, so that a page that is still open finds
   *  it. If another program has the port by now, the token is made anew: that program may have heard the
   *  old one. */
  readonly before?: Address | undefined;
}

/**
 * Answers on a port of 127.0.0.1 (design.md §13), which was free:
 *
 *     POST /operations         a request (functions/operations/protocol/), with the token; the reply is protocol/reply.ts
 *     GET /operations?challenge=…   proves that the token is known here, without telling it
 *     GET /, GET /assets/…     the console's page, which asks the same
 *     GET /open?ticket=…       leads to the page with its token, once
 *
 * A page of the web can't ask, whatever a browser on this machine is made to send (`admit.ts`). No request is ever logged: it may hold a secret.
 */
export async function startOperationsServer(
  operations: Operations,
  { who, onError, page, before }: ServerOptions,
): Promise<OperationsServer> {
  let token = before?.token ?? newToken();
  let takes = ticketTaker(token, Date.now);
  const server = createServer(
    listener(async (message, response) => {
      const answered = await answer(message, { operations, token, takes, who, page }).catch(error => {
        onError(error);
        return failed(error);
      });
      send(response, answered, message.method === 'HEAD');
    }),
  );
  const isAgain = before !== undefined && (await listen(server, Number(new URL(before.url).port)));
  if (!isAgain) {
    token = newToken();
    takes = ticketTaker(token, Date.now);
    if (!(await listen(server, 0))) throw new Error('Nobody can listen on 127.0.0.1: there is no free port.');
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    hasPage: page !== undefined,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** @returns false when somebody else has the port */
async function listen(server: Server, port: number): Promise<boolean> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' || code === 'EACCES') return false;
    throw error;
  } finally {
    server.removeAllListeners('error');
  }
}

interface Parts {
  readonly operations: Operations;
  readonly token: string;
  readonly takes: (ticket: string) => boolean;
  readonly who: string;
  readonly page: Page | undefined;
}
interface Answered {
  readonly status: number;
  readonly body: Reply | Refusal['body'] | { readonly proof: string } | PageFile;
  readonly location?: string;
}

async function answer(message: IncomingMessage, parts: Parts): Promise<Answered> {
  const { operations, token, who, page } = parts;
  const admitted = admit(message, token);
  if ('status' in admitted) return admitted;
  if ('challenge' in admitted) return { status: 200, body: { proof: proofOf(token, admitted.challenge) } };
  if ('file' in admitted) {
    const body = await page?.file(admitted.file);
    return body ? { status: 200, body } : refusal(404, NOT_THERE);
  }
  if ('ticket' in admitted) {
    if (page === undefined || !parts.takes(admitted.ticket)) return refusal(403, TICKET_USED);
    return { status: 303, body: { error: 'Go on to the page.' }, location: `/#token=${token}` };
  }
  const asked = await readBody(message);
  if ('status' in asked) return asked;
  const reply = await answerRequest(operations, asked.json, { who, isProven: true });
  if ('answer' in reply) return { status: 200, body: reply };
  return { status: reply.isUsage ? 400 : 409, body: reply };
}

const TICKET_USED =
  'This was opened before, or is older than a minute: ask for the console once more, with npx changewire console.';

function failed(error: unknown): Refusal {
  if (error instanceof PageError)
    return refusal(503, 'The console could not be built; who started this is told why. The command works.');
  return refusal(500, 'This failed in the run, which says why.');
}

function send(response: ServerResponse, { status, body, location }: Answered, isHead: boolean): void {
  const isFile = 'type' in body;
  const bytes = isFile ? body.body : `${JSON.stringify(body)}\n`;
  response.writeHead(status, {
    ...HEADERS,
    'content-type': isFile ? body.type : 'application/json',
    'content-length': Buffer.byteLength(bytes),
    ...(location !== undefined && { location }),
    // The body of a refused request is not read: without closing, what is left of it would be taken for
    // the next request.
    ...(status >= 400 && { connection: 'close' }),
  });
  response.end(isHead ? undefined : bytes);
}
