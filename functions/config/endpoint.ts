import type { EndpointKind } from '../model/endpoint.ts';
import { endpointFilter } from './filter.ts';
import { choice, object, remedies, whole, yesNo } from './values.ts';
import { name } from './workspace.ts';

const KINDS = ['webhook', 'slack', 'teams'] as const satisfies readonly EndpointKind[];

const ELSEWHERE =
  'it is secret, and stands elsewhere: on AWS in a parameter of SSM, on one machine in a variable ENDPOINT_…; see "endpoints" in ' +
  'docs/configuration.md';

/** One endpoint of the configuration. Its address is a secret, and so not part of the configuration. */
export const endpointConfig = object({
  name: name(),
  kind: choice(KINDS),
  filter: endpointFilter.optional(),
  perSecond: whole(1, 100).optional(),
  keepSuccesses: yesNo().optional(),
}).register(remedies, { url: ELSEWHERE, secret: ELSEWHERE, secrets: ELSEWHERE });

/** The path of the SSM parameters that hold the endpoints' addresses and a webhook's signing secrets; an
 *  endpoint's name follows it. It is a convention, so that the functions get permission for the path
 *  instead of each parameter, and endpoints can be added while they run. */
export function secretsPath(stackName: string): string {
  return `/changewire/${stackName}/endpoints/`;
}
