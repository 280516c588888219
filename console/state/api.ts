import { parseAnswer } from '../../functions/basics/json.ts';
import type { AnswerTo } from '../../functions/operations/protocol/answers.ts';
import type { Operation, Request } from '../../functions/operations/protocol/requests.ts';
import { seal, unseal } from '../../local/operate/seal.ts';

/** The request was refused; the message has the reason and the remedy. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** The server cannot be reached. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

/** The server that answers doesn't know the token. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

export type Ask = <Asked extends Request>(asked: Asked, signal?: AbortSignal) => Promise<AnswerTo<Asked>>;

/** Sends encrypted requests to the server of this page: only a run that knows the token can read and answer them. A
 *  later run answers a request with an earlier token with its own token, and `keep` is called with it.
 *  @throws Refusal, Disconnected, NotAllowed; an AbortError when `signal` ends it */
export function askWith(first: string, send: typeof fetch, keep: (token: string) => void): Ask {
  let token = first;
  const ask = async (asked: Request, signal: AbortSignal | undefined): Promise<unknown> => {
    const used = token;
    const request = await seal(used, JSON.stringify(asked));
    const sealed = await post(
      send,
      request,
      signal,
      LOOKS.has(asked.operation) ? LOOK_TIMEOUT_MS : undefined,
    );
    const text = await unseal(used, sealed, request);
    if (text === undefined)
      throw new NotAllowed('This link belongs to an earlier run, or another program uses this port.');
    const body = parseAnswer(text) as Record<string, unknown>;
    if (typeof body.token !== 'string') return answerOf(body);
    token = body.token;
    keep(token);
    return ask(asked, signal);
  };
  return async (asked, signal) => (await ask(asked, signal)) as never;
}

/** Requests that end without an answer, because the page would still call itself live on a dead connection. The doctor
 *  and changes may take longer. */
const LOOKS: ReadonlySet<Operation> = new Set<Operation>([
  'status',
  'events',
  'trace',
  'endpoint',
  'attempts',
  'dead-letters',
  'preview',
  'actions',
]);
const LOOK_TIMEOUT_MS = 60_000;

async function post(
  send: typeof fetch,
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal | undefined,
  timeout: number | undefined,
): Promise<Uint8Array> {
  const signals = [signal, timeout === undefined ? undefined : AbortSignal.timeout(timeout)];
  let answered: { readonly response: Response; readonly bytes: Uint8Array };
  try {
    const response = await send('/operations', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body,
      cache: 'no-store',
      signal: AbortSignal.any(signals.filter(each => each !== undefined)),
    });
    answered = { response, bytes: new Uint8Array(await response.arrayBuffer()) };
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Disconnected('No connection.');
  }
  const { response, bytes } = answered;
  const { status, headers } = response;
  const isHtml = headers.get('content-type')?.startsWith('text/html') ?? false;
  if (!isHtml && REFUSALS.includes(status)) throw new Refusal(new TextDecoder().decode(bytes));
  // A reverse proxy answers, because Changewire does not run, the user is no longer signed in, or for another reason
  // that passes: the page must try again. Changewire itself answers 200, or 401 to a token that it does not know.
  if (isHtml || ![200, 401].includes(status)) throw new Disconnected('No connection.');
  return bytes;
}

/** The server refuses a request in plain text: one that is malformed or too long, or the address of this page, for
 *  which it names the one that it allows. */
const REFUSALS = [400, 403, 413];

function answerOf(body: Record<string, unknown>): unknown {
  if ('answer' in body) return body.answer;
  throw new Refusal(typeof body.refused === 'string' ? body.refused : 'Unknown response: reload this page.');
}

/** The text of an error for users. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
