import type { Clock } from '../basics/clock.ts';
import type { EndpointSecret, EndpointSettings } from './endpoint.ts';
import { parseSecret, remedy, type SecretStore } from './secret.ts';

/** Short enough that a rotated secret is used within half a minute. */
const KEPT_MS = 20_000;

export type ReadEndpointSecret = (
  endpoint: Pick<EndpointSettings, 'name' | 'kind'>,
) => Promise<EndpointSecret>;

/** Reads endpoints' secrets and keeps each for 20 s; failures are not kept.
 *  @throws an error that names the endpoint, its secret and the remedy, never what the secret holds. */
export function createSecrets(store: SecretStore, clock: Clock): ReadEndpointSecret {
  const kept = new Map<string, { secret: EndpointSecret; until: number }>();
  return async endpoint => {
    const known = kept.get(endpoint.name);
    if (known && clock() < known.until) return known.secret;
    const secret = parseSecret(endpoint, store, await read(endpoint));
    kept.set(endpoint.name, { secret, until: clock() + KEPT_MS });
    return secret;
  };

  async function read(endpoint: Pick<EndpointSettings, 'name' | 'kind'>): Promise<string> {
    const { name } = endpoint;
    try {
      return await store.read(name);
    } catch (error) {
      // Only the error's name: its message could quote a request.
      const why = error instanceof Error ? error.name : 'unknown error';
      throw new Error(
        `Endpoint ${name}: secret ${store.nameOf(name)} can not be read (${why}). ${remedy(endpoint, store)}`,
      );
    }
  }
}
