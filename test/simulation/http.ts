import { gzipSync } from 'node:zlib';
import { Dispatcher } from 'undici';
import type { ServiceAnswer } from '../../simulator/messages.ts';
import type { Boundary } from './faults.ts';
import type { Failing, Life } from './life.ts';

/** A request as undici hands it to its dispatcher. */
export interface Sent {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer, whole or broken off in the middle of its body; one that is unreadable arrives, but says nothing, one that hangs never comes, and
 *  another may take `late` ms more. */
export type Reply = ServiceAnswer & {
  readonly breaksOff?: boolean;
  readonly isUnreadable?: boolean;
  readonly hangs?: boolean;
  readonly late?: number;
};

/** To be called when an exchange is over, with the answer, if a whole one came. */
export type Over = (reply?: Reply) => void;

export class SocketError extends Error {
  readonly code = 'UND_ERR_SOCKET';
}

/** HTTP without sockets: the real clients send through it, and each request is a call over a boundary. */
export class VirtualAgent extends Dispatcher {
  readonly #life: Life;
  readonly #boundaryOf: (request: Sent) => Boundary;
  readonly #serve: (request: Sent) => Reply;
  readonly #heard: (request: Sent, reply: Reply) => void;
  readonly #begins: (request: Sent) => Over;

  /** `heard` is called with each answer that came in time, `begins` when a request is sent. */
  constructor(
    life: Life,
    boundaryOf: (request: Sent) => Boundary,
    serve: (request: Sent) => Reply,
    heard: (request: Sent, reply: Reply) => void = () => {},
    begins: (request: Sent) => Over = () => () => {},
  ) {
    super();
    this.#begins = begins;
    this.#life = life;
    this.#boundaryOf = boundaryOf;
    this.#serve = serve;
    this.#heard = heard;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { method, origin, path, headers, body } = options;
    const request = {
      method,
      origin: String(origin),
      path,
      headers: headers as Record<string, string>,
      body: String(body ?? ''),
    };
    const controller = new Controller(handler);
    handler.onRequestStart?.(controller, {});
    if (controller.aborted) return true;
    controller.over = this.#begins(request);
    const failing: Failing<Reply> = (work, fault) => failed(work, fault, request);
    this.#life
      .call(this.#boundaryOf(request), () => this.#serve(request), failing, request.path)
      .then(
        async reply => {
          if (reply.hangs) return;
          if (reply.late) await this.#life.sleep(reply.late);
          if (!controller.aborted) this.#heard(request, reply);
          controller.answer(reply);
        },
        error => controller.fail(error),
      );
    return true;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override destroy(): Promise<void> {
    return Promise.resolve();
  }
}

/** The same answer, as gzip. */
export function compressed(reply: Reply): Reply {
  if (reply.headers['content-encoding'] || reply.text.length === 0) return reply;
  return { ...reply, headers: { ...reply.headers, 'content-encoding': 'gzip' }, text: gzipSync(reply.text) };
}

/** One exchange, until it is over. */
export class Controller implements Dispatcher.DispatchController {
  readonly #handler: Dispatcher.DispatchHandler;
  aborted = false;
  reason: Error | null = null;
  paused = false;
  rawHeaders = null;
  rawTrailers = null;
  over: Over = () => {};

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.over();
    this.#handler.onResponseError?.(this, reason);
  }

  pause(): void {}
  resume(): void {}

  answer(reply: Reply): void {
    if (this.aborted) return;
    const { status, headers, text, breaksOff } = reply;
    if (!breaksOff) this.over(reply);
    this.#handler.onResponseStart?.(this, status, { ...headers });
    this.#handler.onResponseData?.(this, breaksOff ? text.subarray(0, text.length >> 1) : text);
    if (breaksOff) this.fail(new SocketError('other side closed'));
    else this.#handler.onResponseEnd?.(this, {});
  }

  fail(error: Error): void {
    if (this.aborted) return;
    this.over();
    this.#handler.onResponseError?.(this, error);
  }
}

function failed(work: () => Reply, fault: string, { path }: Sent): Reply {
  if (fault === 'reset') throw new SocketError('reset');
  if (fault === 'not-json') return { ...page(200, '<html>Maintenance</html>'), isUnreadable: true };
  if (fault === 'truncated') return { ...work(), breaksOff: true };
  if (fault === 'cut-compressed') {
    const reply = compressed(work());
    return { ...reply, text: reply.text.subarray(0, reply.text.length >> 1), isUnreadable: true };
  }
  if (fault === 'answered-then-reset') {
    work();
    throw new SocketError('reset');
  }
  const wait = fault === '429' || fault === '503' ? { 'retry-after': secondsOf(path) } : {};
  return { ...page(Number(fault), '{"error":{"code":"simulated"}}'), headers: wait };
}

/** How long requests are asked to wait: those that are under way together get different answers. */
function secondsOf(path: string): string {
  return ['7', '1', '15'][Buffer.from(path).reduce((sum, byte) => sum + byte, 0) % 3] as string;
}

function page(status: number, text: string): Reply {
  return { status, headers: {}, text: Buffer.from(text) };
}
