import { type Agent, buildConnector, type Dispatcher } from 'undici';
import { resolveBySystem, throughProxy } from '../basics/proxy.ts';
import type { Notice, readOptions } from './options.ts';
import type { HttpAnswer, HttpFailure, HttpRequest } from './send-once.ts';
import { sendOnce } from './send-once.ts';
import type { RequestShare } from './service.ts';
import { createTurns, type Turns } from './turns.ts';

type Settings = ReturnType<typeof readOptions>;

/** What all requests of one connection share. */
export interface Context {
  readonly settings: Settings;
  readonly agent: Dispatcher;
  readonly turns: Turns;
  /** The shares of the runs that use the connection now. Without any, requests are bounded by the settings alone. */
  readonly shares: Set<RequestShare>;
  /** How often the service has answered anything but a token request. Counted, because a clock may be set back. */
  readonly answers: number;
  /** The same without each 429 and 503. */
  readonly served: number;
  readonly secrets: Secrets;
  /** Aborts when the connection closes. */
  readonly closing: AbortSignal;
  /** Reports it, once per code and connection. */
  notice(notice: Notice): void;
  /** Sends a request once and reports it. `timeout` in ms, by default that of the settings. */
  send(request: HttpRequest, attempt: number, timeout?: number): Promise<HttpAnswer | HttpFailure>;
}

/** Opens the agent of one connection. */
export function createContext(settings: Settings, closing: AbortSignal): Context {
  const { clock } = settings;
  const agent = settings.openAgent(agentOptions(settings));
  const reported = new Set<string>();
  const shares = new Set<RequestShare>();
  const ceiling = () => {
    const { concurrency } = settings;
    const allowed = [...shares].reduce((sum, { count }) => sum + count, 0);
    // Each request awaits its run's share, so where all have ended, those of a probe are the only ones.
    return allowed === 0 ? concurrency : Math.min(allowed, concurrency);
  };
  let answers = 0;
  let served = 0;
  return {
    settings,
    agent,
    closing,
    turns: createTurns(ceiling, settings, closing),
    shares,
    get answers() {
      return answers;
    },
    get served() {
      return served;
    },
    secrets: createSecrets(),
    notice(notice) {
      if (reported.has(notice.code)) return;
      reported.add(notice.code);
      settings.onNotice(notice);
    },
    async send(request, attempt, timeout = settings.requestTimeout) {
      const start = clock();
      const { maxBodyBytes } = settings;
      const result = await sendOnce(agent, request, { timeout, maxBodyBytes, clock });
      const { method, path } = request;
      // A token is requested by POST: a service that hangs may still give tokens.
      if (method === 'GET' && result.status !== undefined) {
        answers += 1;
        // A 429 or 503 does not show that the service works.
        if (result.status !== 429 && result.status !== 503) served += 1;
      }
      settings.onRequest({ method, path, status: result.status, attempt, ms: clock() - start });
      return result;
    },
  };
}

function agentOptions(settings: Settings): Agent.Options {
  const { proxy, requestTimeout: timeout } = settings;
  return {
    connections: settings.concurrency,
    connect: proxy
      ? throughProxy(buildConnector({ timeout, allowH2: false }), {
          ...{ ...proxy, timeout, resolve: resolveBySystem },
        })
      : { timeout },
    // Bounds the bytes on the wire. `inflate` bounds what they become by the same number.
    maxResponseSize: settings.maxBodyBytes,
    // `sendOnce` has one timer for the whole request. undici has one for the headers and one for the body,
    // each of which would grant the full time.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  };
}

const MAX_KEPT = 16;

/** Remembers what must never be printed, and hides it in texts that came from outside. */
interface Secrets {
  add(secret: string): void;
  hide(text: string): string;
}

/** Secrets of one connection. Only the latest are kept: a connection lives for months and its tokens for minutes. */
export function createSecrets(): Secrets {
  const known = new Set<string>();
  return {
    add(secret) {
      for (const form of [secret, encodeURIComponent(secret)]) {
        known.delete(form);
        known.add(form);
      }
      for (const oldest of known) {
        if (known.size <= MAX_KEPT) break;
        known.delete(oldest);
      }
    },
    hide(text) {
      let hidden = text;
      for (const secret of known) hidden = hidden.replaceAll(secret, '[secret]');
      return hidden;
    },
  };
}
