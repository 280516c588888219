import { Refusal } from './refusal.ts';

/** The part of Node's IncomingMessage, or of a framework's request, that `verify` reads. The body is `rawBody` if
 *  present, else `body` if it is bytes or text, else the stream. */
export interface NodeRequest {
  /** The headers, by their names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined };
  /** The unparsed body, where a framework keeps it. */
  readonly rawBody?: unknown;
  /** The body as bytes or text; a parsed body is ignored. */
  readonly body?: unknown;
}

/** The part of the web's Request that `verify` reads. */
export interface WebRequest {
  /** The headers. */
  readonly headers: { get(name: string): string | null };
  /** The body as a stream, or null. */
  readonly body: { getReader(): BodyReader } | null;
  /** Whether the body was already read. */
  readonly bodyUsed: boolean;
}

/** The part of a body's reader that `verify` uses. */
export interface BodyReader {
  /** Reads the next chunk. */
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  /** Stops reading. */
  cancel(): Promise<void>;
}

/** An IncomingMessage whose body may still arrive. */
interface Readable extends AsyncIterable<Uint8Array | string> {
  /** True as soon as data was read. */
  readonly readableDidRead?: boolean;
}

/** In bytes. An event has at most 240 KB; the SNS envelope escapes its JSON again. A batch has at most 1 MB. */
export const MAX_WEBHOOK_BYTES = 256 * 1024;
export const MAX_BATCH_BYTES = 1024 * 1024;
export const MAX_SNS_BYTES = 1024 * 1024;

/** A header's value, `''` if it is missing. `name` in lower case. */
export function headerOf(request: NodeRequest | WebRequest, name: string): string {
  return String((isWeb(request) ? request.headers.get(name) : request.headers[name]) ?? '');
}

/** The unchanged body as text, of at most `maxBytes` bytes.
 *  @throws Refusal 400 if it is incomplete or not UTF-8, 413 if it is too long
 *  @throws TypeError if it was already read and the raw body was not kept */
export async function bodyOf(request: NodeRequest | WebRequest, maxBytes = MAX_SNS_BYTES): Promise<string> {
  const body = isWeb(request) ? await readWeb(request, maxBytes) : await readNode(request, maxBytes);
  if (body.length > maxBytes) throw tooLong();
  return typeof body === 'string' ? body : textOf(body);
}

function isWeb(request: NodeRequest | WebRequest): request is WebRequest {
  return typeof request.headers.get === 'function';
}

async function readWeb({ body, bodyUsed }: WebRequest, maxBytes: number): Promise<Uint8Array> {
  if (bodyUsed) {
    throw new TypeError(
      "The request's body was already read: call verify first, or pass it a clone() made before.",
    );
  }
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  return collect(() => reader.read(), maxBytes).catch(error => {
    reader.cancel().catch(() => {});
    throw error;
  });
}

async function readNode(request: NodeRequest, maxBytes: number): Promise<Uint8Array | string> {
  const kept = [request.rawBody, request.body].find(isRaw);
  if (kept !== undefined) return kept;
  if (!isUnread(request)) throw new TypeError(remedyOf(request));
  // Not `for await`: if the body is too long, that would close the connection before the answer.
  const iterator = request[Symbol.asyncIterator]();
  return collect(() => iterator.next(), maxBytes);
}

/** Not `instanceof`: tests of receivers may run in another realm. */
function isRaw(body: unknown): body is Uint8Array | string {
  return typeof body === 'string' || ArrayBuffer.isView(body);
}

/** Some parsers set `body` to `{}` without reading the request, so `body` does not show whether it was read. */
function isUnread(request: NodeRequest): request is NodeRequest & Readable {
  const { readableDidRead = false } = request as Partial<Readable>;
  return Symbol.asyncIterator in request && !readableDidRead;
}

function remedyOf({ body }: NodeRequest): string {
  const found =
    typeof body === 'object' && body !== null ? 'was already parsed' : 'was already read and not kept';
  return (
    `The request's body ${found}: serialized again, it does not verify. Keep the raw body for this path, ` +
    "with express.raw({ type: '*/*' }) or as bytes in request.rawBody."
  );
}

type Chunk = { readonly done?: boolean; readonly value?: Uint8Array | string | undefined };

async function collect(read: () => Promise<Chunk>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await read().catch(() => {
      throw new Refusal(400, 'The body is incomplete.');
    });
    if (done) return joined(chunks, length);
    const chunk = typeof value === 'string' ? new TextEncoder().encode(value) : (value ?? new Uint8Array());
    length += chunk.length;
    if (length > maxBytes) throw tooLong();
    chunks.push(chunk);
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

const tooLong = () => new Refusal(413, 'The body is too long.');

/** Strict: otherwise all invalid bytes would become the same character, and verify. */
function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new Refusal(400, 'The body is not UTF-8.');
  }
}
