import { plausibleDate } from '../basics/http-date.ts';
import type { Json } from '../basics/json.ts';
import { within } from '../basics/within.ts';
import type { Turn } from './adaptive-limit.ts';
import { shownPath } from './address.ts';
import type { Context } from './context.ts';
import { excerpt } from './describe.ts';
import { digestOf } from './digest.ts';
import { DeadlineError, type Scope, ServiceAnswerError, ServiceStatusError } from './errors.ts';
import {
  exchangeFailure,
  MAX_WAIT_MS,
  malformedFailure,
  retryAfterOf,
  statusFailure,
  type Trying,
} from './failures.ts';
import { decodeText, parseBody } from './parse.ts';
import { type Outcome, persist, type Try } from './persist.ts';
import { type HttpAnswer, type HttpFailure, isSuccess } from './send-once.ts';
import type { RequestShare } from './service.ts';
import type { Tokens } from './tokens.ts';
import type { Turns } from './turns.ts';

/** A 2xx answer in JSON. */
export interface Answer {
  readonly body: Json;
  /** Of the body's bytes. */
  readonly digest: string;
  /** True when the body has not been parsed, because its digest is known. Reading `body` parses it. */
  readonly isKnown: boolean;
  /** The length of the body, in bytes. */
  readonly size: number;
  /** When the service answered, in ms since 1970, and by whose clock. */
  readonly readAt: number;
  readonly clock: 'service' | 'local';
  /** The error for what is undocumented in this answer; secrets that the answer echoes are hidden. */
  wrong(where: Wrong): ServiceAnswerError;
}

/** What is not as documented. `scope` is by default that of the request. */
interface Wrong {
  readonly path: string;
  readonly expected: string;
  readonly found: string;
  readonly scope?: Scope | undefined;
}

/** What to GET. */
interface Question {
  /** With the query. */
  readonly path: string;
  /** Whom its errors concern. */
  readonly scope: Scope;
  /** True: give up early on failures that a smaller page may avoid. */
  readonly brief?: boolean;
  /** `again`: it got no answer before; it is sent beside what the limit counts, and once only without an answer.
   *  `first`: it asks whether others are answered: the next turn is its own, and it waits less for its answer. */
  readonly turn?: 'again' | 'first' | undefined;
  /** True for the digest of a body that was parsed before, and need not be again. */
  readonly isKnown?: (digest: string) => boolean;
}

/** GETs from the service for one pass. */
export interface Reader {
  read(question: Question): Promise<Outcome<Answer>>;
}

interface ReaderOptions {
  /** ms since 1970 by our clock. */
  readonly deadline: number;
  /** Of the run that reads. */
  readonly share?: RequestShare | undefined;
  readonly maxAttempts?: number;
}

/** A reader whose tries end at the deadline. Throws what the token request throws. */
export function createReader(context: Context, tokens: Tokens, options: ReaderOptions): Reader {
  const { closing } = context;
  const { deadline, share, maxAttempts = context.settings.maxAttempts } = options;
  const settings = { ...context.settings, maxAttempts };
  return {
    read(question) {
      const { path, scope, brief = false, turn } = question;
      const request = `GET ${shownPath(context.secrets.hide(path))}`;
      const pacing = { ...settings, closing, deadline: () => deadline };
      const trying = { request, scope, maxAttempts, brief };
      let renewed = false;
      const once = async (attempt: number): Promise<Try<Answer>> => {
        const { answers } = context;
        const result = await authorised(attempt);
        if ('why' in result) {
          const isSilent = result.why === 'time-out' && (turn === 'again' || context.answers === answers);
          return { failure: exchangeFailure(trying, result, limits, isSilent) };
        }
        return take(context, question, result, trying);
      };
      const limits = { timeout: settings.requestTimeout, maxBodyBytes: settings.maxBodyBytes };
      const authorised = async (attempt: number) => {
        const what = { path, attempt, deadline, share, turn };
        const first = await ask(context, tokens, what);
        if (first.result.status !== 401 || renewed) return first.result;
        renewed = true;
        tokens.refuse(first.token);
        return (await ask(context, tokens, what)).result;
      };
      return persist(request, pacing, once);
    },
  };
}

