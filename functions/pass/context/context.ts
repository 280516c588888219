import type { Clock } from '../../basics/clock.ts';
import type { Mode, ProcessKey } from '../../basics/process.ts';
import type { Log } from '../../basics/telemetry.ts';
import type { ProcessSettings } from '../../config/workspace.ts';
import type { EndpointSettings } from '../../model/endpoint.ts';
import type { ProcessState } from '../../model/process-state.ts';
import type { Service } from '../../service/service.ts';
import { byKey, type Lease, type PassWindow, type Snapshots } from '../../store/store.ts';

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
  /** Resolves when no other pass of the run holds a large listing, and this one may: all of them together
   *  would not fit the memory. */
  readonly holdLarge?: (() => Promise<void>) | undefined;
  /** The filters of the configuration's endpoints, whose names of fields are checked. */
  readonly filters?: readonly Pick<EndpointSettings, 'name' | 'filter'>[] | undefined;
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

/** Logs a condition that lasts from pass to pass only once: what was reported is kept in the state of the
 *  process. So nothing is logged before a pass saves its state: a pass that fails would report the same as
 *  all those after it. */
export class Reports {
  readonly #ports: PassPorts;
  readonly #reported: Set<string>;
  #hasChecked = false;
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

  /** Whether this was checked, and needs no second check. `key`: a digest of what was checked. */
  isChecked(code: string, key: string): boolean {
    return this.#reported.has(`${code}-${key}`);
  }

  /** Notes a check with the problems that it found, in place of the last one with this code. */
  check(code: string, key: string, problems: readonly string[]): void {
    for (const before of this.#reported) if (before.startsWith(`${code}-`)) this.#reported.delete(before);
    this.#reported.add(`${code}-${key}`);
    this.#hasChecked = true;
    for (const problem of problems) this.#new.push([problem, { ...this.#ports.process, code }]);
  }

  get hasNew(): boolean {
    return this.#hasChecked || this.#new.length > 0;
  }

  /** Logs what is new. @returns the part of the state to be written; empty when nothing is new */
  logAndSave(): { readonly reported?: readonly string[] } {
    for (const [message, details] of this.#new) this.#ports.log.warn(message, details);
    return this.hasNew ? { reported: [...this.#reported] } : {};
  }
}

/** How long a lease lasts: longer than the slowest page takes, yet a dead poller is replaced within a minute. */
export const LEASE_MS = 60_000;
const RENEW_MS = 10_000;

/** Another poller took over the lease. The pass stops, which does no harm: every commit is complete by itself. */
export class LeaseLostError extends Error {}

type HeartbeatPorts = Pick<PassPorts, 'process' | 'snapshots' | 'clock'>;

/** Keeps the lease of a pass alive. A `changes` pass begins without one, and takes it when it finds
 *  something: a pass that finds nothing writes nothing, and two of these do no harm. */
export class Heartbeat {
  readonly #ports: HeartbeatPorts;
  readonly #read: ProcessState | undefined;
  #lease: Lease;
  #isOwned: boolean;
  #isRefused = false;
  #renewedAt: number;
  #renewal: Promise<void> | undefined;

  /** @param read the state by which a pass without a lease began; without it the run has the lease */
  constructor(lease: Lease, ports: HeartbeatPorts, read?: ProcessState) {
    this.#lease = lease;
    this.#ports = ports;
    this.#read = read;
    this.#isOwned = read === undefined;
    this.#renewedAt = ports.clock();
  }

  get isOwned(): boolean {
    return this.#isOwned;
  }

  /** False when the lease could not be taken. */
  get fitsKey(): boolean {
    return !this.#isRefused;
  }

  /** Takes the lease, if the pass has none yet. To be called before anything is written.
   *  @throws LeaseLostError when another pass has begun or ended since the state was read */
  async take(): Promise<void> {
    if (this.#isOwned) return;
    const { process, snapshots, clock } = this.#ports;
    const { mode, owner, window } = this.#lease;
    const now = clock();
    const asRead = { endedBy: this.#read?.changesEndedBy };
    this.#isRefused = true;
    const lease = await snapshots.takeLease(process, { mode, owner, now, until: now + LEASE_MS, asRead });
    if (!lease)
      throw new LeaseLostError(
        `Another run polled process ${process.processId} since this one read its state.`,
      );
    this.#lease = { ...lease, window };
    this.#isOwned = true;
    this.#isRefused = false;
    this.#renewedAt = now;
  }

  /** The lease, with the window and progress that the next write saves. */
  get lease(): Lease {
    return this.#lease;
  }

  /** Also when the clock was set back since the last renewal. */
  get isDue(): boolean {
    const age = this.#ports.clock() - this.#renewedAt;
    return this.#isOwned && (age >= RENEW_MS || age < 0);
  }

  /** Sets what a later run needs to resume the pass; saved with the next write, for a pass that ends before
   *  needs no resuming. */
  begin(window: PassWindow): void {
    this.#lease = { ...this.#lease, window };
  }

  /** Marks all projects up to this one, in the order of `byKey`, as done: a later run skips them. Saved with
   *  the next write. Progress never moves back, even when a recheck that sorts before it is looked at. */
  reach(progress: string): void {
    if (this.isAhead(progress)) this.#lease = { ...this.#lease, progress };
  }

  /** False for a project that is done: the progress of this run, or of an earlier one of the same pass, has
   *  passed it. */
  isAhead(projectId: string): boolean {
    const { progress } = this.#lease;
    return progress === undefined || byKey(projectId, progress) > 0;
  }

  /** To be called wherever time passes: renews the lease every ten seconds. One worker writes, and all wait
   *  for it: none continues after the lease was lost, or expired while the answer was on its way.
   *  @throws LeaseLostError */
  async beat(): Promise<void> {
    if (this.isDue) this.#renewal = this.#write();
    await this.#renewal;
    // The answer may have taken so long that another renewal is due, or the lease expired.
    if (this.isDue) this.#renewal = this.#write();
    await this.#renewal;
  }

  /** Writes the lease now, if the pass holds it.
   *  @throws LeaseLostError */
  async save(): Promise<void> {
    if (!this.#isOwned) return;
    this.#renewal = this.#write();
    await this.#renewal;
  }

  async #write(): Promise<void> {
    const { process, snapshots, clock } = this.#ports;
    const now = clock();
    this.#renewedAt = now;
    if (!(await snapshots.saveProgress(process, this.#lease, now + LEASE_MS)))
      throw new LeaseLostError(`Another poller took over process ${process.processId}.`);
  }
}
