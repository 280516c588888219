import { isIP } from 'node:net';
import type * as z from 'zod';
import { type Json, jsonOf } from '../../functions/basics/json.ts';
import { eitherOf } from '../../functions/basics/names-in-words.ts';
import { nearest } from '../../functions/basics/nearest.ts';
import type { Networks } from '../../functions/basics/networks.ts';
import type { Resolve } from '../../functions/basics/proxy.ts';
import { within } from '../../functions/basics/within.ts';
import { endpointConfig } from '../../functions/config/endpoint.ts';
import { endpointFilter, MAX_TEXT_LENGTH, neverMatching } from '../../functions/config/filter.ts';
import { checkedBy, shown, withoutRoot } from '../../functions/config/problems.ts';
import { name } from '../../functions/config/workspace.ts';
import { addressRefusal, SES_ON_AWS } from '../../functions/delivery/http/addresses.ts';
import { CONDITIONS, type EndpointFilter, FILTER_KEYS } from '../../functions/model/filter.ts';
import { type EndpointHeaders, headerIn, headersProblem } from '../../functions/model/headers.ts';
import {
  type EndpointKind,
  isPulled,
  KIND_NAMES,
  KIND_SETTINGS,
  KINDS,
  type KindSettings,
  kindSettingsOf,
} from '../../functions/model/kinds.ts';
import { isAddressOf, isSigningSecret, MAIL_ADDRESSES } from '../../functions/model/secret.ts';
import { UsageError } from '../basics/usage-error.ts';

/** An endpoint of the command line: the option of its kind, with the options that follow it. */
export interface EndpointOption extends KindSettings {
  readonly kind: EndpointKind;
  /** Empty: the URL comes from the environment. */
  readonly url: string;
  /** Signing secrets of a webhook: none, one, or two. */
  readonly secrets: readonly string[];
  readonly headers: EndpointHeaders;
  /** Undefined: the name is derived from the kind and the URL. */
  readonly name: string | undefined;
  /** Undefined: every event. */
  readonly filter: EndpointFilter | undefined;
}

/** An option as `parseArgs` found it. */
interface Token {
  readonly name: string;
  readonly value?: string | undefined;
}

/** An endpoint whose options are still being read. */
interface Draft extends Omit<EndpointOption, 'filter' | keyof KindSettings> {
  name: string | undefined;
  readonly secrets: string[];
  readonly headers: Record<string, string>;
  readonly filters: string[];
  readonly settings: Record<string, string>;
}

/** The kinds that have an address. A pull endpoint is configured, or added while it runs. */
export const START_KINDS = KIND_NAMES.filter(kind => !isPulled({ kind }));

/** The option of each kind. */
export const KIND_OPTIONS = START_KINDS.map(kind => `--${kind}`);

/** Options whose value may be omitted. */
export const VALUE_IS_OPTIONAL = new Set([
  ...START_KINDS.filter(kind => !KINDS[kind].isSigned).map(kind => `--${kind}`),
  '--health',
  '--heartbeat',
]);

/** Options whose values may be secret: every user of the machine can see the arguments of its processes. */
const MAY_BE_SECRET = new Set([
  '--subscribe',
  '--webhook-secret',
  '--header',
  '--heartbeat',
  ...KIND_OPTIONS,
]);

/** Replaces each `-` that is given for such a value by a line of stdin, in order. `readStdin` is called only if there
 *  is a `-`. @throws UsageError if stdin has too few lines */
export async function withValuesOfStdin(
  args: readonly string[],
  readStdin: () => Promise<string>,
): Promise<readonly string[]> {
  const isAsked = (arg: string, index: number) =>
    arg === '-'
      ? MAY_BE_SECRET.has(args[index - 1] ?? '')
      : arg.endsWith('=-') && MAY_BE_SECRET.has(arg.slice(0, -2));
  if (!args.some(isAsked)) return args;
  const lines = (await readStdin()).split('\n').flatMap(line => line.trim() || []);
  return args.map((arg, index) => {
    if (!isAsked(arg, index)) return arg;
    const line = lines.shift();
    if (line !== undefined) return arg.slice(0, -1) + line;
    const option = arg === '-' ? args[index - 1] : arg.slice(0, -2);
    throw new UsageError(`${option} -: stdin has no line for it.`);
  });
}

