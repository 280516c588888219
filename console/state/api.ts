import type { AnswerTo } from '../../functions/operations/protocol/answers.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { seal, unseal } from '../../local/operate/seal.ts';

/** The request can't be done; the message says why, and what to do, in words for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Nobody answers. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

/** The server that answers doesn't know the token. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

export type Ask = <Asked extends Request>(asked: Asked, signal?: AbortSignal) => Promise<AnswerTo<Asked>>;

/** Sends requests to the server of this page, encrypted: only a run that knows the token can read and answer them. A
 *  later run hands its own token over to who knows a former one; `keep` is called with it.
 *  @throws Refusal, Disconnected, NotAllowed; an AbortError when `signal` ends it */
export function askWith(first: string, send: typeof fetch, keep: (token: string) => void): Ask {
  let token = first;
  const ask = async (asked: Request, signal: AbortSignal | undefined): Promise<unknown> => {
    const used = token;
    const request = await seal(used, JSON.stringify(asked));
    const sealed = await post(send, request, signal);
    const text = await unseal(used, sealed, request);
    if (text === undefined) throw new NotAllowed('Another run or program answers here now.');
    const body = JSON.parse(text) as Record<string, unknown>;
    if (typeof body.token !== 'string') return answerOf(body);
    token = body.token;
    keep(token);
    return ask(asked, signal);
  };
  return async (asked, signal) => (await ask(asked, signal)) as never;
}

async function post(
  send: typeof fetch,
  body: Uint8Array<ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  try {
    const response = await send('/operations', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body,
      cache: 'no-store',
      ...(signal && { signal }),
    });
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Disconnected('Nobody answers.');
  }
}

function answerOf(body: Record<string, unknown>): unknown {
  if ('answer' in body) return body.answer;
  throw new Refusal(
    typeof body.refused === 'string' ? body.refused : 'The answer is none that this page knows: reload it.',
  );
}

/** What an error says to people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
