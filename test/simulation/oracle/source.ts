import type { ChangeEvent } from '../../../functions/changes/event.ts';
import { isRetried } from '../../../functions/pass/decide.ts';
import type { Debt } from '../../../functions/snapshots/state.ts';
import type { Coverage } from '../faults.ts';
import { Violation } from './violation.ts';

/** Judges what is told of the process itself: its sequence grows; a stall, a hold, and the skipping of a project are told
 *  once, and end before they are told again. */
export class SourceOracle {
  readonly #coverage: Coverage;
  #sequence = 0;
  #isStalled = false;
  #isHeld = false;
  /** Projects that subscribers know to be skipped … */
  #told: ReadonlySet<string> = new Set();
  /** … and all that are. */
  #skipped: ReadonlySet<string> = new Set();
  #owed: ReadonlySet<string> = new Set();

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  tell(event: ChangeEvent): void {
    const { id, type, sequence } = event;
    if (Number(sequence) < this.#sequence)
      throw new Violation(4, `${id} comes after sequence ${this.#sequence}`);
    this.#sequence = Number(sequence);
    if (type === 'source.skipped') this.#tellSkipped(id, event.data.project.id);
    if (type === 'source.held') {
      if (this.#isHeld) throw new Violation(2, `${id} tells ${type} a second time`);
      this.#isHeld = true;
    }
    if (type !== 'source.stalled' && type !== 'source.recovered') return;
    const isStalled = type === 'source.stalled';
    if (isStalled === this.#isStalled) throw new Violation(2, `${id} tells ${type} a second time`);
    this.#isStalled = isStalled;
  }

  #tellSkipped(id: string, projectId: string): void {
    if (this.#told.has(projectId)) throw new Violation(2, `${id} tells of ${projectId} a second time`);
    if (!this.#skipped.has(projectId))
      throw new Violation(2, `${id} tells of ${projectId}, which failed in one pass only`);
    this.#coverage.add('project', 'told as skipped');
    this.#told = new Set([...this.#told, projectId]);
  }

  /** To be asked at each write of the state, after what is told with it. */
  compare(isHeld: boolean): void {
    if (isHeld && !this.#isHeld) throw new Violation(1, 'the process is held, but nobody was told');
    this.#isHeld = isHeld;
  }

  /** To be asked at each write of debts, after what is told with it. */
  owe(debts: ReadonlyMap<string, Debt>): void {
    const told = toldIn(debts);
    if (!told.isSubsetOf(this.#told))
      throw new Violation(1, `nobody was told of all of ${[...told].join(', ')}`);
    const skipped = skippedIn(debts);
    for (const id of skipped) if (!this.#skipped.has(id)) this.#coverage.add('project', 'skipped');
    for (const [id, { cause }] of debts) if (!this.#owed.has(id)) this.#coverage.add('debt', cause);
    this.#told = told;
    this.#skipped = skipped;
    this.#owed = new Set(debts.keys());
  }

  /** Told of the state in a table that was restored: what was told since is unsaid. The sequence grows all the same. */
  restored(
    debts: ReadonlyMap<string, Debt>,
    { isHeld, isStalled }: { isHeld: boolean; isStalled: boolean },
  ): void {
    this.#told = toldIn(debts);
    this.#skipped = skippedIn(debts);
    this.#owed = new Set(debts.keys());
    this.#isHeld = isHeld;
    this.#isStalled = isStalled;
  }

  /** To be asked once passes complete again. */
  checkRecovered(): void {
    if (this.#isStalled) throw new Violation(1, 'passes complete again, but the stall was never called over');
  }

  /** To be asked once sweeps have seen all that there is. */
  checkNothingOwed(): void {
    if (this.#owed.size > 0)
      throw new Violation(
        1,
        `two sweeps were completed, but a look is still owed to ${[...this.#owed].join(', ')}`,
      );
  }

  /** To be asked once every project can be read again. */
  checkNoneSkipped(): void {
    if (this.#skipped.size > 0)
      throw new Violation(
        1,
        `every project can be read, but skipped are still ${[...this.#skipped].join(', ')}`,
      );
  }
}

function toldIn(debts: ReadonlyMap<string, Debt>): Set<string> {
  return new Set([...debts].flatMap(([id, { told }]) => (told ? [id] : [])));
}

function skippedIn(debts: ReadonlyMap<string, Debt>): Set<string> {
  return new Set([...debts].flatMap(([id, { cause }]) => (isRetried(cause) ? [id] : [])));
}
