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

/** The most ids in one line of the log: it stays readable, and far below CloudWatch's limit for a line. */
export const MAX_IDS = 200;

/** Logs, at level info, what became of events, so that each can be found by its id. With more than
 *  `MAX_IDS`, several lines have the same details. Of an event, only the id is logged. */
export function logEvents(log: Log, message: string, ids: readonly string[], details: object = {}): void {
  const lines = Math.max(1, Math.ceil(ids.length / MAX_IDS));
  for (let line = 0; line < lines; line++)
    log.info(message, { ...details, events: ids.slice(line * MAX_IDS, (line + 1) * MAX_IDS) });
}

/** Collects ids of events whose number is not known beforehand. A full line is written at once, so that no
 *  more ids than that are buffered. */
export class EventLines {
  readonly #write: (ids: readonly string[]) => void;
  #ids: string[] = [];

  constructor(write: (ids: readonly string[]) => void) {
    this.#write = write;
  }

  add(ids: readonly string[]): void {
    for (const id of ids) {
      if (this.#ids.length === MAX_IDS) this.#write(this.rest());
      this.#ids.push(id);
    }
  }

  /** The ids that no line has yet; they are forgotten here. */
  rest(): readonly string[] {
    const rest = this.#ids;
    this.#ids = [];
    return rest;
  }
}
