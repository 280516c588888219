import type { AnswerTo } from '../functions/operations/protocol/answers.ts';
import type { Request } from '../functions/operations/protocol/requests.ts';

/** The request can't be done; the message says why, and what to do, in words for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** Nobody answers. */
export class Disconnected extends Error {
  override readonly name = 'Disconnected';
}

/** The token isn't that of who answers. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
}

export type Ask = <Asked extends Request>(asked: Asked, signal?: AbortSignal) => Promise<AnswerTo<Asked>>;

/** Asks who serves this page.
 *  @throws Refusal, Disconnected, NotAllowed; an AbortError when `signal` ends it */
export function askWith(token: string, send: typeof fetch): Ask {
  return async (asked, signal) => {
    const response = await send('/operations', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      cache: 'no-store',
      ...(signal && { signal }),
    }).catch((error: unknown) => {
      if (signal?.aborted) throw error;
      throw new Disconnected('Nobody answers.');
    });
    return answerOf(response.status, await bodyOf(response, signal)) as never;
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
