import { createHash } from 'node:crypto';
import { isJsonObject, jsonOf } from '../../functions/basics/json.ts';
import type { Networks } from '../../functions/basics/networks.ts';
import type { Config } from '../../functions/config/schema.ts';
import type { EndpointSettings } from '../../functions/model/endpoint.ts';
import type { EndpointHeaders } from '../../functions/model/headers.ts';
import { type EndpointKind, isPulled, KINDS } from '../../functions/model/kinds.ts';
import { lackingHeader, originOf } from '../../functions/model/secret.ts';
import { type Environment, textIn } from '../basics/process.ts';
import { UsageError } from '../basics/usage-error.ts';
import { checkAddress, checkHeaders, checkSecret, type EndpointOption } from './endpoint-options.ts';
import { variablePrefix } from './watched.ts';

/** An endpoint of the command line or the configuration, complete. A missing name is derived from kind and URL: it is
 *  the same at every start, and shows only the host of the URL. */
export interface WantedEndpoint extends EndpointSettings {
  /** Whether it is an endpoint of the command line. */
  readonly isOption: boolean;
  readonly url: string;
  readonly origin: string;
  /** Signing secrets of a webhook; if empty, a secret is generated. */
  readonly secrets: readonly string[];
  readonly headers: EndpointHeaders;
}

/**
 * The endpoints of the configuration and of the command line, completed by the environment: ENDPOINT_<NAME>_URL,
 * ENDPOINT_<NAME>_SECRET and ENDPOINT_<NAME>_HEADERS (JSON) for those of the configuration; WEBHOOK_SECRET (one or two,
 * comma-separated) for webhooks of the command line without --webhook-secret; SLACK_WEBHOOK_URL for `--slack` without
 * a URL, and likewise for each chat.
 * @throws UsageError that shows no secret, and of a URL only the origin
 */
export function wantedEndpoints(
  options: readonly EndpointOption[],
  config: Pick<Config, 'endpoints' | 'networks'> | undefined,
  environment: Environment,
): WantedEndpoint[] {
  const shared = sharedSecrets(options, environment);
  const configured = (config?.endpoints ?? []).map(settings => {
    const { name, kind } = settings;
    const prefix = `ENDPOINT_${variablePrefix(name)}`;
    if (isPulled(settings))
      return { ...settings, isOption: false, url: '', origin: '', secrets: [], headers: {} };
    const lack = `Endpoint ${name} has no URL`;
    const url = fromEnvironment(kind, `${prefix}_URL`, lack, environment, config?.networks);
    const secrets = KINDS[kind].isSigned ? secretsIn(`${prefix}_SECRET`, environment) : [];
    const headers = KINDS[kind].isMail ? {} : headersOf(`${prefix}_HEADERS`, environment);
    return { ...settings, isOption: false, url, origin: originOf({ url }), secrets, headers };
  });
  const asked = options.map(option => {
    const url = option.url || chatUrl(option.kind, environment);
    const secrets = KINDS[option.kind].isSigned && option.secrets.length === 0 ? shared : option.secrets;
    const name = option.name ?? defaultName(option.kind, url);
    return { ...option, isOption: true, name, url, origin: originOf({ url }), secrets };
  });
  const all = [...configured, ...asked];
  for (const { kind, name, headers, isOption } of all) {
    const lacking = lackingHeader(kind, headers);
    const where = isOption ? '--header - after it' : `ENDPOINT_${variablePrefix(name)}_HEADERS`;
    if (lacking !== undefined) throw new UsageError(`Endpoint ${name} lacks ${lacking}: add ${where}.`);
  }
  const twice = all.find(({ name }, index) => all.findIndex(one => isAlike(one.name, name)) !== index);
  if (twice && asked.includes(twice as (typeof asked)[number]) && isDefault(twice))
    throw new UsageError(`--${twice.kind}: the same URL is given twice, at ${twice.origin}.`);
  if (twice)
    throw new UsageError(
      `Two endpoints are named ${twice.name}, one of them at ${twice.origin}. Rename one of them (names that differ only in ` +
        'case, "-" and "_" count as equal).',
    );
  return all;
}

function sharedSecrets(options: readonly EndpointOption[], environment: Environment): string[] {
  const lack = options.some(({ kind, secrets }) => KINDS[kind].isSigned && secrets.length === 0);
  return lack ? secretsIn('WEBHOOK_SECRET', environment) : [];
}

function secretsIn(variable: string, environment: Environment): string[] {
  const text = textIn(environment, variable);
  if (text === '') return [];
  const secrets = text.split(',').map(each => checkSecret(variable, each.trim()));
  if (secrets.length <= 2) return secrets;
  throw new UsageError(`${variable} has more than two secrets: give only the new one and the old one.`);
}

function headersOf(variable: string, environment: Environment): EndpointHeaders {
  const text = textIn(environment, variable);
  if (text === '') return {};
  const headers = jsonOf(text);
  const isObject = isJsonObject(headers) && Object.values(headers).every(value => typeof value === 'string');
  if (isObject) return checkHeaders(variable, headers as EndpointHeaders);
  throw new UsageError(`${variable} takes a JSON object of texts, such as {"Authorization": "Bearer …"}.`);
}

function chatUrl(kind: EndpointKind, environment: Environment): string {
  if (KINDS[kind].isSigned) throw new UsageError(`--${kind} needs a URL.`);
  return fromEnvironment(kind, variableOf(kind), `--${kind} has no URL: add it, or`, environment);
}

/** The variable with the URL of a chat whose option has no value. */
export function variableOf(kind: EndpointKind): string {
  return `${kind.toUpperCase().replaceAll('-', '_')}${KINDS[kind].isMail ? '' : '_WEBHOOK'}_URL`;
}

function fromEnvironment(
  kind: EndpointKind,
  variable: string,
  lack: string,
  environment: Environment,
  networks?: Networks,
): string {
  const url = textIn(environment, variable);
  if (url !== '') return checkAddress(variable, url, networks, kind);
  const separator = lack.endsWith('or') ? '' : ':';
  throw new UsageError(`${lack}${separator} set ${variable} in the environment or in .env.`);
}

/** Whether two names give the same variables, or the same secret file on a file system that ignores case (macOS,
 *  Windows). */
function isAlike(one: string, other: string): boolean {
  return variablePrefix(one) === variablePrefix(other);
}

function isDefault({ name, kind, url }: WantedEndpoint): boolean {
  return name === defaultName(kind, url);
}

function defaultName(kind: EndpointKind, url: string): string {
  const { host, href } = new URL(url);
  const digest = createHash('sha256').update(href).digest('hex').slice(0, 8);
  return `${kind}-${host.replaceAll(/[^A-Za-z0-9]+/g, '-').slice(0, 40)}-${digest}`;
}
