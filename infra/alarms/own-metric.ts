import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';

/** The metrics of Changewire. A minute without data means 0, except for `OldestPassAge`, which every tick writes. */
export type OwnMetric =
  | 'DeliveriesDead'
  | 'Delivered'
  | 'DeliveryFailed'
  | 'EndpointStopped'
  | 'EndpointsFailing'
  | 'FirstAttemptLag'
  | 'OldestPassAge'
  | 'OldestRetry'
  | 'ProcessesOnHold'
  | 'ProcessesLate'
  | 'ProcessesWithRechecks'
  | 'ReadingStopped'
  | 'FailedMessages'
  | 'SubscriptionsUndelivered'
  | 'SubscriptionsUnconfirmed';

/** A metric of the stack with this name. Its dimension must be exactly the one that the functions write
 *  (infra/parts/handler.ts). */
export function ownMetric(
  name: string,
  metricName: OwnMetric,
  statistic: string,
  period = Duration.minutes(1),
): Metric {
  return new Metric({
    namespace: 'Changewire',
    metricName,
    dimensionsMap: { service: name },
    statistic,
    period,
  });
}
