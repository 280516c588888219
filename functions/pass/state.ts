import type { Actors } from './audit-log/actors.ts';
import type { PassContext } from './context/context.ts';
import { Definitions } from './process-events/definitions.ts';

/** What this run of a pass has found so far. */
export class PassState {
  readonly definitions: Definitions;
  /** Who changed what, by the audit log; only in a `changes` pass. */
  actors: Actors | undefined;
  /** The properties that may identify projects, once a new project is checked for them. */
  identifiers: Promise<readonly string[]> | undefined;
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

  constructor(context: PassContext) {
    this.definitions = new Definitions(context);
    this.isStalled = context.before.stalled !== undefined;
  }

  /** Runs `work` once all earlier calls have ended: DynamoDB refuses concurrent transactions that check the same item. */
  async inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}
