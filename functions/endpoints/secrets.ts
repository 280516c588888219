import type { Clock } from '../clock.ts';
import { isMissingSecret } from '../missing-secret.ts';
import type { EndpointSecret, EndpointSettings } from './endpoint.ts';
import { makeIt, parseSecret, remedy } from './secret.ts';

/** Long enough that a busy queue costs one request a minute, short enough that a rotation is over within one. */
const KEPT_MS = 60_000;

export type ReadEndpointSecret = (endpoint: EndpointSettings) => Promise<EndpointSecret>;

/** Reads endpoints' secrets and keeps each for a minute; failures are not kept.
 *  @throws an error that names the endpoint, its secret and the remedy, never what the secret holds. */
export function createSecrets(
  readSecret: (secretId: string) => Promise<string>,
  clock: Clock,
): ReadEndpointSecret {
  const kept = new Map<string, { secret: EndpointSecret; until: number }>();
  return async endpoint => {
    const known = kept.get(endpoint.name);
    if (known && clock() < known.until) return known.secret;
    const secret = parseSecret(endpoint, await read(endpoint));
    kept.set(endpoint.name, { secret, until: clock() + KEPT_MS });
    return secret;
  };

  async function read({ name, kind, secret }: EndpointSettings): Promise<string> {
    try {
      return await readSecret(secret);
    } catch (error) {
      // The name alone: a message could quote a request.
      const why = error instanceof Error ? error.name : 'unknown error';
      const first = isMissingSecret(error) ? makeIt : remedy;
      throw new Error(`Endpoint ${name}: secret ${secret} can not be read (${why}). ${first(kind, secret)}`);
    }
  }
}
