import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Where handlers say what they met. Powertools' logger fits; so does the output of a local run. */
export interface Log {
  info(message: string, details?: object): void;
  warn(message: string, details?: object): void;
  error(message: string, details?: object): void;
}

/** Counts for alarms: a name, a value, and what the value belongs to. */
export type Count = (name: string, value: number, dimensions?: Record<string, string>) => void;

/** The Lambda function's log, as JSON lines. */
export function lambdaLog(): Log {
  const logger = new Logger();
  return {
    info: (message, details) => logger.info(message, { ...details }),
    warn: (message, details) => logger.warn(message, { ...details }),
    error: (message, details) => logger.error(message, { ...details }),
  };
}

/** The Lambda function's metrics, in CloudWatch's embedded format: each with dimensions of its own. */
export function lambdaCount(): Count {
  const metrics = new Metrics();
  return (name, value, dimensions = {}) => {
    const single = metrics.singleMetric();
    for (const [dimension, text] of Object.entries(dimensions)) single.addDimension(dimension, text);
    single.addMetric(name, MetricUnit.Count, value);
  };
}
