import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerRequest } from '../../functions/operations/answer-request.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import type { Reply } from '../../functions/operations/protocol/reply.ts';
import { seal, unseal } from '../../functions/operations/protocol/seal.ts';
import { listener } from '../basics/listener.ts';
import { PageError, type PageFile } from '../console/built-page.ts';
import type { Page } from '../console/page.ts';
import { type Address, newToken } from './address.ts';
import { admit, NOT_THERE, type Refusal, refusal } from './admit.ts';
import { HEADERS } from './headers.ts';
import { readBody } from './read-body.ts';

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
   *  it, and hands its token over to who knows one of the former ones. If another program has the port by now, it doesn't:
   *  a page that was loaded again from there has given its token away. */
  readonly before?: Address | undefined;
}

/**
 * Answers on a port of 127.0.0.1 (design.md §13), which was free:
 *
 *     POST /operations         a request (functions/operations/protocol/), sealed with the token (protocol/seal.ts); the answer is
 *                              sealed, too: protocol/reply.ts, or {"token": …} for a request with the token of a former run
 *     GET /, GET /assets/…     the console's page, which asks the same
 *
 * A page of the web can't ask, whatever a browser on this machine is made to send (`admit.ts`). No request is ever logged: it may hold a secret.
 */
export async function startOperationsServer(
  operations: Operations,
  { who, onError, page, before }: ServerOptions,
): Promise<OperationsServer> {
  const token = newToken();
  let former: readonly string[] = [];
  const server = createServer(
    listener(async (message, response) => {
      const parts = { operations, token, former, who, page, onError };
      const answered = await answer(message, parts).catch(error => {
        onError(error);
        return failed(error);
      });
      send(response, answered, message.method === 'HEAD');
    }),
  );
  const isAgain = before !== undefined && (await listen(server, Number(new URL(before.url).port)));
  if (isAgain) former = [before.token, ...before.former].slice(0, MAX_FORMER);
  else if (!(await listen(server, 0)))
    throw new Error('Nobody can listen on 127.0.0.1: there is no free port.');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    former,
    hasPage: page !== undefined,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A page in the background asks nothing, and may miss this many restarts. */
const MAX_FORMER = 8;

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

interface Parts extends Pick<OperationsServer, 'token' | 'former'> {
  readonly operations: Operations;
  readonly who: string;
  readonly page: Page | undefined;
  readonly onError: ServerOptions['onError'];
}
interface Answered {
  readonly status: number;
  readonly body: Uint8Array | Refusal['body'] | PageFile;
}

async function answer(message: IncomingMessage, parts: Parts): Promise<Answered> {
  const { token, former, page } = parts;
  const admitted = admit(message);
  if ('status' in admitted) return admitted;
  if ('file' in admitted) {
    const body = await page?.file(admitted.file);
    return body ? { status: 200, body } : refusal(404, NOT_THERE);
  }
  const sealed = await readBody(message);
  if ('status' in sealed) return sealed;
  for (const known of [token, ...former]) {
    const text = await unseal(known, sealed);
    if (text === undefined) continue;
    const reply = known === token ? await replyTo(text, parts) : { token };
    return { status: 200, body: await seal(known, JSON.stringify(reply), sealed) };
  }
  return refusal(401, 'It takes the token of this run, from operate.json in its data directory.');
}

/** What was sealed with the token is answered whatever happens: an answer that is not sealed is believed by no client. */
async function replyTo(text: string, { operations, who, onError }: Parts): Promise<Reply> {
  try {
    return await answerRequest(operations, parsed(text), { who, isProven: true });
  } catch (error) {
    onError(error);
    return { refused: 'This failed in the run, which says why.', isUsage: false };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failed(error: unknown): Refusal {
  if (error instanceof PageError)
    return refusal(503, 'The console could not be built; who started this is told why. The command works.');
  return refusal(500, 'This failed in the run, which says why.');
}

function send(response: ServerResponse, { status, body }: Answered, isHead: boolean): void {
  const [type, bytes] =
    body instanceof Uint8Array
      ? ['application/octet-stream', body]
      : 'type' in body
        ? [body.type, body.body]
        : ['application/json', `${JSON.stringify(body)}\n`];
  response.writeHead(status, {
    ...HEADERS,
    'content-type': type,
    'content-length': Buffer.byteLength(bytes),
    // The body of a refused request is not read: without closing, what is left of it would be taken for
    // the next request.
    ...(status >= 400 && { connection: 'close' }),
  });
  response.end(isHead ? undefined : bytes);
}
