import { nearest } from '../../functions/basics/nearest.ts';
import { shown } from '../../functions/config/problems.ts';
import { UsageError } from '../basics/usage-error.ts';
import type { WantedEndpoint } from '../settings/wanted-endpoints.ts';
import type { WantedSubscription } from '../settings/wanted-subscriptions.ts';
import { subscriberName } from '../sns/sns.ts';

/** The names under which the deliveries of those are kept whose dead letters are to be sent again.
 *  @throws UsageError for a name that no endpoint or subscription of this run has */
export function resendOf(
  names: readonly string[],
  endpoints: readonly Pick<WantedEndpoint, 'name'>[],
  subscriptions: readonly Pick<WantedSubscription, 'name' | 'label'>[],
): ReadonlySet<string> {
  const known = new Map([
    ...subscriptions.map(({ name, label }) => [label, subscriberName(name)] as const),
    ...endpoints.map(({ name }) => [name, name] as const),
  ]);
  return new Set(names.map(name => known.get(name) ?? refuse(name, [...known.keys()])));
}

function refuse(name: string, known: readonly string[]): never {
  const meant = nearest(name, known);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  const others = known.length === 0 ? 'this start has no endpoint' : `this start has ${known.join(', ')}`;
  throw new UsageError(`--resend takes the name of an endpoint: ${others}, and no ${shown(name)}.${hint}`);
}
