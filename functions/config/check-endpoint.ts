import type { EndpointSettings } from '../model/endpoint.ts';
import { endpointConfig } from './endpoint.ts';
import { neverMatching } from './never-matching.ts';
import { problems, withoutRoot } from './problems.ts';

/** Checks settings of an endpoint as the configuration has them: returns them, or what is wrong with
 *  them, one line each, in the same words as for the configuration. */
export function checkEndpoint(
  settings: unknown,
): { readonly settings: EndpointSettings } | { readonly problems: readonly string[] } {
  const parsed = endpointConfig.safeParse(settings);
  const found = parsed.success
    ? neverMatching(parsed.data.filter ?? {}, ['filter'])
    : problems(endpointConfig, parsed.error, settings);
  if (parsed.success && found.length === 0) return { settings: parsed.data };
  return { problems: found.map(withoutRoot) };
}
