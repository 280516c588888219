/** Whom an error concerns: one project or record, while the others can be read; the process; or everybody who
 *  uses the workspace. */
export type Scope = 'project' | 'process' | 'everybody';

/** What the service, or the way to it, did to a request. `request` is method and path with query, never a header. */
export class ServiceError extends Error {
  readonly request: string;
  readonly scope: Scope;
  /** ms that the service asks to wait, where that is longer than a run waits. */
  readonly retryAfter: number | undefined;

  /** `scope`: everybody by default, so that no failure is taken for one project's by mistake. */
  constructor(
    request: string,
    message: string,
    options: ErrorOptions & { scope?: Scope | undefined; retryAfter?: number | undefined } = {},
  ) {
    const { scope = 'everybody', retryAfter, ...rest } = options;
    super(`${request}: ${message}`, rest);
    this.name = new.target.name;
    this.request = request;
    this.scope = retryAfter === undefined ? scope : 'everybody';
    this.retryAfter = retryAfter;
  }
}

/** The service answered with a status that means failure (service-api.md §7), after the retries that it deserves. */
export class ServiceStatusError extends ServiceError {
  readonly status: number;

  /** `scope`: that of the request. Refused credentials, a rate limit and a pause concern everybody, whatever was
   *  asked for. */
  constructor(request: string, status: number, message: string, scope?: Scope, retryAfter?: number) {
    super(request, `status ${status}: ${message}`, {
      scope: status === 401 || status === 429 ? 'everybody' : scope,
      retryAfter,
    });
    this.status = status;
  }
}

/** True for a transient status: the same request may succeed later. */
export function isPassing(status: number): boolean {
  return status >= 500 || status === 429 || status === 408;
}

/** A 2xx answer that is not what service-api.md documents. */
export class ServiceAnswerError extends ServiceError {
  /** Where in the body, as a path such as `$.paging.endCursor`. */
  readonly path: string;
  readonly expected: string;
  readonly found: string;

  constructor(request: string, where: { path: string; expected: string; found: string }, scope?: Scope) {
    super(request, `at ${where.path}: expected ${where.expected}, found ${where.found}`, { scope });
    this.path = where.path;
    this.expected = where.expected;
    this.found = where.found;
  }
}

/** The authorization server answered without a token, which concerns everybody. A class of its own, so that
 *  its 404 is not taken for a deleted project, nor its 403 for an audit log that is denied. */
export class TokenError extends ServiceError {
  constructor(cause: ServiceStatusError | ServiceAnswerError) {
    const { retryAfter } = cause;
    super(cause.request, cause.message.slice(cause.request.length + ': '.length), { cause, retryAfter });
  }
}

/** The remedy where nothing is answered. */
export const CHECK_NETWORK = 'check the address and the network between';

/** No answer: connection refused or reset, or none within a request's own time-out. */
export class ServiceUnreachableError extends ServiceError {
  /** The same error, once it is known to concern no more than `scope`, because others are answered. */
  of(scope: Scope): ServiceUnreachableError {
    const what = this.message.slice(this.request.length + ': '.length).replace(`; ${CHECK_NETWORK}`, '');
    const message = `${what}; other requests are answered: see whether the service can open this`;
    return new ServiceUnreachableError(this.request, message, { scope, cause: this });
  }
}

/** The time of the pass was up before an answer came, and nothing had gone wrong with the request until then:
 *  this shows nothing of the service. A request that failed before, and was to be tried again, ends in that
 *  failure instead. */
export class DeadlineError extends ServiceError {
  constructor(request: string, message = 'the deadline of the pass is reached; the next pass continues') {
    super(request, message);
  }
}
