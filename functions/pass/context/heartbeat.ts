import type { Clock } from '../../basics/clock.ts';
import type { ProcessKey } from '../../basics/process.ts';
import { byKey, type Lease, type PassWindow, type Snapshots } from '../../store/store.ts';

/** How long a lease lasts: longer than the slowest page takes, yet a dead poller is replaced within a minute. */
export const LEASE_MS = 60_000;
const RENEW_MS = 10_000;

/** Another poller took over the lease. The pass stops, which does no harm: every commit is complete by itself. */
export class LeaseLostError extends Error {}

/** Keeps the lease of a pass alive. */
export class Heartbeat {
  readonly #process: ProcessKey;
  readonly #snapshots: Snapshots;
  readonly #clock: Clock;
  #lease: Lease;
  #renewedAt: number;
  #renewal: Promise<void> | undefined;

  constructor(lease: Lease, process: ProcessKey, snapshots: Snapshots, clock: Clock) {
    this.#lease = lease;
    this.#process = process;
    this.#snapshots = snapshots;
    this.#clock = clock;
    this.#renewedAt = clock();
  }

  /** The lease, with the window and progress that the next write saves. */
  get lease(): Lease {
    return this.#lease;
  }

  /** Also when the clock was set back since the last renewal. */
  get isDue(): boolean {
    const age = this.#clock() - this.#renewedAt;
    return age >= RENEW_MS || age < 0;
  }

  /** Sets what a later run needs to resume the pass; saved with the next write, for a pass that ends before needs no resuming. */
  begin(window: PassWindow): void {
    this.#lease = { ...this.#lease, window };
  }

  /** Marks all projects up to this one, in the order of `byKey`, as done: a later run skips them. Saved with the next write. Progress never
   *  moves back, even when a debt that sorts before it is looked at. */
  reach(progress: string): void {
    if (this.isAhead(progress)) this.#lease = { ...this.#lease, progress };
  }

  /** False for a project that is done: the progress of this run, or of an earlier one of the same pass, has passed it. */
  isAhead(projectId: string): boolean {
    const { progress } = this.#lease;
    return progress === undefined || byKey(projectId, progress) > 0;
  }

  /** To be called wherever time passes: renews the lease every ten seconds. One worker writes, and all wait for it: none goes on after the
   *  lease was lost, or expired while the answer was on its way.
   *  @throws LeaseLostError */
  async beat(): Promise<void> {
    if (this.isDue) this.#renewal = this.#write();
    await this.#renewal;
    // The answer may have taken so long that another renewal is due, or the lease expired.
    if (this.isDue) this.#renewal = this.#write();
    await this.#renewal;
  }

  /** Writes the lease now.
   *  @throws LeaseLostError */
  async save(): Promise<void> {
    this.#renewal = this.#write();
    await this.#renewal;
  }

  async #write(): Promise<void> {
    const now = this.#clock();
    this.#renewedAt = now;
    if (!(await this.#snapshots.saveProgress(this.#process, this.#lease, now + LEASE_MS)))
      throw new LeaseLostError(`Another poller took over process ${this.#process.processId}.`);
  }
}
