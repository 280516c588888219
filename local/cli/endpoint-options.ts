import { isPlainAddress, isSigningSecret } from '../../functions/endpoints/secret.ts';
import { undeliverable } from './undeliverable.ts';
import { UsageError } from './usage-error.ts';

/** A `--webhook`, with the `--webhook-secret`s behind it: none, one, or two. */
export interface WebhookOption {
  readonly url: string;
  readonly secrets: readonly string[];
}

/** The endpoints of the command line, in its order. */
export interface EndpointOptions {
  readonly webhooks: readonly WebhookOption[];
  /** Empty text: the environment tells it. */
  readonly slack: readonly string[];
  readonly teams: readonly string[];
}

/** An option as `parseArgs` found it. */
interface Token {
  readonly name: string;
  readonly value?: string | undefined;
}

/** Whether what follows on the command line may be left out. */
export const VALUE_IS_OPTIONAL = new Set(['--slack', '--teams']);

/** Reads the options that name endpoints. @throws UsageError, which shows no URL beyond its origin and no secret */
export function endpointOptions(tokens: readonly Token[]): EndpointOptions {
  const webhooks: { url: string; secrets: string[] }[] = [];
  const chats = { slack: [] as string[], teams: [] as string[] };
  for (const { name, value = '' } of tokens) {
    if (name === 'webhook') webhooks.push({ url: checkAddress('--webhook', value), secrets: [] });
    if (name === 'webhook-secret') addSecret(webhooks.at(-1), value);
    if (name === 'slack' || name === 'teams')
      chats[name].push(value === '' ? '' : checkAddress(`--${name}`, value));
  }
  return { webhooks, ...chats };
}

/** The URL, if deliveries can go there, as far as it tells by itself: where a name leads is looked up later.
 *  `name` is where it came from. @throws UsageError */
export function checkAddress(name: string, value: string): string {
  if (!isPlainAddress(value))
    throw new UsageError(
      `${name} takes an https URL without user name, or an http URL of this machine such as http://localhost:9000/events.`,
    );
  const problem = undeliverable(new URL(value));
  if (problem !== undefined) throw new UsageError(`${name} ${problem}.`);
  return value;
}

/** The secret, if it can sign. `name` is where it came from. @throws UsageError */
export function checkSecret(name: string, value: string): string {
  if (isSigningSecret(value)) return value;
  throw new UsageError(
    `${name} takes whsec_ and the base64 of 24 to 64 bytes. Without one a secret is made and kept for you.`,
  );
}

function addSecret(webhook: { url: string; secrets: string[] } | undefined, value: string): void {
  if (webhook === undefined)
    throw new UsageError('--webhook-secret belongs to the --webhook URL before it: give that first.');
  webhook.secrets.push(checkSecret('--webhook-secret', value));
  if (webhook.secrets.length > 2)
    throw new UsageError(
      `${new URL(webhook.url).origin} has more than two --webhook-secret: give the new one and the old one.`,
    );
}
