import type { Json, JsonObject } from '../functions/basics/json.ts';

/** A received request. */
export interface SeenRequest {
  readonly method: string;
  /** Relative to {base_url} or {auth_url}, with the query. */
  readonly path: string;
  /** The status that answered it; 0 until then, and when the socket was destroyed or hangs. */
  readonly status: number;
}

/** A fault of a request. */
export type Fault =
  /** An answer that the test gives; a string `body` is sent as it is, anything else becomes JSON. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: Json }
  /** The socket is closed without an answer. */
  | 'destroy'
  /** No answer, until the client gives up or the service stops. */
  | 'hang'
  /** The first half of the right answer; then the socket closes. */
  | 'truncate'
  /** A callback, for instance with an edit, before the right answer. */
  | { readonly before: (request: SeenRequest) => void | Promise<void> }
  /** The right answer, changed. */
  | { readonly change: (body: JsonObject) => Json };

/** The next `times` requests (1) for which `when` holds (all) meet the fault. */
export interface FaultRule {
  readonly when?: (request: SeenRequest) => boolean;
  readonly times?: number;
  readonly fault: Fault;
}

/** A rule. */
export interface ActiveFault {
  /** How many more requests will meet the fault. */
  readonly remaining: number;
  cancel(): void;
}

/** A 429 answer (service-api.md §8) that asks to wait. */
export function tooManyRequests(retryAfter: number | string): Fault {
  const body = {
    error: {
      code: 'too_many_requests',
      message: 'The rate limit is exceeded; wait as long as Retry-After asks',
    },
  };
  return { status: 429, headers: { 'retry-after': String(retryAfter) }, body };
}

/** The rules. The oldest that fits handles the request. */
export class Faults {
  readonly #rules: { rule: FaultRule; remaining: number }[] = [];

  add(rule: FaultRule): ActiveFault {
    const active = { rule, remaining: rule.times ?? 1 };
    this.#rules.push(active);
    return {
      get remaining() {
        return active.remaining;
      },
      cancel() {
        active.remaining = 0;
      },
    };
  }

  /** The fault that this request meets, if any; it is counted. */
  take(request: SeenRequest): Fault | undefined {
    const active = this.#rules.find(({ rule, remaining }) => remaining > 0 && (rule.when?.(request) ?? true));
    if (!active) return undefined;
    active.remaining -= 1;
    return active.rule.fault;
  }
}
