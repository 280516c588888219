import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { API_PATH, AUTH_PATH, type Backend, finished, respond } from './answer.ts';
import type { Fault, Faults, SeenRequest } from './faults.ts';
import { MAX_FORM_BYTES } from './issue-token.ts';
import type { ServiceAnswer } from './messages.ts';

export interface HttpBackend extends Backend {
  readonly faults: Faults;
  /** Called with every request as it arrives; `status` is set when it is answered. */
  readonly seen: (request: SeenRequest) => void;
}

/** Answers an HTTP request according to the API, or with the fault of a rule. */
export async function answer(
  backend: HttpBackend,
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
  const made = await encoded(request, await make(backend, request, seen, fault));
  if (response.destroyed) return;
  seen.status = made.status;
  send(response, made, fault === 'truncate');
}

async function make(
  backend: HttpBackend,
  request: IncomingMessage,
  seen: SeenRequest,
  fault: Fault | undefined,
): Promise<ServiceAnswer> {
  if (typeof fault === 'object' && 'status' in fault) return finished(backend, fault);
  if (typeof fault === 'object' && 'before' in fault) await fault.before(seen);
  const { authorization, 'content-type': contentType } = request.headers;
  const { method = '', url = '' } = request;
  const asked = { method, url, authorization, contentType, body: await readBody(request) };
  return respond(backend, asked, typeof fault === 'object' && 'change' in fault ? fault.change : undefined);
}

/** The body, read up to its limit. */
async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    chunks.push(chunk);
    if (size > MAX_FORM_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Smaller bodies gain little by being compressed. */
const LEAST_BYTES = 256;

/** Compressed if the client accepts gzip. */
async function encoded(request: IncomingMessage, made: ServiceAnswer): Promise<ServiceAnswer> {
  const accepted = request.headers['accept-encoding'];
  if (made.text.length < LEAST_BYTES || !/\bgzip\b/.test(String(accepted))) return made;
  const text = await promisify(gzip)(made.text);
  const about = {
    'content-encoding': 'gzip',
    'content-length': String(text.length),
    vary: 'accept-encoding',
  };
  return { ...made, text, headers: { ...made.headers, ...about } };
}

function send(response: ServerResponse, { status, headers, text }: ServiceAnswer, truncate: boolean): void {
  response.sendDate = false;
  response.writeHead(status, headers);
  if (truncate) response.write(text.subarray(0, text.length >> 1), () => response.destroy());
  else response.end(text);
}

function relative(url: string): string {
  const prefix = [API_PATH, AUTH_PATH].find(path => url.startsWith(`${path}/`)) ?? '';
  return url.slice(prefix.length);
}
