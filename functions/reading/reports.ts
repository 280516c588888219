import type { ProcessKey } from '../basics/process.ts';
import type { Log } from '../basics/telemetry.ts';

/** Says what stays true from pass to pass just once: what was said is kept with the process's state. */
export class Reports {
  readonly #process: ProcessKey;
  readonly #log: Log;
  readonly #known: readonly string[];
  readonly #reported: Set<string>;
  #isNew = false;

  /** `reported` in earlier passes; what is `known` by the configuration needs no report. */
  constructor(process: ProcessKey, log: Log, reported: readonly string[], known: readonly string[]) {
    this.#process = process;
    this.#log = log;
    this.#known = known;
    this.#reported = new Set(reported);
  }

  once(code: string, message: string, details: object = {}): void {
    if (this.#known.includes(code) || this.#reported.has(code)) return;
    this.#reported.add(code);
    this.#isNew = true;
    this.#log.warn(message, { ...this.#process, code, ...details });
  }

  /** What the state is to remember, where that is more than it did. */
  toSave(): { readonly reported?: readonly string[] } {
    return this.#isNew ? { reported: [...this.#reported] } : {};
  }
}
