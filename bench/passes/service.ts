import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { optionsOfChild, serveParent } from './children.ts';
import {
  type Asked,
  auditPage,
  DEFINITIONS_BODY,
  piecesOf,
  projectsPage,
  type Size,
  tasksPage,
} from './content.ts';

/** The service that is polled, in a process of its own, on 127.0.0.1: it does as little work as HTTP
 *  allows. A control message changes how it answers, and returns what was counted since the last one. */
export interface Control {
  /** ms from a request to its answer. */
  readonly latency?: number;
  /** Requests a second; those beyond are answered with 429. 0: any number. */
  readonly rate?: number;
  /** The bytes of each turn's answers differ; in turn 0 they are always the same. */
  readonly turn?: number;
  /** How far its clock runs ahead of the machine's, in ms. */
  readonly ahead?: number;
}

export interface Counted {
  readonly port: number;
  readonly served: number;
  readonly refused: number;
  readonly bytes: number;
  /** From the first request to the last answer, in s. */
  readonly seconds: number;
}

const size = optionsOfChild<Size>();
let how: Required<Control> = { latency: 0, rate: 0, turn: 0, ahead: 0 };
let pieces = piecesOf(0);
let counted = nothing();
/** How many requests may come now, at most those of one second (`tokens`), as computed at the time `at`. */
let allowed = { tokens: 0, at: 0 };

function nothing() {
  return { served: 0, refused: 0, bytes: 0, began: 0, ended: 0 };
}

const server = createServer((request, response) => {
  counted.began ||= performance.now();
  if (how.latency === 0) answer(request, response);
  else setTimeout(answer, how.latency, request, response);
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () =>
  serveParent((control: Control) => {
    const { began, ended, ...counts } = counted;
    how = { ...how, ...control };
    if (control.turn !== undefined) pieces = piecesOf(control.turn);
    if (control.rate !== undefined) allowed = { tokens: control.rate, at: performance.now() };
    counted = nothing();
    const { port } = server.address() as AddressInfo;
    return { port, ...counts, seconds: (ended - began) / 1000 } satisfies Counted;
  }),
);

function answer({ url = '/' }: IncomingMessage, response: ServerResponse): void {
  const body = mayCome() ? bodyOf(url) : undefined;
  const isRefused = body === undefined;
  const text = Buffer.from(body ?? '{"error":"too many requests"}');
  counted[isRefused ? 'refused' : 'served'] += 1;
  counted.bytes += text.length;
  counted.ended = performance.now();
  response.writeHead(isRefused ? 429 : body === '' ? 404 : 200, {
    date: new Date(Date.now() + how.ahead).toUTCString(),
    'content-type': 'application/json',
    'content-length': text.length,
    ...(isRefused && { 'retry-after': '1' }),
  });
  response.end(text);
}

function mayCome(): boolean {
  if (how.rate === 0) return true;
  const now = performance.now();
  const tokens = Math.min(how.rate, allowed.tokens + ((now - allowed.at) / 1000) * how.rate);
  allowed = { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now };
  return tokens >= 1;
}

const OF_PROCESS = /^\/api\/processes\/[^/]+\//;

/** The body of an answer; '' for a record that there isn't. */
function bodyOf(url: string): string {
  if (url.startsWith('/auth/')) return '{"access_token":"a.bench.token","expires_in":86400}';
  const { pathname, searchParams: query } = new URL(url, 'http://service');
  const [list, id, tasks] = pathname.replace(OF_PROCESS, '').split('/');
  const after = query.get('after')?.slice(1) ?? 0;
  const asked: Asked = { from: Number(after), count: Number(query.get('first') ?? Number.MAX_SAFE_INTEGER) };
  if (list === 'projects' && tasks === 'tasks') return tasksPage(size, id as string, asked, pieces) ?? '';
  // A list with `updatedAfter` is empty, because nothing ever changes.
  if (list === 'projects')
    return projectsPage(query.has('updatedAfter') ? { ...size, projects: 0 } : size, asked, pieces);
  if (list === 'auditlog') return auditPage(size, asked);
  return DEFINITIONS_BODY;
}
