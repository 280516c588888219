import type { ProcessKey } from '../../basics/process.ts';
import type { Log } from '../../basics/telemetry.ts';

/** Logs a condition that lasts from pass to pass only once: what was reported is kept in the state of the process. So nothing is logged
 *  before a pass saves its state: a pass that fails would report the same as all those after it. */
export class Reports {
  readonly #process: ProcessKey;
  readonly #log: Log;
  readonly #known: readonly string[];
  readonly #reported: Set<string>;
  readonly #new: (readonly [message: string, details: object])[] = [];

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
    this.#new.push([message, { ...this.#process, code, ...details }]);
  }

  /** Logs what is new. @returns the part of the state to be written; empty when nothing is new */
  logAndSave(): { readonly reported?: readonly string[] } {
    for (const [message, details] of this.#new) this.#log.warn(message, details);
    return this.#new.length > 0 ? { reported: [...this.#reported] } : {};
  }
}
