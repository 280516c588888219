import type { Log } from '../basics/telemetry.ts';
import type { ProcessKey } from '../snapshots/snapshots.ts';

/** Says what stays true from pass to pass just once: what was said is kept with the process's state. */
export class Reports {
  readonly #process: ProcessKey;
  readonly #log: Log;
  readonly #codes: Set<string>;

  constructor(process: ProcessKey, log: Log, reported: readonly string[]) {
    this.#process = process;
    this.#log = log;
    this.#codes = new Set(reported);
  }

  once(code: string, message: string, details: object = {}): void {
    if (this.#codes.has(code)) return;
    this.#codes.add(code);
    this.#log.warn(message, { ...this.#process, code, ...details });
  }

  toSave(): string[] {
    return [...this.#codes];
  }
}