function take(context: Context, question: Question, answer: HttpAnswer, trying: Trying): Try<Answer> {
  const { secrets } = context;
  if (!isSuccess(answer.status)) return { failure: statusFailure(trying, answer, answer.at) };
  const digest = digestOf(answer.body);
  const isKnown = question.isKnown?.(digest) === true;
  let body = isKnown ? undefined : parseBody(answer.body);
  if (!isKnown && body === undefined) {
    return { failure: malformedFailure(trying, describe(context, answer)) };
  }
  const value = {
    get body() {
      // A body whose digest is known was JSON when it was first read.
      body ??= parseBody(answer.body) as Json;
      return body;
    },
    ...{ digest, isKnown, size: answer.body.length, wrong },
    ...timeOf(context, answer),
  };
  return { value };

  function wrong({ path, expected, found, scope = trying.scope }: Wrong): ServiceAnswerError {
    const where = { path: secrets.hide(path), expected, found: secrets.hide(found) };
    return new ServiceAnswerError(trying.request, where, scope);
  }
}

function describe(
  { secrets: { hide }, settings }: Context,
  { body, encoding = 'identity' }: HttpAnswer,
): string {
  const text = decodeText(body);
  if (text === '') return 'an empty body';
  if (encoding.toLowerCase() !== 'identity')
    return `a body in the content-encoding "${excerpt(hide(encoding))}", which was not requested`;
  const isWithheld = settings.processes.some(({ withhold = [] }) => withhold.length > 0);
  if (text !== undefined && isWithheld)
    return `${text.length} characters, not shown because fields are withheld`;
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

/** How long a probe waits for an answer. */
export const PROBE_TIMEOUT_MS = 4_000;

/** Waits for a token, then for its turn, and sends the request once. The deadline of the pass ends each of
 *  the three. */
async function ask(
  context: Context,
  tokens: Tokens,
  what: Pick<Question, 'path' | 'turn'> & {
    attempt: number;
    deadline: number;
    share: RequestShare | undefined;
  },
) {
  const { path, attempt, deadline, share, turn: how } = what;
  const { turns, settings } = context;
  const { base, clock } = settings;
  const requestTimeout = Math.min(settings.requestTimeout, how === 'first' ? PROBE_TIMEOUT_MS : Infinity);
  const late = () => new DeadlineError(`GET ${path}`);
  const token =
    tokens.current ??
    (await inTime(
      () => tokens.get(deadline),
      () => tokens.met ?? late(),
    ));
  await share?.hold();
  const atOnce = how ? turns.takeBeside() : turns.takeAtOnce();
  const turn = atOnce ?? (await inTime(waitForTurn, late));
  let result: HttpAnswer | HttpFailure | undefined;
  share?.begin();
  try {
    // Waiting for the turn may have taken longer than the share lasts.
    await share?.hold();
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
    share?.end();
    endTurn(turns, turn, result);
  }

  function inTime<Value>(work: (signal: AbortSignal) => Promise<Value>, error: () => Error): Promise<Value> {
    return within(Math.max(0, deadline - clock()), work, error);
  }

  async function waitForTurn(signal: AbortSignal): Promise<Turn> {
    const before = turns.pause;
    const turn = before && before.until >= deadline ? undefined : await turns.take(signal, how === 'first');
    if (turn) return turn;
    const { status, until } = turns.pause ?? { status: 503, until: clock() };
    const message = `the service asks for no request before ${new Date(until).toISOString()}`;
    const retryAfter = until - clock() > MAX_WAIT_MS ? until - clock() : undefined;
    throw new ServiceStatusError(`GET ${path}`, status, message, 'everybody', retryAfter);
  }
}

/** Reports the result of the request to the limit of concurrent requests. */
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
