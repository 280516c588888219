import { createHash } from 'node:crypto';
import type { EndpointKind } from '../../functions/endpoints/endpoint.ts';
import { checkAddress, checkSecret, type EndpointOptions } from './endpoint-options.ts';
import type { Environment } from './environment.ts';
import { UsageError } from './usage-error.ts';

/** An endpoint that was asked for, whatever told its parts. */
export interface WantedEndpoint {
  /** The same for the same kind and URL at every start; it tells no more of the URL than the host. */
  readonly name: string;
  readonly kind: EndpointKind;
  readonly url: string;
  readonly origin: string;
  /** Of a webhook; empty when a secret is to be made. */
  readonly secrets: readonly string[];
}

const CHATS = [
  { kind: 'slack', variable: 'SLACK_WEBHOOK_URL' },
  { kind: 'teams', variable: 'TEAMS_WEBHOOK_URL' },
] as const;

/**
 * The endpoints of the command line, completed by the environment: WEBHOOK_SECRET (two with a comma between) for webhooks
 * that have none of their own, SLACK_WEBHOOK_URL and TEAMS_WEBHOOK_URL for `--slack` and `--teams` that stand alone.
 * @throws UsageError that shows no secret, and of a URL its origin only
 */
export function wantedEndpoints(options: EndpointOptions, environment: Environment): WantedEndpoint[] {
  const shared = sharedSecrets(options, environment);
  const webhooks = options.webhooks.map(({ url, secrets }) =>
    endpoint('webhook', url, secrets.length > 0 ? secrets : shared),
  );
  const chats = CHATS.flatMap(({ kind, variable }) =>
    options[kind].map(url => endpoint(kind, url || fromEnvironment(kind, variable, environment), [])),
  );
  const all = [...webhooks, ...chats];
  const names = all.map(({ name }) => name);
  const twice = all.find(({ name }, index) => names.indexOf(name) !== index);
  if (twice) throw new UsageError(`--${twice.kind} names the same URL twice, at ${twice.origin}.`);
  return all;
}

function sharedSecrets({ webhooks }: EndpointOptions, { WEBHOOK_SECRET = '' }: Environment): string[] {
  if (WEBHOOK_SECRET.trim() === '' || webhooks.every(({ secrets }) => secrets.length > 0)) return [];
  const secrets = WEBHOOK_SECRET.split(',').map(each => checkSecret('WEBHOOK_SECRET', each.trim()));
  if (secrets.length <= 2) return secrets;
  throw new UsageError('WEBHOOK_SECRET has more than two secrets: give the new one and the old one.');
}

function fromEnvironment(kind: string, variable: string, environment: Environment): string {
  const url = environment[variable]?.trim() ?? '';
  if (url !== '') return checkAddress(variable, url);
  throw new UsageError(
    `--${kind} has no URL: write it behind, or set ${variable} in the environment or in .env.`,
  );
}

function endpoint(kind: EndpointKind, url: string, secrets: readonly string[]): WantedEndpoint {
  const { origin, host, href } = new URL(url);
  const digest = createHash('sha256').update(href).digest('hex').slice(0, 8);
  const place = host.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 40);
  return { name: `${kind}-${place}-${digest}`, kind, url, origin, secrets };
}
