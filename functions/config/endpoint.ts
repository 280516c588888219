import type * as z from 'zod';
import { eitherOf } from '../basics/names-in-words.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import { bySetting, KIND_NAMES, KIND_SETTINGS, KINDS, type KindSettingName } from '../model/kinds.ts';
import { attributeFilter, endpointFilter, neverMatching } from './filter.ts';
import { checkedBy, withoutRoot } from './problems.ts';
import { address, choice, duration, formed, key, object, remedies, text, whole, yesNo } from './values.ts';
import { name } from './workspace.ts';

const ELSEWHERE =
  'it is secret and belongs elsewhere: on AWS in an SSM parameter, on one machine in a variable ENDPOINT_…; see "endpoints" in ' +
  'docs/configuration.md';

const OTHERWISE: Readonly<Record<KindSettingName, string>> = {
  batch: 'one event in each request',
  window: 'each change at once',
  digest: 'each change at once',
  quiet: 'none',
  preset: 'none',
  field: '`"text"`',
  titleHeader: 'the title is the first line of the text',
  channel: 'required',
  from: 'required',
  to: 'required',
  direct: 'the channel alone',
  locale: 'as the service writes them',
  timeZone: 'UTC',
};

const kindSettings = bySetting({
  text: setting => {
    const { choices, form } = setting;
    const plain = form
      ? formed(form.allowed, form.has)
      : text(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, "-" and "_"');
    return kindKey(setting, (choices ? choice(choices) : plain).optional());
  },
  whole: (setting, [least, most]) => kindKey(setting, whole(least, most).optional()),
});

function kindKey<Schema extends z.ZodType>(
  { name, kinds, what, notBeside, onlyBeside }: (typeof KIND_SETTINGS)[number],
  schema: Schema,
): Schema {
  const beside = notBeside ? `, without \`${notBeside}\`` : onlyBeside ? ` with \`${onlyBeside}\`` : '';
  const where = kinds.length > 1 ? 'in a chat' : `with \`"kind": "${kinds[0]}"\``;
  return key(schema, `Only ${where}${beside}: ${what}.`, OTHERWISE[name]);
}

/** Requests a second. */
export const perSecond = () => whole(1, 100);

/** One endpoint of the configuration. Its address is a secret, so it is not part of the configuration. */
export const endpointConfig = object({
  name: key(name(), 'Unique among endpoints and subscriptions.'),
  kind: key(
    choice(KIND_NAMES),
    'A [signed webhook](receiving.md), a Slack incoming webhook, a [Slack app](chat.md#slack-as-an-app), a Teams Workflows URL, a chat that takes [plain text](chat.md#plain-text), [e-mail](email.md), or events that a consumer [takes](pull.md).',
  ),
  filter: key(endpointFilter.optional(), 'The events that the endpoint gets.', 'every event'),
  perSecond: key(
    perSecond().optional(),
    'The maximum number of deliveries per second while a backlog is drained.',
    '`1` for a chat; else `10`, doubled every 15 s up to 100 while all deliveries succeed',
  ),
  keepSuccesses: key(
    yesNo().optional(),
    'Whether successful attempts are kept, as failed ones are. `false` saves a write per delivery.',
    '`true`',
  ),
  record: key(
    yesNo().optional(),
    'Not in a chat. `false` leaves `project.record` and `task.record` out of the events; `truncated` then names `record`.',
    '`true`',
  ),
  ...kindSettings,
} satisfies Record<keyof EndpointSettings, z.ZodType>)
  .superRefine(onlyOfItsKind)
  .register(remedies, { url: ELSEWHERE, secret: ELSEWHERE, secrets: ELSEWHERE });

function onlyOfItsKind(endpoint: EndpointSettings, { addIssue }: z.RefinementCtx): void {
  const refuse = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
  if (endpoint.record !== undefined && KINDS[endpoint.kind].queue === 'chat')
    refuse('record', 'only in an endpoint of kind "webhook" or "pull"');
  const given = KIND_SETTINGS.filter(({ name }) => endpoint[name] !== undefined);
  for (const { name, kinds, isRequired, form } of KIND_SETTINGS)
    if (isRequired && kinds.includes(endpoint.kind) && endpoint[name] === undefined)
      refuse(name, form?.allowed ?? 'a value');
  for (const { name, kinds, notBeside, onlyBeside } of given) {
    if (!kinds.includes(endpoint.kind))
      refuse(name, `only in an endpoint of kind ${eitherOf(kinds.map(kind => `"${kind}"`))}`);
    else if (notBeside !== undefined && Object.hasOwn(endpoint, notBeside))
      refuse(name, `only without "${notBeside}"`);
    else if (onlyBeside !== undefined && !Object.hasOwn(endpoint, onlyBeside))
      refuse(name, `only with "${onlyBeside}"`);
  }
  const { needsOneOf = [] } = KINDS[endpoint.kind];
  if (needsOneOf.length > 0 && needsOneOf.every(name => endpoint[name as KindSettingName] === undefined))
    refuse(
      needsOneOf[0] as string,
      `${eitherOf(needsOneOf.map(name => `"${name}"`))}, which kind "${endpoint.kind}" needs`,
    );
}

/** The path of the SSM parameters with the endpoints' addresses and the signing secrets of webhooks,
 *  followed by an endpoint's name. It is a convention, so that the functions get permission for the path
 *  instead of each parameter, and endpoints can be added at run time. */
export function secretsPath(stackName: string): string {
  return `/changewire/${stackName}/endpoints/`;
}

/** Checks settings of an endpoint in the form of the configuration. Returns them, or their problems, one
 *  line each, in the same words as for the configuration. */
export function checkEndpoint(
  settings: unknown,
): { readonly settings: EndpointSettings } | { readonly problems: readonly string[] } {
  const result = checkedBy(endpointConfig, settings, ({ filter = {} }) => neverMatching(filter, ['filter']));
  if ('problems' in result) return { problems: result.problems.map(withoutRoot) };
  return { settings: result.parsed };
}

/** SNS's delivery policy for HTTP(S). All tries together may take an hour. */
const delivery = object({
  minDelay: key(duration('1s', '1h').prefault('1s'), 'The shortest delay between two attempts.'),
  maxDelay: key(duration('1s', '1h').prefault('60s'), 'The longest delay; at least `minDelay`.'),
  retries: key(whole(0, 100).default(50), 'The number of retries in all phases.'),
  noDelayRetries: key(whole(0, 100).default(3), 'Retries of the first phase, without a delay.'),
  minDelayRetries: key(whole(0, 100).default(2), 'Retries of the second phase, `minDelay` apart.'),
  maxDelayRetries: key(whole(0, 100).default(35), 'Retries of the last phase, `maxDelay` apart.'),
  backoff: key(
    choice(['linear', 'arithmetic', 'geometric', 'exponential']).default('exponential'),
    'How the delay grows from the second phase to the last.',
  ),
  maxPerSecond: key(whole(1, 1_000).optional(), 'The maximum number of deliveries per second.', 'no limit'),
  contentType: key(
    choice(['application/json', 'text/plain; charset=UTF-8']).optional(),
    'The `Content-Type` header that SNS sends.',
    '`text/plain; charset=UTF-8`',
  ),
});

/** One native subscription: an HTTP(S) receiver that SNS itself delivers to. */
export const subscriptionConfig = object({
  name: key(
    name(),
    'Identifies the subscription in alarms and queues. To rename it, remove it and deploy, then add it and deploy.',
  ),
  url: key(
    address('http', 'https'),
    'The address to which SNS posts, once the receiver confirmed the subscription.',
  ),
  allowInsecure: key(
    yesNo().default(false),
    'Accepts an http:// address of another machine. Events then travel unencrypted.',
  ),
  raw: key(
    yesNo().default(false),
    "Sends the event alone as the body, without SNS's envelope, which carries the signature.",
  ),
  filter: key(attributeFilter.optional(), 'The events that the receiver gets.', 'every event'),
  delivery: key(delivery.prefault({}), 'How SNS retries.'),
});

export type DeliveryConfig = z.infer<typeof delivery>;
export type SubscriptionConfig = z.infer<typeof subscriptionConfig>;

/** CloudFormation's limit for one stack. */
export const MAX_RESOURCES = 500;
/** A subscription, its dead-letter queue, and that queue's policy. */
export const RESOURCES_OF_SUBSCRIPTION = 3;
/** Native subscriptions of one configuration: they share a stack. */
export const MAX_SUBSCRIPTIONS = Math.floor(MAX_RESOURCES / RESOURCES_OF_SUBSCRIPTION);