/** Reads the options of endpoints, in the order of the command line: `--name`, `--filter`, `--header` and
 *  `--webhook-secret` apply to the preceding endpoint.
 *  @throws UsageError, which shows no secret, and of a URL only the origin */
export function endpointOptions(tokens: readonly Token[]): EndpointOption[] {
  const drafts: Draft[] = [];
  const lastDraft = (name: string): Draft => {
    const last = drafts.at(-1);
    if (last !== undefined) return last;
    throw new UsageError(`--${name} applies to the preceding ${eitherOf(KIND_OPTIONS)}: give that first.`);
  };
  for (const { name, value = '' } of tokens) {
    const kind = START_KINDS.find(each => each === name);
    if (kind !== undefined) {
      const isElsewhere = value === '' && !KINDS[kind].isSigned;
      const url = isElsewhere ? '' : checkAddress(`--${kind}`, value, [], kind);
      drafts.push({ kind, url, name: undefined, secrets: [], headers: {}, filters: [], settings: {} });
    }
    const setting = KIND_SETTINGS.find(each => optionOf(each) === name);
    if (setting !== undefined) lastDraft(name).settings[setting.name] = value;
    if (name === 'webhook-secret') addSecret(drafts.at(-1), value);
    if (name === 'header') addHeader(lastDraft(name), value);
    if (name === 'name') lastDraft(name).name = checkName(value);
    if (name === 'filter') lastDraft(name).filters.push(value);
  }
  return drafts.map(({ filters, settings, ...endpoint }) => ({
    ...checkSettings(endpoint.kind, settings),
    ...endpoint,
    filter: filters.length > 0 ? filterOption(filters) : undefined,
  }));
}

/** Checks that deliveries can go to this URL; its host name is looked up later. `name` is the source of the URL.
 *  @throws UsageError */
export function checkAddress(
  name: string,
  value: string,
  networks: Networks = [],
  kind: EndpointKind = 'webhook',
): string {
  if (KINDS[kind].isMail && !isAddressOf(kind, value))
    throw new UsageError(`${name} takes ${MAIL_ADDRESSES}.`);
  if (value.startsWith('ses:')) throw new UsageError(`${name}: ${SES_ON_AWS}.`);
  if (!isAddressOf(kind, value))
    throw new UsageError(
      `${name} takes an https URL without a user name, or an http URL of this machine, such as http://localhost:9000/events.`,
    );
  const url = new URL(value);
  const problem = undeliverable(url, literal(url), networks);
  if (problem !== undefined) throw new UsageError(`${name} ${problem}.`);
  return value;
}

/** Checks that the secret can sign. `name` is its source. @throws UsageError */
export function checkSecret(name: string, value: string): string {
  if (isSigningSecret(value)) return value;
  throw new UsageError(
    `${name} takes whsec_ and the base64 of 24 to 64 bytes. Leave it out to have a secret generated.`,
  );
}

function checkName(value: string): string {
  const { error } = name().safeParse(value);
  if (error === undefined) return value;
  throw new UsageError(`--name takes ${error.issues[0]?.message}.`);
}

/** The name of the option for a setting that one kind has: `titleHeader` is `--title-header`. */
export function optionOf({ name }: { readonly name: string }): string {
  return name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
}

/** The settings of a kind, read from texts. @throws UsageError */
function checkSettings(kind: EndpointKind, texts: Draft['settings']): KindSettings {
  const settings = Object.entries(texts).map(([name, text]) => {
    const isWhole = KIND_SETTINGS.some(each => each.name === name && each.range) && /^\d+$/.test(text);
    return [name, isWhole ? Number(text) : text];
  });
  const { data, error } = endpointConfig.safeParse({ name: kind, kind, ...Object.fromEntries(settings) });
  if (data !== undefined) return kindSettingsOf(data);
  const [issue] = error.issues as [z.core.$ZodIssue];
  throw new UsageError(`--${optionOf({ name: String(issue.path[0]) })}, allowed: ${issue.message}.`);
}

