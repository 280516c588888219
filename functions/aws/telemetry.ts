import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Count, Log } from '../basics/telemetry.ts';

/** The Lambda function's log, as JSON lines. */
export function lambdaLog(): Log {
  const logger = new Logger();
  return {
    info: (message, details) => logger.info(message, { ...details }),
    warn: (message, details) => logger.warn(message, { ...details }),
    error: (message, details) => logger.error(message, { ...details }),
  };
}

/** Units of the metrics that are not counts. */
const UNITS: Readonly<Record<string, (typeof MetricUnit)[keyof typeof MetricUnit]>> = {
  FirstAttemptLag: MetricUnit.Milliseconds,
  OldestPassAge: MetricUnit.Seconds,
  OldestRetry: MetricUnit.Seconds,
};

/** The Lambda function's metrics in CloudWatch's embedded format: a line for each call, with `service` as
 *  the only dimension. Without values nothing is written. A line holds 100 values of a metric; the rest
 *  goes to further lines. */
export function lambdaCount(): Count {
  const metrics = new Metrics();
  return values => {
    for (const [name, value] of Object.entries(values))
      for (const each of [value].flat()) metrics.addMetric(name, UNITS[name] ?? MetricUnit.Count, each);
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
}
