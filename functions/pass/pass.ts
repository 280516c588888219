import type { Clock } from '../basics/clock.ts';
import type { Log } from '../basics/telemetry.ts';
import type { Service } from '../service/service.ts';
import type { ProcessSettings } from '../settings/workspaces.ts';
import type { Lease, PassWindow, ProcessKey, Snapshots } from '../snapshots/snapshots.ts';
import type { ProcessState } from '../snapshots/state.ts';
import { Identity } from './identity.ts';
import type { PassDefinitions } from './pass-definitions.ts';
import type { Reports } from './reports.ts';

/** How a lease lives: long enough for the slowest page, short enough that a dead poller is replaced within a minute. */
export const LEASE_MS = 60_000;
const RENEW_MS = 10_000;

/** Another poller took over while this pass was at work. It does no harm to stop: every commit stands by itself. */
export class LeaseLostError extends Error {}

/** What a pass works with. */
export interface PassParts {
  readonly process: ProcessKey;
  readonly settings: ProcessSettings;
  readonly concurrency: number;
  readonly service: Service;
  readonly snapshots: Snapshots;
  readonly state: ProcessState;
  readonly definitions: PassDefinitions;
  readonly reports: Reports;
  readonly clock: Clock;
  readonly log: Log;
  /** Our time, in ms since 1970, after which no further project is begun. */
  readonly stopAt: number;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Hears the ids of the events of each commit. */
  readonly onCommitted?: ((ids: readonly string[]) => void) | undefined;
}

/** One walk over the projects that may have changed: its parts, its lease, and what it counted. */
export class Pass {
  readonly parts: PassParts;
  readonly identity: Identity;
  /** When this run of it began, by our clock. */
  readonly began: number;
  projects = 0;
  commits = 0;
  events = 0;
  /** Projects that are skipped no longer: they were read and committed, or are gone. */
  readonly back: string[] = [];
  /** The request within which time ran out. */
  cutOff: string | undefined;
  /** True while subscribers believe that the process is stalled. */
  isStalled: boolean;
  #lease: Lease;
  #renewedAt: number;
  #isBeginningKept = true;
  #renewal: Promise<void> | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: PassParts, lease: Lease) {
    this.parts = parts;
    this.identity = new Identity(parts);
    this.#lease = lease;
    this.began = parts.clock();
    this.#renewedAt = this.began;
    this.isStalled = parts.state.stalled !== undefined;
  }

  get lease(): Lease {
    return this.#lease;
  }

  get outOfTime(): boolean {
    return this.parts.clock() >= this.parts.stopAt;
  }

  /** What any pass may find out about its process, to be saved when it ends. */
  get learned(): Pick<ProcessState, 'reported'> {
    return { reported: this.parts.reports.toSave() };
  }

  /** Fixes what the pass began with, unless it goes on with an earlier run's beginning. Nothing is written yet: a pass that finds nothing has
   *  nothing to go on with. */
  begin(window: PassWindow): PassWindow {
    if (this.#lease.window) return this.#lease.window;
    this.#lease = { ...this.#lease, window };
    this.#isBeginningKept = false;
    return window;
  }

  /** Writes the beginning down, before there is progress behind it.
   *  @throws LeaseLostError */
  async keepBeginning(): Promise<void> {
    if (!this.#isBeginningKept) await this.#save(this.#lease);
  }

  /** Keeps the lease alive, and remembers `progress` (the last project done), at most every ten seconds. Of many workers
   *  one writes, and all wait for it: none goes on by a lease that is lost, or that ended while the answer was on its way.
   *  @throws LeaseLostError */
  async keepAlive(progress = this.#lease.progress): Promise<void> {
    this.#lease = { ...this.#lease, progress };
    if (this.#isAgeing) this.#renewal = this.#save(this.#lease);
    await this.#renewal;
    // The answer may have taken longer than the lease lives.
    if (this.#isAgeing) this.#renewal = this.#save(this.#lease);
    await this.#renewal;
  }

  get #isAgeing(): boolean {
    return this.parts.clock() - this.#renewedAt >= RENEW_MS;
  }

  /** Notes what a run that goes on must know beside the progress; it is written with that. */
  note(noted: Omit<PassWindow, 'startedAt' | 'audit'>): void {
    const { window } = this.#lease;
    if (window) this.#lease = { ...this.#lease, window: { ...window, ...noted } };
  }

  /** Makes sure that the lease is ours, now.
   *  @throws LeaseLostError */
  async holdLease(): Promise<void> {
    await this.#save(this.#lease);
  }

  /** Works when all earlier `work` is over: transactions that look at one item of the table refuse one another. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /** Remembers where the pass stands, now, and gives the lease back: the next run goes on from there. */
  async interrupt(): Promise<void> {
    await this.#save(this.#lease);
    await this.parts.snapshots.release(this.parts.process, this.#lease);
  }

  /** A `changes` pass that failed, rather than ran out of time: what it is done with may change while its failure lasts,
   *  so the next one must look there again. */
  get mustBeginAnew(): boolean {
    return this.#lease.mode === 'changes' && !this.outOfTime;
  }

  /** Forgets the pass, and gives the lease back. */
  async abandon(): Promise<void> {
    await this.parts.snapshots.abandon(this.parts.process, this.#lease);
  }

  async #save(lease: Lease): Promise<void> {
    const { snapshots, process, clock } = this.parts;
    const now = clock();
    this.#lease = lease;
    this.#renewedAt = now;
    this.#isBeginningKept = true;
    if (!(await snapshots.saveProgress(process, lease, now + LEASE_MS))) {
      throw new LeaseLostError(`Another poller took over process ${process.processId}.`);
    }
  }
}
