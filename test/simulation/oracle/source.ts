import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { Cause } from '../../../functions/model/process-state.ts';
import { isRetried } from '../../../functions/pass/debts.ts';
import type { Coverage } from '../faults.ts';
import { Violation } from './violation.ts';

/** What a row tells of one debt. */
export interface OwedProject {
  readonly cause: Cause;
  readonly told: boolean;
}

/** Judges the events about the process itself: their sequence grows, and a stall, a hold, and the
 *  skipping of a project are told once, and must end before they are told again. */
export class SourceOracle {
  readonly #coverage: Coverage;
  #sequence = 0;
  #isStalled = false;
  #isHeld = false;
  /** Projects that subscribers know to be skipped … */
  #told: ReadonlySet<string> = new Set();
  /** … and all that passes owe a look. */
  #debts: ReadonlyMap<string, OwedProject> = new Map();

  constructor(coverage: Coverage) {
    this.#coverage = coverage;
  }

  /** Whether subscribers believe that nothing is read. */
  get isStalled(): boolean {
    return this.#isStalled;
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
    const cause = this.#debts.get(projectId)?.cause;
    if (cause === undefined || !isRetried(cause))
      throw new Violation(2, `${id} tells of ${projectId}, which failed in one pass only`);
    this.#coverage.add('project', 'told as skipped');
    this.#told = new Set([...this.#told, projectId]);
  }

  /** To be asked at each write of the state or of debts, after what is told with it. */
  compare(debts: ReadonlyMap<string, OwedProject>, isOnHold: boolean): void {
    if (isOnHold && !this.#isHeld) throw new Violation(1, 'the process is on hold, but nobody was told');
    this.#isHeld = isOnHold;
    const told = toldOf(debts);
    if (!told.isSubsetOf(this.#told))
      throw new Violation(1, `nobody was told of all of ${[...told].join(', ')}`);
    for (const id of unreadIn(debts)) if (!this.#debts.has(id)) this.#coverage.add('project', 'skipped');
    for (const [id, { cause }] of debts) if (!this.#debts.has(id)) this.#coverage.add('debt', cause);
    this.#told = told;
    this.#debts = new Map(debts);
  }

  /** Takes the state of a restored table: events since then don't count any more. The sequence grows all
   *  the same. */
  restored(
    debts: ReadonlyMap<string, OwedProject>,
    { isOnHold, isStalled }: { isOnHold: boolean; isStalled: boolean },
  ): void {
    this.#told = toldOf(debts);
    this.#debts = new Map(debts);
    this.#isHeld = isOnHold;
    this.#isStalled = isStalled;
  }

  /** To be asked once passes complete again. */
  checkRecovered(): void {
    if (this.#isStalled) throw new Violation(1, 'passes complete again, but the stall was never called over');
  }

  /** To be asked once two sweeps have seen all that there is. */
  checkNothingOwed(): void {
    if (this.#debts.size > 0)
      throw new Violation(
        1,
        `two sweeps saw all projects, but a look is still owed to ${[...this.#debts.keys()].join(', ')}`,
      );
  }

  /** Projects whose task list answered 404 while a listing showed them: whether they are deleted, only a
   *  sweep decides (docs/decisions/0102). */
  get withoutTaskList(): ReadonlySet<string> {
    return new Set([...this.#debts].flatMap(([id, { cause }]) => (cause === 'no-task-list' ? [id] : [])));
  }

  /** Projects of which a look was not certain: the next sweep looks again. Where two passes meet, the row of the first one stays, also if
   *  the other could not read the project (docs/decisions/0102). */
  get uncertain(): ReadonlySet<string> {
    return new Set([...this.#debts].flatMap(([id, { cause }]) => (cause === 'uncertain' ? [id] : [])));
  }

  /** To be asked once every project can be read again. One that is gone may wait for a sweep, or for the end of a hold: above the limit of a hold no
   *  pass looks at more of those that are gone.
   *  @param isThere whether the service has this project */
  checkNoneSkipped(isThere: (projectId: string) => boolean): void {
    const mayWait = (id: string) => !isThere(id) && (this.#isHeld || this.withoutTaskList.has(id));
    const unread = unreadIn(this.#debts).filter(id => !mayWait(id));
    if (unread.length > 0)
      throw new Violation(1, `every project can be read, but a look is still owed to ${unread.join(', ')}`);
  }
}

function toldOf(debts: ReadonlyMap<string, OwedProject>): Set<string> {
  return new Set([...debts].flatMap(([id, { told }]) => (told ? [id] : [])));
}

/** Debts of projects that could not be read, without those that the next sweep decides about. */
function unreadIn(debts: ReadonlyMap<string, OwedProject>): string[] {
  return [...debts].flatMap(([id, { cause }]) => (isRetried(cause) ? [id] : []));
}
