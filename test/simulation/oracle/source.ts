import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { Cause } from '../../../functions/model/process-state.ts';
import { isRetried } from '../../../functions/pass/rechecks.ts';
import type { Coverage } from '../faults.ts';
import { Violation } from './violation.ts';

/** What a row tells of one recheck. */
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
  #isOwned = false;
  /** Projects that subscribers know to be skipped … */
  #told: ReadonlySet<string> = new Set();
  /** … and all that passes owe a look. */
  #rechecks: ReadonlyMap<string, OwedProject> = new Map();

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
      if (this.#isOwned) throw new Violation(2, `${id} tells ${type} a second time`);
      this.#isOwned = true;
    }
    if (type !== 'source.stalled' && type !== 'source.recovered') return;
    const isStalled = type === 'source.stalled';
    if (isStalled === this.#isStalled) throw new Violation(2, `${id} tells ${type} a second time`);
    this.#isStalled = isStalled;
  }

  #tellSkipped(id: string, projectId: string): void {
    if (this.#told.has(projectId)) throw new Violation(2, `${id} tells of ${projectId} a second time`);
    const cause = this.#rechecks.get(projectId)?.cause;
    if (cause === undefined || !isRetried(cause))
      throw new Violation(2, `${id} tells of ${projectId}, which failed in one pass only`);
    this.#coverage.add('project', 'told as skipped');
    this.#told = new Set([...this.#told, projectId]);
  }

  /** To be asked at each write of the state or of rechecks, after what is told with it. */
  compare(rechecks: ReadonlyMap<string, OwedProject>, isOnHold: boolean): void {
    if (isOnHold && !this.#isOwned) throw new Violation(1, 'the process is on hold, but nobody was told');
    this.#isOwned = isOnHold;
    const told = toldOf(rechecks);
    if (!told.isSubsetOf(this.#told))
      throw new Violation(1, `nobody was told of all of ${[...told].join(', ')}`);
    for (const id of unreadIn(rechecks))
      if (!this.#rechecks.has(id)) this.#coverage.add('project', 'skipped');
    for (const [id, { cause }] of rechecks) if (!this.#rechecks.has(id)) this.#coverage.add('recheck', cause);
    this.#told = told;
    this.#rechecks = new Map(rechecks);
  }

  /** Takes the state of a restored table: events since then don't count any more. The sequence grows all
   *  the same. */
  restored(
    rechecks: ReadonlyMap<string, OwedProject>,
    { isOnHold, isStalled }: { isOnHold: boolean; isStalled: boolean },
  ): void {
    this.#told = toldOf(rechecks);
    this.#rechecks = new Map(rechecks);
    this.#isOwned = isOnHold;
    this.#isStalled = isStalled;
  }

  /** To be asked once passes complete again. */
  checkRecovered(): void {
    if (this.#isStalled) throw new Violation(1, 'passes complete again, but the stall was never called over');
  }

  /** To be asked once two sweeps have seen all that there is. */
  checkNothingOwed(): void {
    if (this.#rechecks.size > 0)
      throw new Violation(
        1,
        `two sweeps saw all projects, but a look is still owed to ${[...this.#rechecks.keys()].join(', ')}`,
      );
  }

  /** Projects whose task list answered 404 while a listing showed them: whether they are deleted, only a
   *  sweep decides (docs/decisions/0102). */
  get withoutTaskList(): ReadonlySet<string> {
    return new Set([...this.#rechecks].flatMap(([id, { cause }]) => (cause === 'no-task-list' ? [id] : [])));
  }

  /** Projects of which a look was not certain: the next sweep looks again. Where two passes meet, the row of the first one stays, also if
   *  the other could not read the project (docs/decisions/0102). */
  get uncertain(): ReadonlySet<string> {
    return new Set([...this.#rechecks].flatMap(([id, { cause }]) => (cause === 'uncertain' ? [id] : [])));
  }

  /** To be asked once every project can be read again. One that is gone may wait for a sweep, or for the end of a hold: above the limit of a hold no
   *  pass looks at more of those that are gone.
   *  @param isThere whether the service has this project */
  checkNoneSkipped(isThere: (projectId: string) => boolean): void {
    const mayWait = (id: string) => !isThere(id) && (this.#isOwned || this.withoutTaskList.has(id));
    const unread = unreadIn(this.#rechecks).filter(id => !mayWait(id));
    if (unread.length > 0)
      throw new Violation(1, `every project can be read, but a look is still owed to ${unread.join(', ')}`);
  }
}

function toldOf(rechecks: ReadonlyMap<string, OwedProject>): Set<string> {
  return new Set([...rechecks].flatMap(([id, { told }]) => (told ? [id] : [])));
}

/** Rechecks of projects that could not be read, without those that the next sweep decides about. */
function unreadIn(rechecks: ReadonlyMap<string, OwedProject>): string[] {
  return [...rechecks].flatMap(([id, { cause }]) => (isRetried(cause) ? [id] : []));
}
