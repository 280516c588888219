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
