import type { Clock } from '../../basics/clock.ts';
import type { Mode, ProcessKey } from '../../basics/process.ts';
import type { Log } from '../../basics/telemetry.ts';
import type { ProcessSettings } from '../../config/workspace.ts';
import type { ProcessState } from '../../model/process-state.ts';
import type { Service } from '../../service/service.ts';
import type { Snapshots } from '../../store/store.ts';
import type { Heartbeat } from './heartbeat.ts';

/** A `baseline` is the first sweep of a process: it commits snapshots and no events. */
export type PassKind = 'baseline' | Mode;

/** What a run gives its pass: ports, settings, clock and log. */
export interface PassPorts {
  readonly process: ProcessKey;
  readonly settings: ProcessSettings;
  /** How many projects are looked at concurrently. The service client limits its concurrent requests itself. */
  readonly concurrency: number;
  readonly service: Service;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
  readonly log: Log;
  /** Our time, in ms since 1970, after which no further project is begun. */
  readonly stopAt: number;
  /** Codes of conditions that the configuration states already: they are not reported (see Reports). */
  readonly known: readonly string[];
  readonly onProgress?: ((mode: PassKind, done: number, total: number) => void) | undefined;
  /** Called with the ids of the events of each commit. */
  readonly onCommitted?: ((ids: readonly string[]) => void) | undefined;
}

/** What a pass works with: the same from its beginning to its end. What it finds is in PassState. */
export interface PassContext extends PassPorts {
  readonly kind: PassKind;
  /** The state of the process, as it was read right after the lease was taken. */
  readonly before: ProcessState;
  /** When this run of the pass began, by our clock. */
  readonly begunAt: number;
  /** `beat` is to be called wherever time passes. */
  readonly heartbeat: Heartbeat;
  readonly reports: Reports;
}

/** True once no further project may be begun. */
export function isOutOfTime({ clock, stopAt }: PassPorts): boolean {
  return clock() >= stopAt;
}

/** Since when passes of this mode have failed, in ms since 1970 by our clock; undefined: the last one did not. */
export function failedSince({ kind, before }: PassContext): number | undefined {
  return (kind === 'changes' ? before.changesFailure : before.sweepFailure)?.since;
}

/** Logs a condition that lasts from pass to pass only once: what was reported is kept in the state of the process. So nothing is logged
 *  before a pass saves its state: a pass that fails would report the same as all those after it. */
export class Reports {
  readonly #ports: PassPorts;
  readonly #reported: Set<string>;
  readonly #new: (readonly [message: string, details: object])[] = [];

  /** @param reported the codes that earlier passes logged */
  constructor(ports: PassPorts, reported: readonly string[]) {
    this.#ports = ports;
    this.#reported = new Set(reported);
  }

  once(code: string, message: string, details: object = {}): void {
    const { known, process } = this.#ports;
    if (known.includes(code) || this.#reported.has(code)) return;
    this.#reported.add(code);
    this.#new.push([message, { ...process, code, ...details }]);
  }

  /** Logs what is new. @returns the part of the state to be written; empty when nothing is new */
  logAndSave(): { readonly reported?: readonly string[] } {
    for (const [message, details] of this.#new) this.#ports.log.warn(message, details);
    return this.#new.length > 0 ? { reported: [...this.#reported] } : {};
  }
}
