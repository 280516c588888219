import { parseHttpDate, parseRetryAfter } from '../basics/http-date.ts';
import { isTooDeep, type Json } from '../basics/json.ts';
import type { FieldDefinition } from '../model/field-definition.ts';
import { pathOf } from './address.ts';
import { type Context, createContext } from './context.ts';
import { readDefinitions } from './definitions.ts';
import { ServiceUnreachableError } from './errors.ts';
import { exchangeFailure, statusFailure, type Trying } from './failures.ts';
import { type ConnectOptions, readOptions } from './options.ts';
import { decodeText, parseJson } from './parse.ts';
import { type HttpAnswer, type HttpFailure, isSuccess } from './send-once.ts';
import type { TokenAnswer } from './token-answer.ts';
import { requestToken } from './token-request.ts';
import { createTokens } from './tokens.ts';

/** What came of one request. No secret and no token is in it, not even where the service sent one back. */
export interface Probed {
  /** Method, path and query, below the base address. */
  readonly request: string;
  /** Undefined when no answer came. */
  readonly status?: number | undefined;
  /** Why there is no body to read, in words. */
  readonly failure?: string;
  /** True when it never was sent, for there is no token. */
  readonly hasNoToken?: boolean;
  /** The JSON of a 2xx. */
  readonly body?: Json;
  /** Of the body's text, in characters. */
  readonly size: number;
  /** ms until the answer. */
  readonly took: number;
  /** The service's time, from its `Date` header, and ours at that moment; ms since 1970. */
  readonly date?: number | undefined;
  readonly at: number;
  /** ms that the service asks to wait. */
  readonly retryAfter?: number | undefined;
}

/** What the authorization server answered, without the token. */
export interface ProbedToken {
  readonly request: string;
  readonly failure?: string;
  /** True when no answer came. */
  readonly isUnreachable?: boolean;
  /** In ms, and where it comes from. */
  readonly lifetime?: number;
  readonly lifetimeFrom?: TokenAnswer['lifetimeFrom'];
}

/** Asks the service one request at a time and hands back whatever came: for finding out how a service
 *  behaves. */
export interface ServiceProbe {
  token(): Promise<ProbedToken>;
  /** Segments and values are percent-encoded. Sent once: a refused token is renewed, and nothing else tried
   *  again. Never rejects. */
  get(segments: readonly string[], query?: Readonly<Record<string, string | number>>): Promise<Probed>;
  /** The field definitions in a body of #6 or #7. */
  definitions(body: Json): FieldDefinition[];
  close(): Promise<void>;
}

const TOKEN_TRIES = 2;
const NOWHERE = { origin: '', prefix: '' };

/** Opens a probe of one workspace (service-api.md §1, §5). Throws a TypeError for an option that can't be right. */
export function openProbe(options: ConnectOptions): ServiceProbe {
  const settings = readOptions({ ...options, maxAttempts: TOKEN_TRIES, concurrency: 1 });
  const closing = new AbortController();
  const context = createContext(settings, closing.signal);
  let issued: TokenAnswer | undefined;
  const tokens = createTokens(settings.clock, async wait => {
    issued = await requestToken(context, wait);
    return issued;
  });
  const deadline = () => settings.clock() + 2 * settings.requestTimeout;
  const send = async (path: string) => {
    const token = await tokens.get(deadline());
    const headers = { accept: 'application/json', authorization: token.text };
    const request = { origin: settings.base.origin, path, method: 'GET', headers } as const;
    return { token, result: await context.send(request, 1) };
  };
  return {
    async token() {
      const request = `POST ${pathOf(NOWHERE, ['oauth', 'token'])}`;
      try {
        await tokens.get(deadline());
        return { request, ...(issued && { lifetime: issued.lifetime, lifetimeFrom: issued.lifetimeFrom }) };
      } catch (error) {
        const isUnreachable = error instanceof ServiceUnreachableError;
        return { request, failure: wordsOf(context, error), isUnreachable };
      }
    },
    async get(segments, query = {}) {
      const request = context.secrets.hide(`GET ${pathOf(NOWHERE, segments, query)}`);
      const path = pathOf(settings.base, segments, query);
      const began = settings.clock();
      try {
        const first = await send(path);
        if (first.result.status === 401) tokens.refuse(first.token);
        const { result } = first.result.status === 401 ? await send(path) : first;
        return { request, took: settings.clock() - began, ...probed(context, request, result) };
      } catch (error) {
        const at = settings.clock();
        return { request, size: 0, took: at - began, at, hasNoToken: true, failure: wordsOf(context, error) };
      }
    },
    definitions: readDefinitions,
    async close() {
      closing.abort();
      await context.agent.destroy();
    },
  };
}

function probed(context: Context, request: string, result: HttpAnswer | HttpFailure) {
  const { clock, requestTimeout: timeout, maxBodyBytes } = context.settings;
  const trying: Trying = { request, scope: 'everybody', maxAttempts: 1, brief: false };
  if ('why' in result) {
    const failure = exchangeFailure(trying, result, { timeout, maxBodyBytes }).error('');
    return { status: result.status, failure: withoutRequest(request, failure), size: 0, at: clock() };
  }
  const { status, at } = result;
  const text = decodeText(result.body);
  const date = parseHttpDate(result.date);
  const about = { status, at, date, retryAfter: parseRetryAfter(result.retryAfter, date ?? at) };
  if (!isSuccess(status)) {
    const failure = statusFailure(trying, result, at).error('');
    return { ...about, failure: withoutRequest(request, failure), size: 0 };
  }
  const body = text === undefined ? undefined : parseJson(text);
  const size = text?.length ?? 0;
  if (body === undefined || isTooDeep(body)) {
    const failure =
      'the answer is not JSON; check the address, and what answers between (a proxy, a sign-in page)';
    return { ...about, failure, size };
  }
  return { ...about, body: hiddenIn(body, context.secrets.hide), size };
}

/** Hides secrets in a body: an answer may repeat what was sent, and callers must not see it. */
function hiddenIn(value: Json, hide: (text: string) => string): Json {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map(each => hiddenIn(each, hide));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [hide(key), hiddenIn(each, hide)]));
}

function withoutRequest(request: string, { message }: Error): string {
  return message.startsWith(`${request}: `) ? message.slice(request.length + 2) : message;
}

function wordsOf({ secrets }: Context, error: unknown): string {
  return secrets.hide(error instanceof Error ? error.message : 'the request failed');
}
