import type { Json } from '../functions/basics/json.ts';

/** A request, independent of HTTP. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly authorization?: string | undefined;
  readonly contentType?: string | undefined;
  readonly body: string;
}

/** An answer, independent of HTTP. */
export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: Buffer;
}

/** An answer before it becomes text; a string `body` stays, any other becomes JSON. */
export interface Made {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
}
