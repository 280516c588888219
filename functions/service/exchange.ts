/** One HTTP request as it goes over the wire. */
export interface HttpRequest {
  readonly origin: string;
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** An answer of any status. `body` is the whole body of a 2xx, in the bytes that it has when inflated; empty otherwise. */
export interface HttpAnswer {
  readonly status: number;
  readonly date: string | undefined;
  readonly retryAfter: string | undefined;
  /** The `content-encoding`, where it is one that can't be inflated. */
  readonly encoding: string | undefined;
  readonly body: Buffer;
  /** When the headers came, by our clock, in ms since 1970. */
  readonly at: number;
}

/** No whole answer. `code` is undici's or the system's, never a message: those may quote what was sent. */
export interface HttpFailure {
  readonly why: 'time-out' | 'too large' | 'inflates too large' | 'damaged' | 'network';
  readonly during: 'headers' | 'body';
  readonly code: string;
  /** The status, when the headers had come. */
  readonly status: number | undefined;
}

/** True for 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
