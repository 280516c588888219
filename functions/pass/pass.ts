import { ignoredFields } from '../changes/ignored-fields.ts';
import type { ProcessState } from '../model/process-state.ts';
import type { Lease } from '../store/store.ts';
import type { Actors } from './audit-log/actors.ts';
import { Heartbeat } from './heartbeat.ts';
import type { PassKind, PassParts } from './parts.ts';
import { Definitions } from './process-events/definitions.ts';
import { Identity } from './reading/identity.ts';
import { Reports } from './reading/reports.ts';
import { Users } from './reading/users.ts';

/** One pass: what it works with, its lease, the state that it began with, and its counts. */
export class Pass {
  readonly parts: PassParts;
  readonly kind: PassKind;
  /** As it was read right after the lease was taken. */
  readonly state: ProcessState;
  readonly heartbeat: Heartbeat;
  readonly definitions: Definitions;
  readonly identity: Identity;
  readonly reports: Reports;
  readonly users: Users;
  /** Who changed what, as the audit log told a `changes` pass; no other pass tells it. */
  actors: Actors | undefined;
  /** When this run of the pass began, by our clock. */
  readonly begunAt: number;
  projects = 0;
  commits = 0;
  events = 0;
  /** How many debts this run wrote or cleared before the pass concluded. */
  debtsWritten = 0;
  /** Projects that are skipped no longer: they were read and committed, or are gone. */
  readonly skippedNoLonger: string[] = [];
  /** True while subscribers believe that the process is stalled. */
  isStalled: boolean;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: PassParts, lease: Lease, state: ProcessState) {
    const { process, log, settings, known } = parts;
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
    this.users = new Users(this);
    this.begunAt = parts.clock();
    this.isStalled = state.stalled !== undefined;
  }

  get outOfTime(): boolean {
    return this.parts.clock() >= this.parts.stopAt;
  }

  /** Since when passes of this mode have failed, in ms since 1970 by our clock; undefined: the last one did not. */
  get failedSince(): number | undefined {
    const { sweepFailure, changesFailure } = this.state;
    return (this.heartbeat.lease.mode === 'sweep' ? sweepFailure : changesFailure)?.since;
  }

  /** Runs `work` once all earlier calls have ended: DynamoDB refuses concurrent transactions that check the same item. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}
