import { Webhook } from 'standardwebhooks';
import * as z from 'zod';
import type { EndpointSecret, EndpointSettings } from './endpoint.ts';

const PREFIX = 'whsec_';
/** Standard Webhooks: "between 24 bytes and 64 bytes". */
const MIN_BYTES = 24;
const MAX_BYTES = 64;

// One text for every fault of a property: zod's own would quote what was found.
const url = z.string('url').refine(isPlainAddress, 'url (an https address without user name and password)');
const signingSecret = z
  .string('secrets')
  .refine(isSigningSecret, `secrets (each ${PREFIX} and the base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes)`);

const chatSecret = z.object({ url }, 'the JSON object');
const webhookSecret = z.object(
  { url, secrets: z.array(signingSecret, 'secrets').min(1, 'secrets').max(2, 'secrets (two at most)') },
  'the JSON object',
);

/** An endpoint's secret from its text.
 *  @throws an error that names the secret, what is wrong with it, and the remedy; never what is in it. */
export function parseSecret({ name, kind, secret }: EndpointSettings, text: string): EndpointSecret {
  const parsed = (kind === 'webhook' ? webhookSecret : chatSecret).safeParse(json(text));
  if (parsed.success) return parsed.data;
  const wrong = [...new Set(parsed.error.issues.map(issue => issue.message))].join(', ');
  throw new Error(`Endpoint ${name}: secret ${secret} lacks ${wrong}. ${remedy(kind, secret)}`);
}

/** What an operator does about a secret that is there, but can't be read or is malformed. */
export function remedy(kind: EndpointSettings['kind'], secret: string): string {
  return `Put it there: aws secretsmanager put-secret-value --secret-id ${secret} ${example(kind)}`;
}

/** What an operator does about a secret that is not there. */
export function makeIt(kind: EndpointSettings['kind'], secret: string): string {
  return `Make it: aws secretsmanager create-secret --name ${secret} ${example(kind)}`;
}

function example(kind: EndpointSettings['kind']): string {
  const secret = { url: 'https://…', ...(kind === 'webhook' && { secrets: [`${PREFIX}…`] }) };
  return `--secret-string '${JSON.stringify(secret)}'`;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An http or https URL without user name and password. http passes: whether it may be used is decided where the address is
 *  known. */
export function isPlainAddress(text: string): boolean {
  const parsed = URL.parse(text);
  if (!parsed) return false;
  return /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '';
}

/** Whether a text is what Standard Webhooks takes for a secret. */
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