function addSecret(webhook: Draft | undefined, value: string): void {
  if (webhook?.kind !== 'webhook')
    throw new UsageError('--webhook-secret applies to the preceding --webhook URL: give that first.');
  webhook.secrets.push(checkSecret('--webhook-secret', value));
  if (webhook.secrets.length > 2)
    throw new UsageError(
      `${new URL(webhook.url).origin} has more than two --webhook-secret: give the new one and the old one.`,
    );
}

function addHeader({ kind, headers }: Draft, text: string): void {
  if (KINDS[kind].isMail) throw new UsageError('--header: a mail takes no headers.');
  const [name, value] = readHeader('--header', text);
  if (Object.hasOwn(headers, name)) throw new UsageError(`--header: ${name} is given twice.`);
  headers[name] = value;
  checkHeaders('--header', headers);
}

/** The name and the value of a header. `option` is its source. @throws UsageError, which shows no value */
export function readHeader(option: string, text: string): [name: string, value: string] {
  const header = headerIn(text);
  if (header) return header;
  throw new UsageError(`${option} takes "NAME: VALUE", such as "Authorization: Bearer …".`);
}

/** @throws UsageError for headers that can't be sent */
export function checkHeaders(source: string, headers: EndpointHeaders): EndpointHeaders {
  const problem = headersProblem(headers);
  if (problem === undefined) return headers;
  throw new UsageError(`${source}: ${problem}.`);
}

/** Why every delivery to a URL would be refused; undefined: it would not. `addresses` are those of its host name;
 *  without them, only the URL itself is checked. */
function undeliverable(url: URL, addresses: readonly string[], networks: Networks): string | undefined {
  const { port, hostname } = url;
  // A mail server is asked for TLS.
  const protocol = url.protocol.startsWith('smtp') ? 'https:' : url.protocol;
  if (port === '0') return 'takes a URL with a port other than 0';
  const refused = (address: string) =>
    addressRefusal(address, { protocol, hostname, allowLoopback: true, networks }) !== undefined;
  if (!addresses.some(refused)) return undefined;
  return protocol === 'http:'
    ? 'takes an https URL, or an http URL of this machine'
    : 'takes a URL with a public address, or a URL of this machine';
}

function literal({ hostname }: URL): string[] {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? [] : [address];
}

/** The address of an endpoint, or of the heartbeat; `kind` is the name of its option. */
interface Destination {
  readonly kind: string;
  readonly url: string;
  readonly origin: string;
}

const OWN_NETWORK = 'For a receiver in your own network, see "networks" in docs/configuration.md.';

/** Looks up the addresses of the endpoints' host names; a pull endpoint has none. A lookup that fails or takes longer
 *  than `timeoutMs` is ignored: the host may be reachable later. `onRefusedAddress` gets the problems that another
 *  address would solve, instead of an error.
 *  @throws UsageError for an endpoint that deliveries would refuse; it shows only the origin of a URL */
export async function refuseUndeliverable(
  endpoints: readonly Destination[],
  { resolve, networks }: { readonly resolve: Resolve; readonly networks: Networks },
  timeoutMs: number,
  onRefusedAddress?: (text: string) => void,
): Promise<void> {
  const check = async ({ kind, url: text, origin }: Destination): Promise<void> => {
    const url = new URL(text);
    const lookUp = () => resolve(url.hostname);
    const found = await within(timeoutMs, lookUp, () => new Error('late')).catch(() => []);
    const addresses = found.map(({ address }) => address);
    const problem = undeliverable(url, addresses, networks);
    if (problem === undefined) return;
    const refusal = `--${kind} ${problem} (${origin}). ${OWN_NETWORK}`;
    // Without networks, http to another machine is refused at any address.
    const isLasting = url.protocol === 'http:' && networks.length === 0;
    if (isLasting || !onRefusedAddress) throw new UsageError(refusal);
    onRefusedAddress(refusal);
  };
  const named = endpoints.filter(({ url }) => url !== '' && literal(new URL(url)).length === 0);
  await Promise.all(named.map(check));
}

