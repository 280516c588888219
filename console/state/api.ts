import type { AnswerTo } from '../../functions/operations/protocol/answers.ts';
import type { Request } from '../../functions/operations/protocol/requests.ts';
import { provesToken } from './proof.ts';

/** The request can't be done; the message says why, and what to do, in words for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Nobody answers. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

/** The token isn't the one of the server that answers. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

export type Ask = <Asked extends Request>(asked: Asked, signal?: AbortSignal) => Promise<AnswerTo<Asked>>;

/** Sends requests to the server of this page. After a time without answers, whatever listens there next
 *  must first prove that it knows the token before it gets it.
 *  @throws Refusal, Disconnected, NotAllowed; an AbortError when `signal` ends it */
export function askWith(token: string, send: typeof fetch): Ask {
  let isKnown = true;
  const prove = async (signal: AbortSignal | undefined) => {
    if (await provesToken(token, send, signal)) return;
    throw new NotAllowed('Somebody else answers here now.');
  };
  return async (asked, signal) => {
    try {
      if (!isKnown) await prove(signal);
      const response = await send('/operations', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(asked),
        cache: 'no-store',
        ...(signal && { signal }),
      });
      isKnown = true;
      return answerOf(response.status, await bodyOf(response, signal)) as never;
    } catch (error) {
      if (signal?.aborted || error instanceof NotAllowed || error instanceof Refusal) throw error;
      isKnown = false;
      throw error instanceof Disconnected ? error : new Disconnected('Nobody answers.');
    }
  };
}

async function bodyOf(response: Response, signal: AbortSignal | undefined): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Disconnected('The answer broke off.');
  }
}

function answerOf(status: number, body: Record<string, unknown>): unknown {
  if (status === 200 && 'answer' in body) return body.answer;
  if (status === 401 || status === 403) throw new NotAllowed(textOf(body.error));
  throw new Refusal(textOf(body.refused ?? body.error));
}

function textOf(said: unknown): string {
  return typeof said === 'string' ? said : 'The answer is none that this page knows: reload it.';
}

/** What an error says to people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
