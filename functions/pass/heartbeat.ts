import type { Clock } from '../basics/clock.ts';
import type { ProcessKey } from '../basics/process.ts';
import { byKey, type Lease, type PassWindow, type Snapshots } from '../snapshots/snapshots.ts';

/** How a lease lives: long enough for the slowest page, short enough that a dead poller is replaced within a minute. */
export const LEASE_MS = 60_000;
const RENEW_MS = 10_000;

/** Another poller took over while this pass was at work. It does no harm to stop: every commit stands by itself. */
export class LeaseLostError extends Error {}

interface Parts {
  readonly process: ProcessKey;
  readonly snapshots: Pick<Snapshots, 'saveProgress'>;
  readonly clock: Clock;
}

/** Keeps the lease of a pass alive. */
export class Heartbeat {
  readonly #parts: Parts;
  #lease: Lease;
  #renewedAt: number;
  #renewal: Promise<void> | undefined;

  constructor(parts: Parts, lease: Lease) {
    this.#parts = parts;
    this.#lease = lease;
    this.#renewedAt = parts.clock();
  }

  /** The lease, with what is to be written with it next. */
  get lease(): Lease {
    return this.#lease;
  }

  get isDue(): boolean {
    return this.#parts.clock() - this.#renewedAt >= RENEW_MS;
  }

  /** What a later run needs to know of the beginning; written with the next beat, because a pass that ends before has nothing to go on
   *  with. */
  begin(window: PassWindow): void {
    this.#lease = { ...this.#lease, window };
  }

  /** All up to this project, in the order of `byKey`, needs no second look by a later run; written with the next beat. What is owed a look
   *  stands behind the progress, too: that never goes back. */
  reach(progress: string): void {
    if (this.isAhead(progress)) this.#lease = { ...this.#lease, progress };
  }

  /** False for a project that this run, or an earlier one of its pass, has come past. */
  isAhead(projectId: string): boolean {
    const { progress } = this.#lease;
    return progress === undefined || byKey(projectId, progress) > 0;
  }

  /** To be called wherever time passes: writes the lease every ten seconds. Of many workers one writes, and all wait for it: none goes on by
   *  a lease that is lost, or that ended while the answer was on its way.
   *  @throws LeaseLostError */
  async beat(): Promise<void> {
    if (this.isDue) this.#renewal = this.#write();
    await this.#renewal;
    // The answer may have taken longer than the lease lives.
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
    const { snapshots, process, clock } = this.#parts;
    const now = clock();
    this.#renewedAt = now;
    if (!(await snapshots.saveProgress(process, this.#lease, now + LEASE_MS)))
      throw new LeaseLostError(`Another poller took over process ${process.processId}.`);
  }
}
