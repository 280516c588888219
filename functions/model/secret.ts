import { Webhook } from 'standardwebhooks';
import * as z from 'zod';
import type { EndpointSecret, EndpointSettings } from './endpoint.ts';
import { type EndpointHeaders, headersProblem } from './headers.ts';
import { type EndpointKind, KINDS } from './kinds.ts';
import { mailRouteIn } from './mail.ts';

const PREFIX = 'whsec_';
/** Standard Webhooks: "between 24 bytes and 64 bytes". */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

// One text for every fault of the URL: zod's own message would quote what was found.
const url = z.string('url').refine(isPlainAddress, 'url (an https address without user name and password)');
const signingSecret = z
  .string('secrets')
  .refine(isSigningSecret, `secrets (each ${PREFIX} and the base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes)`);

const headers = z
  .record(z.string(), z.string(), 'headers (an object of texts)')
  .superRefine((given, context) => {
    const problem = headersProblem(given);
    if (problem !== undefined) context.addIssue(`headers that can be sent (${problem})`);
  });

/** What the address of an endpoint of kind `email` may be. */
export const MAIL_ADDRESSES = 'smtps://user:password@host:465, smtp://host:587, or on AWS ses:';
const mailSecret = z.object(
  { url: z.string('url').refine(text => mailRouteIn(text) !== undefined, `url (${MAIL_ADDRESSES})`) },
  'the JSON object',
);

const unsignedSecret = z.object({ url, headers: headers.optional() }, 'the JSON object');
const signedSecret = z.object(
  {
    ...unsignedSecret.shape,
    secrets: z.array(signingSecret, 'secrets').min(1).max(2, 'secrets (two at most)'),
  },
  'the JSON object',
);

/** Where endpoints' secrets are read. */
export interface SecretStore {
  /** The text of a secret, by the endpoint's name. */
  read(endpoint: string): Promise<string>;
  /** The name of the secret in the store, for people. */
  nameOf(endpoint: string): string;
  /** What an operator does to store this text. */
  putting(endpoint: string, text: string): string;
}

/** A store that can be written, too. A call's effect lasts through any crash once it has resolved. */
export interface SecretKeeper extends SecretStore {
  /** Writes a secret, or replaces it. */
  write(endpoint: string, text: string): Promise<void>;
  /** Removes a secret. It may be missing already. */
  remove(endpoint: string): Promise<void>;
}

/** What the stores throw for a secret that is missing. After another failure it may be there, and must not be
 *  replaced. */
const MISSING = new Set(['ParameterNotFound', 'ENOENT']);

/** Reads an endpoint's secret.
 *  @throws an error that names the endpoint, its secret and the remedy, never the secret's content */
export async function readSecretIn(
  store: SecretStore,
  endpoint: Pick<EndpointSettings, 'name' | 'kind'>,
): Promise<EndpointSecret> {
  const { name } = endpoint;
  const text = await store.read(name).catch((error: Partial<NodeJS.ErrnoException>) => {
    // Only the error's name: its message could quote a request.
    const why = error.code ?? error.name ?? 'unknown error';
    const what = MISSING.has(why)
      ? remedy(endpoint, store)
      : 'Try again, or restore the permission to read it.';
    throw new Error(`Endpoint ${name}: secret ${store.nameOf(name)} cannot be read (${why}). ${what}`);
  });
  return parseSecret(endpoint, store, text);
}

/** An endpoint's secret from its text.
 *  @throws an error that names the secret, what is wrong with it, and the remedy; never what is in it. */
export function parseSecret(
  endpoint: Pick<EndpointSettings, 'name' | 'kind'>,
  store: SecretStore,
  text: string,
): EndpointSecret {
  const { name, kind } = endpoint;
  const { isSigned, isMail } = KINDS[kind];
  const schema: z.ZodType<EndpointSecret> = isMail ? mailSecret : isSigned ? signedSecret : unsignedSecret;
  const parsed = schema.safeParse(json(text));
  const lacking = parsed.success ? lackingHeader(kind, parsed.data.headers) : undefined;
  if (parsed.success && lacking === undefined) return parsed.data;
  const issues = parsed.error?.issues.map(issue => issue.message) ?? [];
  const wrong = [...new Set([...issues, ...(lacking === undefined ? [] : [lacking])])].join(', ');
  throw new Error(
    `Endpoint ${name}: secret ${store.nameOf(name)} lacks ${wrong}. ${remedy(endpoint, store)}`,
  );
}

/** The header that requests of a kind need, and these headers lack; with an example. */
export function lackingHeader(kind: EndpointKind, headers: EndpointHeaders = {}): string | undefined {
  const { needs } = KINDS[kind];
  if (!needs) return undefined;
  const { header, example, form } = needs;
  const has = Object.entries(headers).some(
    ([name, value]) => name.toLowerCase() === header.toLowerCase() && form.test(value),
  );
  return has ? undefined : `the header "${header}: ${example}"`;
}

/** What an operator does about a secret that is missing or malformed. */
function remedy({ name, kind }: Pick<EndpointSettings, 'name' | 'kind'>, store: SecretStore): string {
  const { isSigned, isMail, needs } = KINDS[kind];
  const example = {
    url: needs || isMail ? KINDS[kind].example : 'https://…',
    ...(isSigned && { secrets: [`${PREFIX}…`] }),
    ...(needs && { headers: { [needs.header]: needs.example } }),
  };
  return `Put it there: ${store.putting(name, JSON.stringify(example))}`;
}

function json(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // A text that is not JSON counts as one without the object.
  }
  return value;
}

/** Whether a text is an http or https URL without user name and password. Whether http is allowed depends on
 *  the address, and is decided by the agent. */
export function isPlainAddress(text: string): boolean {
  const parsed = URL.parse(text);
  if (!parsed) return false;
  return ['http:', 'https:'].includes(parsed.protocol) && parsed.username === '' && parsed.password === '';
}

/** Whether an endpoint of this kind may have this address. */
export function isAddressOf(kind: EndpointKind, text: string): boolean {
  return KINDS[kind].isMail ? mailRouteIn(text) !== undefined : isPlainAddress(text);
}

/** What people may see of an endpoint's address: user name, password, path and query may be secret. */
export function originOf({ url }: Pick<EndpointSecret, 'url'>): string {
  const { origin, protocol, host } = new URL(url);
  return origin === 'null' ? `${protocol}${host === '' ? '' : `//${host}`}` : origin;
}

/** Whether a text is a signing secret by Standard Webhooks. */
export function isSigningSecret(text: string): boolean {
  if (!text.startsWith(PREFIX)) return false;
  try {
    new Webhook(text);
  } catch {
    return false;
  }
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64').length;
  return bytes >= MIN_BYTES && bytes <= MAX_BYTES;
}
