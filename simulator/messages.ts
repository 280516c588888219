import type { Json } from '../functions/basics/json.ts';

/** A request, apart from HTTP. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly authorization?: string | undefined;
  readonly contentType?: string | undefined;
  readonly body: string;
}

/** An answer, apart from HTTP. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: Buffer;
}

/** An answer before it is text; a string `body` stands as it is, anything else becomes JSON. */
export interface Made {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
}
