import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../functions/clock.ts';
import type { Json, JsonObject } from '../../functions/json.ts';
import { HttpError, NotFound } from './errors.ts';
import type { Fault, Faults, SeenRequest } from './faults.ts';
import type { Freedoms } from './freedoms.ts';
import { route } from './router.ts';
import { type Credentials, tokenEndpoint } from './token-endpoint.ts';
import type { Tokens } from './tokens.ts';
import type { Workspace } from './workspace.ts';

/** {base_url} and {auth_url} are paths on one server: a client that drops the path of a base address meets 404. */
export const API_PATH = '/api';
export const AUTH_PATH = '/auth';

/** What the service answers from. */
export interface Backend {
  readonly workspace: () => Workspace;
  readonly freedoms: Freedoms;
  readonly faults: Faults;
  readonly tokens: Tokens;
  readonly credentials: Credentials;
  readonly clock: Clock;
  /** Told of every request as it arrives; `status` is set when it is answered. */
  readonly seen: (request: SeenRequest) => void;
}

interface Answer {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: Json;
}

interface SizedAnswer extends Answer {
  text: Buffer;
}

/** Answers one request, by the rules or by the fault that awaits it. */
export async function answer(
  backend: Backend,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const seen = { method: request.method ?? '', path: relative(request.url ?? ''), status: 0 };
  backend.seen(seen);
  const fault = backend.faults.take(seen);
  if (fault === 'hang') return;
  if (fault === 'destroy') {
    request.socket.destroy();
    return;
  }
  const made = sized(backend.freedoms, await make(backend, request, seen, fault));
  if (response.destroyed) return;
  seen.status = made.status;
  send(backend, response, made, fault === 'truncate');
}

async function make(
  backend: Backend,
  request: IncomingMessage,
  seen: SeenRequest,
  fault: Fault | undefined,
): Promise<Answer> {
  try {
    if (typeof fault === 'object' && 'status' in fault) return { body: '', ...fault };
    if (typeof fault === 'object' && 'before' in fault) await fault.before(seen);
    const body = await dispatch(backend, request);
    return { status: 200, body: typeof fault === 'object' && 'change' in fault ? fault.change(body) : body };
  } catch (error) {
    return errorAnswer(error);
  }
}

async function dispatch(backend: Backend, request: IncomingMessage): Promise<JsonObject> {
  const { freedoms, tokens } = backend;
  const [path = '', ...rest] = (request.url ?? '').split('?');
  const query = new URLSearchParams(rest.join('?'));
  if (path === `${AUTH_PATH}/oauth/token` && query.size === 0) {
    if (request.method !== 'POST') {
      throw new HttpError(405, 'method_not_allowed', 'Tokens are asked for with POST', { allow: 'POST' });
    }
    return tokenEndpoint(request, backend.credentials, tokens, freedoms);
  }
  if (!path.startsWith(`${API_PATH}/`)) throw new NotFound(`There is nothing at ${path}`);
  tokens.check(request.headers.authorization);
  const asked = { workspace: backend.workspace(), freedoms, query };
  return route(request.method ?? '', path.slice(API_PATH.length), asked);
}

function errorAnswer(error: unknown): Answer {
  if (!(error instanceof HttpError)) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: 500, body: { error: { code: 'internal', message } } };
  }
  return {
    status: error.status,
    headers: error.headers,
    body: { error: { code: error.code, message: error.message } },
  };
}

/** The answer as it fits the maximum response size (service-api.md §8). */
function sized(freedoms: Freedoms, made: Answer): SizedAnswer {
  const text = Buffer.from(typeof made.body === 'string' ? made.body : JSON.stringify(made.body));
  if (made.status !== 200 || text.length <= freedoms.maxResponseBytes) return { ...made, text };
  const message = `The answer is larger than ${freedoms.maxResponseBytes} bytes; ask for less with "first"`;
  return sized(freedoms, errorAnswer(new HttpError(freedoms.tooLargeStatus, 'response_too_large', message)));
}

function send(
  { freedoms, clock }: Backend,
  response: ServerResponse,
  made: SizedAnswer,
  truncate: boolean,
): void {
  const { status, headers, text } = made;
  response.sendDate = false;
  if (freedoms.dateHeader) response.setHeader('date', new Date(clock()).toUTCString());
  response.setHeader('content-type', 'application/json; charset=utf-8');
  response.setHeader('content-length', text.length);
  response.writeHead(status, headers);
  if (truncate) response.write(text.subarray(0, text.length >> 1), () => response.destroy());
  else response.end(text);
}

function relative(url: string): string {
  const prefix = [API_PATH, AUTH_PATH].find(path => url.startsWith(`${path}/`)) ?? '';
  return url.slice(prefix.length);
}
