import { SubscriptionFilter, type SubscriptionProps } from 'aws-cdk-lib/aws-sns';
import type { AttributeFilter } from '../config/filter.ts';

/** Over message attributes, SNS's default scope: `changedFields` is a String.Array, which matches by any of its values.
 *  A filter without keys is none: every event matches. */
export function filterPolicy(filter: AttributeFilter = {}): Pick<SubscriptionProps, 'filterPolicy'> {
  const policy = Object.entries(filter).map(([attribute, allowlist = []]) => [
    attribute,
    SubscriptionFilter.stringFilter({ allowlist }),
  ]);
  return policy.length === 0 ? {} : { filterPolicy: Object.fromEntries(policy) };
}
