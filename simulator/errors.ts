/** An error answer, which becomes a status and a JSON body (service-api.md §7). */
export class HttpError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'HttpError';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

export class BadRequest extends HttpError {
  constructor(message: string) {
    super(400, 'bad_request', message);
  }
}

export class NotFound extends HttpError {
  constructor(message: string) {
    super(404, 'not_found', message);
  }
}
