import { within } from '../basics/within.ts';
import type { Turn } from './adaptive-limit.ts';
import type { Context } from './context.ts';
import { DeadlineError, ServiceStatusError } from './errors.ts';
import type { HttpAnswer, HttpFailure } from './exchange.ts';
import { retryAfterOf } from './failures.ts';
import type { Tokens } from './tokens.ts';
import type { Turns } from './turns.ts';

/** Waits for a token, then for its turn, and sends the request once. The deadline of the pass ends each of
 *  the three. */
export async function ask(
  context: Context,
  tokens: Tokens,
  what: { path: string; attempt: number; deadline: number },
) {
  const { path, attempt, deadline } = what;
  const { turns, settings } = context;
  const { base, clock, requestTimeout } = settings;
  const late = () => new DeadlineError(`GET ${path}`);
  const token =
    tokens.held ??
    (await inTime(
      () => tokens.get(deadline),
      () => tokens.met ?? late(),
    ));
  const turn = turns.takeAtOnce() ?? (await inTime(waitForTurn, late));
  let result: HttpAnswer | HttpFailure | undefined;
  try {
    const left = deadline - clock();
    // Waiting for the token or the turn may have taken what time was left.
    if (left <= 0) throw late();
    const headers = { accept: 'application/json', authorization: token.text };
    const request = { origin: base.origin, path, method: 'GET', headers } as const;
    const sent = await context.send(request, attempt, Math.min(left, requestTimeout));
    if ('why' in sent && sent.why === 'time-out' && left < requestTimeout) throw late();
    result = sent;
    return { token, result };
  } finally {
    endTurn(turns, turn, result);
  }

  function inTime<Value>(work: (signal: AbortSignal) => Promise<Value>, error: () => Error): Promise<Value> {
    return within(Math.max(0, deadline - clock()), work, error);
  }

  function waitForTurn(signal: AbortSignal): Promise<Turn> {
    const { pause } = turns;
    if (!pause || pause.until < deadline) return turns.take(signal);
    const message = `the service asks for no request before ${new Date(pause.until).toISOString()}`;
    throw new ServiceStatusError(`GET ${path}`, pause.status, message, 'everybody');
  }
}

/** Tells the limit of requests at once what came of the request. */
function endTurn(turns: Turns, turn: Turn, result: HttpAnswer | HttpFailure | undefined): void {
  if (!result) turns.end(turn, 'other');
  else if ('why' in result) turns.end(turn, result.why === 'time-out' ? 'overloaded' : 'other');
  else {
    const { status, at } = result;
    const retryAfter = retryAfterOf(result, at);
    const outcome = status === 429 ? 'rate limit' : status === 503 ? 'overloaded' : 'answered';
    turns.end(turn, outcome, retryAfter ? { status, retryAfter } : undefined);
  }
}
