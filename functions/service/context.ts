import type { Agent, Dispatcher } from 'undici';
import type { HttpAnswer, HttpFailure, HttpRequest } from './exchange.ts';
import type { Notice, Settings } from './options.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { sendOnce } from './send-once.ts';
import { createTurns, type Turns } from './turns.ts';

/** What all requests of one connection share. */
export interface Context {
  readonly settings: Settings;
  readonly agent: Dispatcher;
  readonly turns: Turns;
  readonly secrets: Secrets;
  /** Aborts when the connection closes. */
  readonly closing: AbortSignal;
  /** Says it, unless its code has been said on this connection. */
  notice(notice: Notice): void;
  /** Sends a request once and reports it. `timeout` in ms, that of the settings unless told. */
  send(request: HttpRequest, attempt: number, timeout?: number): Promise<HttpAnswer | HttpFailure>;
}

/** Opens the agent of one connection. */
export function createContext(settings: Settings, closing: AbortSignal): Context {
  const { clock } = settings;
  const agent = settings.openAgent(agentOptions(settings));
  const said = new Set<string>();
  return {
    settings,
    agent,
    closing,
    turns: createTurns(settings.concurrency, settings, closing),
    secrets: createSecrets(),
    notice(notice) {
      if (said.has(notice.code)) return;
      said.add(notice.code);
      settings.onNotice(notice);
    },
    async send(request, attempt, timeout = settings.requestTimeout) {
      const start = clock();
      const { maxBodyBytes } = settings;
      const result = await sendOnce(agent, request, { timeout, maxBodyBytes, clock });
      const { method, path } = request;
      settings.onRequest({ method, path, status: result.status, attempt, ms: clock() - start });
      return result;
    },
  };
}

function agentOptions(settings: Settings): Agent.Options {
  return {
    connections: settings.concurrency,
    connect: { timeout: settings.requestTimeout },
    // Bounds the bytes on the wire. `inflate` bounds what they become by the same number.
    maxResponseSize: settings.maxBodyBytes,
    // `sendOnce` has one timer for the whole request. undici has one for the headers and one for the body,
    // each of which would grant the full time.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  };
}
