/** Where handlers log. Powertools' logger fits; so does the output of a local run. */
export interface Log {
  info(message: string, details?: object): void;
  warn(message: string, details?: object): void;
  error(message: string, details?: object): void;
}

/** Values by the names of their metrics. An array has one value for each measurement, from which CloudWatch
 *  computes percentiles. */
export type Values = Readonly<Record<string, number | readonly number[]>>;

/** Takes the metrics of one run. They concern the stack as a whole: those of a process or endpoint are in the
 *  log, in rows and in `status`. */
export type Count = (values: Values) => void;

/** Leaves out what is zero or empty: CloudWatch bills each metric for the hours in which it has data. */
export function present(values: Values): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) =>
      typeof value === 'number' ? value !== 0 : value.length > 0,
    ),
  );
}

/** Adds up the values of a run's parts, to be written together at its end. */
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
