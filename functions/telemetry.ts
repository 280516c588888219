import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

/** Where handlers say what they met. Powertools' logger fits; so does the output of a local run. */
export interface Log {
  info(message: string, details?: object): void;
  warn(message: string, details?: object): void;
  error(message: string, details?: object): void;
}

/** Values by the names of their metrics; of an array each value is one, so that CloudWatch knows their percentiles. */
export type Values = Readonly<Record<string, number | readonly number[]>>;

/** Takes the metrics of one run, of the stack as a whole: what each process or endpoint has is in the log, in rows and in `status`. */
export type Count = (values: Values) => void;

/** The Lambda function's log, as JSON lines. */
export function lambdaLog(): Log {
  const logger = new Logger();
  return {
    info: (message, details) => logger.info(message, { ...details }),
    warn: (message, details) => logger.warn(message, { ...details }),
    error: (message, details) => logger.error(message, { ...details }),
  };
}

/** Only what there is something to tell of: CloudWatch bills each metric for the hours in which it has data. */
export function present(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) =>
      typeof value === 'number' ? value !== 0 : value.length > 0,
    ),
  );
}

/** Keeps the values of a run's parts, to be told together at its end. */
export class Gathered {
  readonly #values: Record<string, number | readonly number[]> = {};

  readonly add: Count = values => {
    for (const [name, value] of Object.entries(values)) {
      const before = this.#values[name] ?? (typeof value === 'number' ? 0 : []);
      this.#values[name] =
        typeof before === 'number' && typeof value === 'number' ? before + value : [before, value].flat();
    }
  };

  get values(): Values {
    return this.#values;
  }
}

/** What is no number of things. */
const UNITS: Readonly<Record<string, (typeof MetricUnit)[keyof typeof MetricUnit]>> = {
  FirstAttemptLag: MetricUnit.Milliseconds,
  OldestPassAge: MetricUnit.Seconds,
};

/** The Lambda function's metrics, in CloudWatch's embedded format: a line for each call, with the one dimension `service`. Nothing is written of
 *  no values. CloudWatch takes 100 values of a metric in a line: more are told in further lines. */
export function lambdaCount(): Count {
  const metrics = new Metrics();
  return values => {
    for (const [name, value] of Object.entries(values))
      for (const each of [value].flat()) metrics.addMetric(name, UNITS[name] ?? MetricUnit.Count, each);
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
  };
}
