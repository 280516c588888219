import { ignoredFields } from '../changes/ignored-fields.ts';
import { Identity } from '../reading/identity.ts';
import { Reports } from '../reading/reports.ts';
import type { Lease } from '../snapshots/snapshots.ts';
import type { ProcessState } from '../snapshots/state.ts';
import { Definitions } from '../telling/definitions.ts';
import { Heartbeat } from './heartbeat.ts';
import type { PassKind, PassParts } from './parts.ts';

/** One walk over the projects that may have changed: its parts, its lease, the state it began with, and what it counted. */
export class Pass {
  readonly parts: PassParts;
  readonly kind: PassKind;
  /** As it was read once the lease was taken. */
  readonly state: ProcessState;
  readonly heartbeat: Heartbeat;
  readonly definitions: Definitions;
  readonly identity: Identity;
  readonly reports: Reports;
  /** When this run of it began, by our clock. */
  readonly begunAt: number;
  projects = 0;
  commits = 0;
  events = 0;
  /** Before its end: how many projects that are owed a look it wrote down. */
  debtsWritten = 0;
  /** Projects that are skipped no longer: they were read and committed, or are gone. */
  readonly back: string[] = [];
  /** True while subscribers believe that the process is stalled. */
  isStalled: boolean;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: PassParts, lease: Lease, state: ProcessState) {
    const { process, log, settings, known = [] } = parts;
    this.parts = parts;
    this.state = state;
    this.kind = state.baselined ? lease.mode : 'baseline';
    this.heartbeat = new Heartbeat(parts, lease);
    this.reports = new Reports(process, log, state.reported, known);
    this.definitions = new Definitions(
      { parts, state, mode: lease.mode, reports: this.reports },
      ignoredFields(settings.ignoreFields),
    );
    this.identity = new Identity(parts);
    this.begunAt = parts.clock();
    this.isStalled = state.stalled !== undefined;
  }

  get outOfTime(): boolean {
    return this.parts.clock() >= this.parts.stopAt;
  }

  /** Works when all earlier `work` is over: transactions that look at one item of the table refuse one another. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}
