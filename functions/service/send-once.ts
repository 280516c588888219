import type { Dispatcher } from 'undici';
import type { Clock } from '../basics/clock.ts';
import { type HttpAnswer, type HttpFailure, type HttpRequest, isSuccess } from './exchange.ts';
import { ACCEPTED, canInflate, InflateError, inflate } from './inflate.ts';

/** `timeout` in ms, body included; `maxBodyBytes` of an inflated body. */
export interface Limits {
  readonly timeout: number;
  readonly maxBodyBytes: number;
  readonly clock: Clock;
}

type Head = Omit<HttpAnswer, 'body'>;
type Headers = Readonly<Record<string, string | string[] | undefined>>;

const NOTHING = Buffer.alloc(0);
/** So many bytes of a failing answer are read and dropped, so that its connection can be used again. Beyond
 *  that, a new connection costs less. */
const MOST_DUMPED = 65_536;
const LONGEST_TIMER = 2 ** 31 - 1;

/** Sends one request, once. Never rejects: what goes wrong on the way is an HttpFailure. */
export function sendOnce(
  agent: Dispatcher,
  request: HttpRequest,
  limits: Limits,
): Promise<HttpAnswer | HttpFailure> {
  return new Promise(resolve => {
    const headers = { ...request.headers, 'accept-encoding': ACCEPTED, 'user-agent': 'changewire' };
    const handler = new Exchange(limits, resolve);
    try {
      agent.dispatch({ ...request, headers }, handler);
    } catch (error) {
      handler.fail(error);
    }
  });
}

/** Takes undici's callbacks for one request. It replaces undici's `request()`, whose stream and signals cost
 *  more time than everything else here. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: Limits;
  readonly #resolve: (result: HttpAnswer | HttpFailure) => void;
  readonly #timer: NodeJS.Timeout;
  #isOver = false;
  #controller: Dispatcher.DispatchController | undefined;
  #head: Head | undefined;
  #chunks: Buffer[] = [];
  #dumped = 0;

  constructor(limits: Limits, resolve: (result: HttpAnswer | HttpFailure) => void) {
    this.#limits = limits;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => this.#expire(), Math.min(limits.timeout, LONGEST_TIMER));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The time may have run out while undici connected: only now can the request be aborted.
    if (this.#isOver) controller.abort(new Error('too late'));
    else this.#controller = controller;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status >= 200) this.#head = headOf(status, headers, this.#limits.clock());
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#head && isSuccess(this.#head.status)) {
      this.#chunks.push(chunk);
      return;
    }
    this.#dumped += chunk.length;
    if (this.#dumped > MOST_DUMPED) controller.abort(new Error('enough'));
  }

  onResponseEnd(): void {
    try {
      if (this.#head) this.#end({ ...this.#head, ...this.#body(this.#head) });
      else this.fail(undefined);
    } catch (error) {
      this.fail(error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  fail(error: unknown): void {
    const code = codeOf(error);
    this.#break(kindOf(error, code), code);
  }

  #expire(): void {
    this.#break('time-out', 'no code');
    this.#controller?.abort(new Error('too late'));
  }

  #break(why: HttpFailure['why'], code: string): void {
    const head = this.#head;
    // A failing answer is complete without its body, which is dropped anyway: it doesn't matter that it broke
    // off.
    if (head && !isSuccess(head.status)) this.#end({ ...head, body: NOTHING });
    else this.#end({ why, during: head ? 'body' : 'headers', code, status: head?.status });
  }

  #end(result: HttpAnswer | HttpFailure): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#resolve(result);
  }

  #body({ status, encoding }: Head): Pick<HttpAnswer, 'body' | 'encoding'> {
    const [only = NOTHING, ...more] = this.#chunks;
    const body = more.length > 0 ? Buffer.concat(this.#chunks) : only;
    if (!isSuccess(status) || status === 204 || !canInflate(encoding)) return { body, encoding };
    return { body: inflate(body, encoding, this.#limits.maxBodyBytes), encoding: undefined };
  }
}

function headOf(status: number, headers: Headers, at: number): Head {
  const header = (name: string) => headers[name]?.toString().trim();
  return {
    status,
    date: header('date'),
    retryAfter: header('retry-after'),
    encoding: header('content-encoding'),
    at,
  };
}

function kindOf(error: unknown, code: string): HttpFailure['why'] {
  if (error instanceof InflateError) return error.why;
  return code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'too large' : 'network';
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z]\w*$/.test(code) ? code : 'no code';
}
