import { plausibleDate } from '../http-date.ts';
import type { Json } from '../json.ts';
import { within } from '../within.ts';
import type { Context } from './context.ts';
import { excerpt } from './describe.ts';
import { DeadlineError, ServiceAnswerError } from './errors.ts';
import { type HttpAnswer, isSuccess } from './exchange.ts';
import { exchangeFailure, garbledFailure, type Patience, statusFailure } from './failures.ts';
import { parseJson } from './parse.ts';
import { type Outcome, persist, type Try } from './persist.ts';
import type { Tokens } from './tokens.ts';

/** A 2xx answer in JSON. */
export interface Answer {
  readonly body: Json;
  /** The length of its text, in characters. */
  readonly size: number;
  /** When the service answered, in ms since 1970, and by whose clock. */
  readonly readAt: number;
  readonly clock: 'service' | 'local';
  /** The error that tells what in this answer is not as documented; secrets that the answer echoes are hidden. */
  wrong(where: { path: string; expected: string; found: string }): ServiceAnswerError;
}

/** GETs from the service for one pass. `brief` gives up early on what asking for less may cure. */
export interface Reader {
  read(path: string, brief: boolean): Promise<Outcome<Answer>>;
}

/** A reader whose tries end at `deadline` (ms since 1970 by our clock). Throws what the token request throws. */
export function createReader(context: Context, tokens: Tokens, deadline: number): Reader {
  const { settings, closing } = context;
  return {
    read(path, brief) {
      const name = `GET ${path}`;
      const pacing = { ...settings, closing, deadline: () => deadline };
      const patience = { maxAttempts: settings.maxAttempts, brief };
      let renewed = false;
      const once = async (attempt: number): Promise<Try<Answer>> => {
        const result = await authorised(attempt);
        if ('why' in result) return { failure: exchangeFailure(name, result, patience, limits) };
        return take(context, name, result, patience);
      };
      const limits = { timeout: settings.requestTimeout, maxBodyBytes: settings.maxBodyBytes };
      const authorised = async (attempt: number) => {
        const first = await ask(context, tokens, { path, attempt, deadline });
        if (first.result.status !== 401 || renewed) return first.result;
        renewed = true;
        tokens.refuse(first.token);
        return (await ask(context, tokens, { path, attempt, deadline })).result;
      };
      return persist(name, pacing, once);
    },
  };
}

async function ask(
  context: Context,
  tokens: Tokens,
  what: { path: string; attempt: number; deadline: number },
) {
  const { path, attempt, deadline } = what;
  const { base, clock } = context.settings;
  let hasToken = false;
  const work = async (signal: AbortSignal) => {
    const token = await tokens.get(deadline);
    hasToken = true;
    const headers = { accept: 'application/json', authorization: token.text };
    const request = { origin: base.origin, path, method: 'GET', headers } as const;
    const result = await context.slots.run(signal, async () => {
      // Waiting for the token or the turn may have taken what time was left.
      if (clock() >= deadline) throw new DeadlineError(`GET ${path}`);
      return context.send(request, attempt, signal);
    });
    return { token, result };
  };
  // A token that can't be had is what ended the time, where that is known.
  const late = () => (hasToken ? undefined : tokens.met) ?? new DeadlineError(`GET ${path}`);
  return within(Math.max(0, deadline - clock()), work, late);
}

function take(context: Context, name: string, answer: HttpAnswer, patience: Patience): Try<Answer> {
  const { secrets } = context;
  if (!isSuccess(answer.status)) return { failure: statusFailure(name, answer, patience, answer.at) };
  const body = answer.text === undefined ? undefined : parseJson(answer.text);
  if (body === undefined) return { failure: garbledFailure(name, describe(answer, secrets.hide), patience) };
  return { value: { body, size: answer.text?.length ?? 0, ...timeOf(context, answer), wrong } };

  function wrong(where: { path: string; expected: string; found: string }): ServiceAnswerError {
    const { path, expected, found } = where;
    return new ServiceAnswerError(name, { path: secrets.hide(path), expected, found: secrets.hide(found) });
  }
}

function describe({ text, encoding = 'identity' }: HttpAnswer, hide: (text: string) => string): string {
  if (text === '') return 'an empty body';
  if (encoding.toLowerCase() !== 'identity')
    return `a body in the content-encoding "${excerpt(hide(encoding))}", which nobody asked for`;
  if (text !== undefined) return `${text.length} characters that begin "${excerpt(hide(text))}"`;
  return 'bytes that are no UTF-8';
}

function timeOf(context: Context, answer: HttpAnswer): Pick<Answer, 'readAt' | 'clock'> {
  const date = plausibleDate(answer.date, answer.at);
  if (date !== undefined) return { readAt: date, clock: 'service' };
  if (context.settings.dateHeader === false) return { readAt: answer.at, clock: 'local' };
  const message =
    'the service sends no usable Date header; times are by the local clock, which must be right';
  context.notice({ code: 'no-date-header', message });
  return { readAt: answer.at, clock: 'local' };
}
