import type { Mode, ProcessKey } from '../../functions/basics/process.ts';

/** How the passes over one process went in this run; times are ours, in ms since 1970. */
export interface Freshness {
  /** When the run began. */
  readonly startedAt: number;
  /** When a pass last read or completed something; before that, the start of the run. */
  readonly movedAt: number;
  /** When a sweep was last completed; before that, the start of the run. */
  readonly sweptAt: number;
  /** Why the last pass of each mode failed; undefined when it did not. */
  readonly failures: Readonly<Partial<Record<Mode, string>>>;
}

/** Remembers how the passes of a run go. */
export class PassWatch {
  readonly #startedAt: number;
  readonly #processes = new Map<string, Freshness>();

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** As it is `now`. Where a clock was set back since, time counts from now on. */
  of(process: ProcessKey, now: number): Freshness {
    const known = this.#of(process);
    const { startedAt, movedAt, sweptAt } = known;
    if (Math.max(startedAt, movedAt, sweptAt) <= now) return known;
    const past = (at: number) => Math.min(at, now);
    this.#set(process, { startedAt: past(startedAt), movedAt: past(movedAt), sweptAt: past(sweptAt) });
    return this.#of(process);
  }

  /** A pass has read something, and goes on. */
  moved(process: ProcessKey, at: number): void {
    this.#set(process, { movedAt: at });
  }

  /** A pass was completed. */
  passed(process: ProcessKey, mode: Mode, at: number): void {
    const failures = { ...this.#of(process).failures };
    delete failures[mode];
    this.#set(process, { movedAt: at, failures, ...(mode === 'sweep' && { sweptAt: at }) });
  }

  failed(process: ProcessKey, mode: Mode, reason: string): void {
    this.#set(process, { failures: { ...this.#of(process).failures, [mode]: reason } });
  }

  #of(process: ProcessKey): Freshness {
    const startedAt = this.#startedAt;
    const fresh = { startedAt, movedAt: startedAt, sweptAt: startedAt, failures: {} };
    return this.#processes.get(keyOf(process)) ?? fresh;
  }

  #set(process: ProcessKey, change: Partial<Freshness>): void {
    this.#processes.set(keyOf(process), { ...this.#of(process), ...change });
  }
}

const keyOf = ({ workspace, processId }: ProcessKey): string => JSON.stringify([workspace, processId]);