/** Each has a list of texts; conditions on values are separate options, and `where` has JSON. */
const LISTS: readonly string[] = FILTER_KEYS.filter(key => key !== 'values' && key !== 'where');
const KEYS = [...LISTS, ...CONDITIONS.map(condition => `${condition}:FIELD`), 'where'];
const EXAMPLE = '--filter events=task.updated,task.created --filter to:status=Done';

const CONDITIONS_EXAMPLE = 'where={"dueDate": {"moved": "later"}}';

type Read = Record<string, string[]>;

/** The filter of an endpoint from its `--filter key=value,value` options. Several values of one key mean any of them.
 *  Conditions on the same field (`from:status=Open`, `to:status=Done`) become one condition.
 *  @throws UsageError that names the key and the allowed values */
export function filterOption(options: readonly string[]): EndpointFilter {
  const lists: Read = {};
  const fields = new Map<string, Read>();
  const where: Json[] = [];
  for (const option of options) {
    const [, key = '', text = ''] = /^([^=]*)=(.*)$/s.exec(option) ?? [];
    if (key === '') throw new UsageError(`--filter takes key=value, such as ${EXAMPLE}.`);
    if (key === 'where') {
      where.push(...conditionsIn(text));
      continue;
    }
    const values = text.split(',').map(value => value.trim());
    const [, condition = '', field = ''] = /^([a-z]+):(.+)$/s.exec(key) ?? [];
    if (CONDITIONS.some(each => each === condition)) {
      const asked = fields.get(field) ?? {};
      fields.set(field, add(asked, condition, values));
    } else if (LISTS.includes(key)) add(lists, key, values);
    else throw unknown(key);
  }
  const conditions = [...fields].map(([field, asked]) => ({ field, ...asked }));
  const read = {
    ...lists,
    ...(conditions.length > 0 && { values: conditions }),
    ...(where.length > 0 && { where }),
  };
  const parsed = endpointFilter.safeParse(read);
  if (parsed.success) return matching(parsed.data);
  const [issue] = parsed.error.issues;
  const [key, index, condition] = issue?.path ?? [];
  const asked = key === 'values' ? [...fields][Number(index)] : undefined;
  const [name, value] = asked
    ? tooLong(asked, String(condition))
    : [String(key), lists[String(key)]?.[Number(index)]];
  throw new UsageError(`--filter ${name}=: found ${shown(value)}; allowed: ${issue?.message}.`);
}

/** The groups of conditions in a text, which are alternatives. @throws UsageError, which quotes no text of them */
function conditionsIn(text: string): readonly Json[] {
  const found = jsonOf(text);
  const read = checkedBy(endpointFilter, { where: found });
  if (found !== undefined && !('problems' in read)) return Array.isArray(found) ? found : [found];
  if (found === undefined)
    throw new UsageError(`--filter where takes JSON, such as --filter '${CONDITIONS_EXAMPLE}'.`);
  const problems = 'problems' in read ? read.problems : [];
  throw new UsageError(`--filter ${withoutRoot(problems.join('\n'))}.`);
}

/** Which text of a condition is too long, the only reason to refuse a condition: the field's name or a value. */
function tooLong([field, asked]: [string, Read], key: string): [name: string, value: string | undefined] {
  if (key === 'field') return [`${Object.keys(asked)[0]}:FIELD`, field];
  return [`${key}:${field}`, asked[key]?.find(({ length }) => length > MAX_TEXT_LENGTH)];
}

/** @throws UsageError for a filter that no event can match */
function matching(filter: EndpointFilter): EndpointFilter {
  const [problem] = neverMatching(filter, []);
  if (problem !== undefined) throw new UsageError(`--filter: ${problem.replaceAll('changewire.', '')}.`);
  return filter;
}

function add(read: Read, key: string, values: readonly string[]): Read {
  read[key] = [...(read[key] ?? []), ...values];
  return read;
}

function unknown(key: string): UsageError {
  const meant = nearest(key, KEYS);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return new UsageError(`--filter: unknown key ${shown(key)}; allowed keys: ${KEYS.join(', ')}.${hint}`);
}
