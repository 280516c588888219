import type * as z from 'zod';
import type { EndpointSettings } from '../model/endpoint.ts';
import { bySetting, KIND_NAMES, KIND_SETTINGS } from '../model/kinds.ts';
import { attributeFilter, endpointFilter, neverMatching } from './filter.ts';
import { checkedBy, withoutRoot } from './problems.ts';
import { address, choice, duration, object, remedies, text, whole, yesNo } from './values.ts';
import { name } from './workspace.ts';

const ELSEWHERE =
  'it is secret, and stands elsewhere: on AWS in a parameter of SSM, on one machine in a variable ENDPOINT_…; see "endpoints" in ' +
  'docs/configuration.md';

const kindSettings = bySetting(({ choices }) =>
  (choices
    ? choice(choices)
    : text(/^[A-Za-z0-9_-]{1,64}$/, '1 to 64 letters, digits, "-" and "_"')
  ).optional(),
);

/** Requests a second. */
export const perSecond = () => whole(1, 100);

/** One endpoint of the configuration. Its address is a secret, and so not part of the configuration. */
export const endpointConfig = object({
  name: name(),
  kind: choice(KIND_NAMES),
  filter: endpointFilter.optional(),
  perSecond: perSecond().optional(),
  keepSuccesses: yesNo().optional(),
  ...kindSettings,
} satisfies Record<keyof EndpointSettings, z.ZodType>)
  .superRefine(onlyOfItsKind)
  .register(remedies, { url: ELSEWHERE, secret: ELSEWHERE, secrets: ELSEWHERE });

function onlyOfItsKind(endpoint: EndpointSettings, { addIssue }: z.RefinementCtx): void {
  const refuse = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
  for (const { name, kind, notBeside } of KIND_SETTINGS.filter(({ name }) => endpoint[name] !== undefined)) {
    if (kind !== endpoint.kind) refuse(name, `only in an endpoint of kind "${kind}"`);
    else if (notBeside !== undefined && Object.hasOwn(endpoint, notBeside))
      refuse(name, `only without "${notBeside}"`);
  }
}

/** The path of the SSM parameters that hold the endpoints' addresses and a webhook's signing secrets; an
 *  endpoint's name follows it. It is a convention, so that the functions get permission for the path
 *  instead of each parameter, and endpoints can be added while they run. */
export function secretsPath(stackName: string): string {
  return `/changewire/${stackName}/endpoints/`;
}

/** Checks settings of an endpoint as the configuration has them: returns them, or what is wrong with
 *  them, one line each, in the same words as for the configuration. */
export function checkEndpoint(
  settings: unknown,
): { readonly settings: EndpointSettings } | { readonly problems: readonly string[] } {
  const result = checkedBy(endpointConfig, settings, ({ filter = {} }) => neverMatching(filter, ['filter']));
  if ('problems' in result) return { problems: result.problems.map(withoutRoot) };
  return { settings: result.parsed };
}

/** SNS's delivery policy for HTTP(S). SNS limits it: all tries together may take an hour. */
const delivery = object({
  minDelay: duration('1s', '1h').prefault('1s'),
  maxDelay: duration('1s', '1h').prefault('60s'),
  retries: whole(0, 100).default(50),
  noDelayRetries: whole(0, 100).default(3),
  minDelayRetries: whole(0, 100).default(2),
  maxDelayRetries: whole(0, 100).default(35),
  backoff: choice(['linear', 'arithmetic', 'geometric', 'exponential']).default('exponential'),
  maxPerSecond: whole(1, 1_000).optional(),
  contentType: choice(['application/json', 'text/plain; charset=UTF-8']).optional(),
});

/** One native subscription: an HTTP(S) receiver that SNS itself delivers to. */
export const subscriptionConfig = object({
  name: name(),
  url: address('http', 'https'),
  allowInsecure: yesNo().default(false),
  raw: yesNo().default(false),
  filter: attributeFilter.optional(),
  delivery: delivery.prefault({}),
});

export type DeliveryConfig = z.infer<typeof delivery>;
export type SubscriptionConfig = z.infer<typeof subscriptionConfig>;

/** CloudFormation's limit of one stack. */
export const MAX_RESOURCES = 500;
/** A subscription, its dead-letter queue, and that queue's policy. */
export const RESOURCES_OF_SUBSCRIPTION = 3;
/** Native subscriptions of one configuration: they share a stack. */
export const MAX_SUBSCRIPTIONS = Math.floor(MAX_RESOURCES / RESOURCES_OF_SUBSCRIPTION);
