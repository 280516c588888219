import type { ProcessKey } from '../basics/process.ts';
import type { Log } from '../basics/telemetry.ts';

/** Logs a condition that lasts from pass to pass only once: what was reported is kept in the state of the process. */
export class Reports {
  readonly #process: ProcessKey;
  readonly #log: Log;
  readonly #known: readonly string[];
  readonly #reported: Set<string>;
  #isNew = false;

  /** `reported`: the codes logged by earlier passes; `known`: the codes that the configuration states, which are never logged. */
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

  /** The part of the state to be written; empty when nothing new was reported. */
  toSave(): { readonly reported?: readonly string[] } {
    return this.#isNew ? { reported: [...this.#reported] } : {};
  }
}
