import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the events of a pull endpoint are taken: from a run on this machine, by its data directory; or from a stack,
 *  with the AWS credentials of this process, which need the policy `PullPolicyArn`, and `@aws-sdk/client-lambda`. */
export type Source =
  | { readonly data: string }
  | { readonly stack: string; readonly region?: string | undefined; readonly address?: string | undefined };

/** Sends a request of a consumer. @throws Refused for one that can't be carried out, other errors without an answer */
export type Ask = <Answer>(request: object) => Promise<Answer>;

/** A request that cannot be carried out. */
class Refused extends Error {}

/** Whether repeating a request does not help: it is refused; or the package, the stack or the permission is missing. */
export function isFinal(error: unknown): boolean {
  const { code, name } = error as NodeJS.ErrnoException;
  return (
    error instanceof Refused ||
    code === 'ERR_MODULE_NOT_FOUND' ||
    name === 'AccessDeniedException' ||
    name === 'ResourceNotFoundException'
  );
}

/** Connects to a run or a stack when the first request is sent. */
export function operationsOf(source: Source): Ask {
  const send = 'data' in source ? runOf(source.data) : stackOf(source);
  return async request => {
    const reply = JSON.parse(await send(JSON.stringify(request))) as { answer?: never; refused?: string };
    if (reply.refused !== undefined) throw new Refused(reply.refused);
    return reply.answer as never;
  };
}

type Send = (request: string) => Promise<string>;

/** The function that serves the stack, by its alias for consumers. */
function stackOf({ stack, region, address }: Extract<Source, { stack: string }>): Send {
  const name = `${stack}-operate:pull`;
  let client:
    | Promise<{ send(command: never): Promise<Invoked>; command(payload: string): never }>
    | undefined;
  const connect = async () => {
    const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
    const options = {
      ...(region !== undefined && { region }),
      ...(address !== undefined && { endpoint: address }),
    };
    const lambda = new LambdaClient(options);
    const command = (Payload: string) => new InvokeCommand({ FunctionName: name, Payload }) as never;
    return { send: (command: never) => lambda.send(command) as Promise<Invoked>, command };
  };
  return async request => {
    client ??= connect().catch(error => {
      client = undefined;
      throw error;
    });
    const { send, command } = await client;
    const { FunctionError, Payload = new Uint8Array() } = await send(command(`{"request":${request}}`));
    const text = new TextDecoder().decode(Payload);
    if (FunctionError !== undefined) throw new Error(`The function ${name} failed: ${text.slice(0, 500)}`);
    return text;
  };
}

interface Invoked {
  readonly FunctionError?: string | undefined;
  readonly Payload?: Uint8Array | undefined;
}

const REQUEST_TIMEOUT_MS = 30_000;

/** Requests to a run are encrypted with its token, which is never sent: a program that gets the port of a run that has
 *  ended can neither read nor answer them. */
function runOf(directory: string): Send {
  return async request => {
    // Read each time: a new start has another address.
    const { url, token } = JSON.parse(await readFile(join(directory, 'operate.json'), 'utf8')) as Address;
    const sealed = await seal(token, request);
    const response = await fetch(`${url}/operations`, {
      ...{ method: 'POST', body: sealed, redirect: 'error', signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) },
      headers: { 'content-type': 'application/octet-stream' },
    });
    return unseal(token, new Uint8Array(await response.arrayBuffer()), sealed);
  };
}

interface Address {
  readonly url: string;
  readonly token: string;
}

const IV_BYTES = 12;

async function seal(token: string, text: string): Promise<Uint8Array<ArrayBuffer>> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const algorithm = { name: 'AES-GCM', iv, additionalData: new Uint8Array() };
  const encrypted = await crypto.subtle.encrypt(
    algorithm,
    await keyOf(token),
    new TextEncoder().encode(text),
  );
  return new Uint8Array(Buffer.concat([iv, new Uint8Array(encrypted)]));
}

/** @throws unless this is the run's answer to this request */
async function unseal(token: string, sealed: Uint8Array<ArrayBuffer>, request: Uint8Array): Promise<string> {
  const additionalData = new Uint8Array(request.slice(0, IV_BYTES));
  const algorithm = { name: 'AES-GCM', iv: sealed.slice(0, IV_BYTES), additionalData };
  const text = await crypto.subtle.decrypt(algorithm, await keyOf(token), sealed.slice(IV_BYTES));
  return new TextDecoder('utf-8', { fatal: true }).decode(text);
}

async function keyOf(token: string) {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token));
  return crypto.subtle.importKey('raw', digest, 'AES-GCM', false, ['encrypt', 'decrypt']);
}
