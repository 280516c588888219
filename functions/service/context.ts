import type { Agent, Dispatcher } from 'undici';
import { exchange, type HttpAnswer, type HttpFailure, type HttpRequest } from './exchange.ts';
import { inflating } from './inflate.ts';
import type { Notice, Settings } from './options.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { createSlots, type Slots } from './slots.ts';

/** What all requests of one connection share. */
export interface Context {
  readonly settings: Settings;
  readonly agent: Dispatcher;
  readonly slots: Slots;
  readonly secrets: Secrets;
  /** Aborts when the connection closes. */
  readonly closing: AbortSignal;
  /** Says it, unless its code has been said on this connection. */
  notice(notice: Notice): void;
  /** Sends a request once and reports it. */
  send(request: HttpRequest, attempt: number, signal: AbortSignal): Promise<HttpAnswer | HttpFailure>;
}

/** Opens the agent of one connection. */
export function createContext(settings: Settings, closing: AbortSignal): Context {
  const { clock } = settings;
  const agent = inflating(settings.openAgent(agentOptions(settings)), settings.maxBodyBytes);
  const said = new Set<string>();
  return {
    settings,
    agent,
    closing,
    slots: createSlots(settings.concurrency),
    secrets: createSecrets(),
    notice(notice) {
      if (said.has(notice.code)) return;
      said.add(notice.code);
      settings.onNotice(notice);
    },
    async send(request, attempt, signal) {
      const start = clock();
      const result = await exchange(agent, request, { timeout: settings.requestTimeout, signal, clock });
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
    // As it comes over the wire; what it becomes when inflated is bounded by the same.
    maxResponseSize: settings.maxBodyBytes,
    // One timer of ours rules the whole request; undici's two would each grant its half anew.
    headersTimeout: 0,
    bodyTimeout: 0,
    allowH2: false,
  };
}
