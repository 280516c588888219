import type { z } from 'zod';
import type { EndpointKind } from '../../functions/endpoints/endpoint.ts';
import { endpointFilter } from './filter.ts';
import { choice, object } from './values.ts';
import { name, secretName } from './workspace.ts';

const KINDS = ['webhook', 'slack', 'teams'] as const satisfies readonly EndpointKind[];

/** One receiver that the deliver function serves. Its address is a secret, and so not part of the configuration. */
export const endpointConfig = object({
  name: name(),
  kind: choice(KINDS),
  secret: secretName().optional(),
  filter: endpointFilter.optional(),
});

export type EndpointConfig = z.infer<typeof endpointConfig>;

/** The secret that holds an endpoint's address, and a webhook's signing secrets. */
export function endpointSecretName(endpoint: EndpointConfig): string {
  return endpoint.secret ?? `changewire/endpoint/${endpoint.name}`;
}
