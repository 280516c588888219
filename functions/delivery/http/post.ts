import type { Dispatcher } from 'undici';
import type { Clock } from '../../basics/clock.ts';
import type { Networks } from '../../basics/networks.ts';
import type { Resolve } from '../../basics/proxy.ts';
import { within } from '../../basics/within.ts';
import type { EndpointRequest } from '../../model/endpoint.ts';
import { type GuardedAgentOptions, guardedAgent, RefusedAddress } from './guarded-agent.ts';
import { beginning } from './quote.ts';

/** Time-out of a whole request: look-up, connection, answer. */
export const TIMEOUT_MS = 15_000;
/** The same of a mail: a server that scans a mail before its answer has it already, and would get it again. */
export const MAIL_TIMEOUT_MS = 45_000;
/** A request that takes longer is slow. */
const SLOW_MS = 1_000;

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly date: string | undefined;
  /** When it arrived, by our clock, in ms since 1970. */
  readonly at: number;
  /** The beginning of its raw body. It must go through `harmless` or `quote` before it is stored. */
  readonly body?: string | undefined;
  /** Those of `KEPT_HEADERS` that it has, raw. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Only of a mail that was refused, whose status means something else. */
  readonly mail?:
    | {
        /** With the remedy, in words that name no address. */
        readonly reason: string;
        /** Whether the same mail may be taken later. */
        readonly isTemporary: boolean;
      }
    | undefined;
}

export interface NoAnswer {
  /** In words that name neither URL nor address. */
  readonly why: string;
}

/** Posts to endpoints. Never rejects. */
export interface Poster {
  /** Calls `onSlow` when no answer has come within a second. */
  post(url: string, request: EndpointRequest, onSlow?: () => void): Promise<Answer | NoAnswer>;
  /** Closes all connections at once. */
  close(): Promise<void>;
}

export interface PosterOptions {
  readonly allowLoopback: boolean;
  readonly networks?: Networks | undefined;
  readonly proxy?: string | undefined;
  readonly resolve: Resolve;
  /** ms for each request. */
  readonly timeout: number;
  /** ms for each mail; by default as for requests. */
  readonly mailTimeout?: number | undefined;
  /** ms after which a request is slow. */
  readonly slowAfter?: number | undefined;
  readonly clock: Clock;
  /** Sends one mail by the server of a URL. Rejects when there is no answer. */
  readonly sendMail?: ((url: string, body: string, signal: AbortSignal) => Promise<Answer>) | undefined;
  /** Opens the agent for the requests; by default the one that connects to allowed addresses only. */
  readonly openAgent?: (options: GuardedAgentOptions) => Dispatcher;
}

export class Expired extends Error {}

/** Posts JSON or sends mails, to allowed addresses only. Redirects are not followed; connections are kept for the next
 *  request. */
export function createPoster(options: PosterOptions): Poster {
  const { allowLoopback, networks, proxy, resolve, timeout, clock } = options;
  const { slowAfter = SLOW_MS, mailTimeout = timeout, openAgent = guardedAgent } = options;
  const agent = openAgent({ allowLoopback, networks, proxy, resolve, connectTimeout: timeout });
  return {
    close: () => agent.destroy(),
    async post(url, request, onSlow = () => undefined) {
      let reached: Answer | undefined;
      const sendMail = /^https?:/i.test(url) ? undefined : options.sendMail;
      const limit = sendMail ? mailTimeout : timeout;
      const send = async (signal: AbortSignal): Promise<Answer> => {
        if (sendMail) return sendMail(url, request.body, signal);
        const response = await agent.request({ ...wired(url, request), signal });
        reached = head(response, clock());
        const body = await beginning(response.body);
        return body === '' ? reached : { ...reached, body };
      };
      const slow = setTimeout(onSlow, slowAfter);
      try {
        return await within(limit, send, () => new Expired());
      } catch (error) {
        // An answer with a complete head counts, even if its body breaks off or never ends.
        return reached ?? { why: reasonOf(error, limit) };
      } finally {
        clearTimeout(slow);
      }
    },
  };
}

function wired(url: string, { body, headers }: EndpointRequest) {
  const { origin, pathname, search } = new URL(url);
  return {
    origin,
    path: pathname + search,
    method: 'POST',
    headers: headersOf(headers),
    body,
  } as const;
}

/** All headers of a request but those of HTTP itself. */
export function headersOf(headers: EndpointRequest['headers']): EndpointRequest['headers'] {
  return { 'content-type': 'application/json', ...headers, 'user-agent': 'changewire' };
}

/** They show which server answered, and by which id its operators find the request. */
const KEPT_HEADERS = ['content-type', 'server', 'retry-after', 'www-authenticate', 'x-request-id', 'cf-ray'];

function head(response: Dispatcher.ResponseData, at: number): Answer {
  const header = (name: string) => response.headers[name]?.toString().trim();
  const kept = KEPT_HEADERS.flatMap(name => {
    const value = header(name);
    return value ? [[name, value]] : [];
  });
  return {
    ...{ status: response.statusCode, retryAfter: header('retry-after'), date: header('date'), at },
    ...(kept.length > 0 && { headers: Object.fromEntries(kept) }),
  };
}

const NO_TLS =
  'the mail server offers no TLS with a valid certificate: correct the url in its secret, or add its network to "networks" in the configuration';

/** Why no answer came, in words that name neither URL nor address. */
export function reasonOf(error: unknown, timeout: number): string {
  if (error instanceof Expired) return `no answer within ${timeout / 1000} s`;
  if (error instanceof RefusedAddress) return error.message;
  if ((error as { code?: unknown } | undefined)?.code === 'ETLS') return NO_TLS;
  return `no answer (${codeOf(error)})`;
}

/** The system's or undici's code, never a message: those name hosts and addresses. */
function codeOf(error: unknown): string {
  const code = String((error as { code?: unknown } | undefined)?.code);
  return /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'no code';
}
