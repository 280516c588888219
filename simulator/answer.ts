import type { Clock } from '../functions/basics/clock.ts';
import type { Json, JsonObject } from '../functions/basics/json.ts';
import type { Freedoms } from './data/freedoms.ts';
import type { Workspace } from './data/workspace.ts';
import { HttpError, NotFound } from './errors.ts';
import { type Credentials, tokenEndpoint } from './issue-token.ts';
import type { Made, ServiceAnswer, ServiceRequest } from './messages.ts';
import { route } from './router.ts';
import type { Tokens } from './tokens.ts';

/** The base addresses of the API and of tokens are paths on one server, so that a client that drops such
 *  a path meets 404. */
export const API_PATH = '/api';
export const AUTH_PATH = '/auth';

/** The sources of answers. */
export interface Backend {
  readonly workspace: () => Workspace;
  readonly freedoms: Freedoms;
  readonly tokens: Tokens;
  readonly credentials: Credentials;
  readonly clock: Clock;
}

/** Answers a request according to the API. `change` may alter the body of a successful answer. */
export function respond(
  backend: Backend,
  request: ServiceRequest,
  change: (body: JsonObject) => Json = body => body,
): ServiceAnswer {
  return finished(backend, made(backend, request, change));
}

/** The final answer: within the size limit (service-api.md §8), with the service's time. */
export function finished({ freedoms, clock }: Backend, answer: Made): ServiceAnswer {
  const { status, headers, text } = sized(freedoms, answer);
  return {
    status,
    text,
    headers: {
      ...(freedoms.dateHeader && { date: new Date(clock()).toUTCString() }),
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(text.length),
      ...headers,
    },
  };
}

function made(backend: Backend, request: ServiceRequest, change: (body: JsonObject) => Json): Made {
  try {
    return { status: 200, body: change(dispatch(backend, request)) };
  } catch (error) {
    return errorAnswer(error);
  }
}

function dispatch(backend: Backend, request: ServiceRequest): JsonObject {
  const { freedoms, tokens, clock } = backend;
  const [path = '', ...rest] = request.url.split('?');
  const query = new URLSearchParams(rest.join('?'));
  if (path === `${AUTH_PATH}/oauth/token` && query.size === 0) {
    if (request.method !== 'POST') {
      throw new HttpError(405, 'method_not_allowed', 'Token requests must use POST', { allow: 'POST' });
    }
    return tokenEndpoint(request, backend.credentials, tokens, freedoms);
  }
  if (!path.startsWith(`${API_PATH}/`)) throw new NotFound(`Unknown path ${path}`);
  tokens.check(request.authorization);
  const asked = { workspace: backend.workspace(), freedoms, query, now: clock() };
  return route(request.method, path.slice(API_PATH.length), asked);
}

function errorAnswer(error: unknown): Made {
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

function sized(freedoms: Freedoms, { body = '', ...answer }: Made): Made & { text: Buffer } {
  const text = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  if (answer.status !== 200 || text.length <= freedoms.maxResponseBytes) return { ...answer, text };
  const message = `The response is larger than ${freedoms.maxResponseBytes} bytes; use a smaller "first"`;
  return sized(freedoms, errorAnswer(new HttpError(freedoms.tooLargeStatus, 'response_too_large', message)));
}
