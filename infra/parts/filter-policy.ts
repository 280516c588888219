import { SubscriptionFilter, type SubscriptionProps } from 'aws-cdk-lib/aws-sns';
import type { AttributeFilter } from '../../functions/config/filter.ts';

/** A filter policy on message attributes. Of `changedFields`, a String.Array, one matching value is enough. A filter
 *  without keys returns no policy: every event matches. */
export function filterPolicy(filter: AttributeFilter = {}): Pick<SubscriptionProps, 'filterPolicy'> {
  const policy = Object.entries(filter).map(([attribute, allowlist = []]) => [
    attribute,
    SubscriptionFilter.stringFilter({ allowlist }),
  ]);
  return policy.length === 0 ? {} : { filterPolicy: Object.fromEntries(policy) };
}
