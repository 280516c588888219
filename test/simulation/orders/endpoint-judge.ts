import { closedTo, opensAt } from '../../../functions/delivery/health.ts';
import type { EndpointRow, Health } from '../../../functions/model/endpoint-row.ts';
import { Violation } from '../oracle/violation.ts';
import type { EndpointParty } from './endpoint-process.ts';

/** Who may change these parts of an endpoint's row: all others must leave them as they find them. */
const WRITERS: { readonly [Part in keyof (EndpointRow & Health)]?: readonly EndpointParty[] } = {
  settings: ['update', 'update log'],
  paused: ['pause', 'resume'],
  draining: ['drain'],
  pace: ['drain'],
  replay: ['tick', 'begin replay', 'cancel replay', 'begin anew replay'],
  replayed: ['tick', 'begin replay', 'cancel replay', 'begin anew replay'],
  snapshot: ['tick', 'begin snapshot', 'cancel snapshot', 'begin anew snapshot'],
  snapshotted: ['tick', 'begin snapshot', 'cancel snapshot', 'begin anew snapshot'],
};

/** Judges each write of an endpoint's row by the run that makes it, and each request by what the row has in that moment. */
export class EndpointJudge {
  #row: EndpointRow | undefined;
  readonly #runs = new Map<string, EndpointParty>();
  /** Runs that may still send the part that they had begun when the endpoint was closed. */
  readonly #mayFinish = new Set<string>();
  /** By run with a refusal that the row does not have yet, until when the endpoint wants a pause. */
  readonly #refused = new Map<string, number>();
  readonly #accepted = new Set<string>();
  readonly #mayOutlive: boolean;
  #outlived = 0;

  /** @param mayOutlive runs may stand still for longer than they have the backlog */
  constructor(mayOutlive: boolean) {
    this.#mayOutlive = mayOutlive;
  }

  /** What the verdicts to come depend on, apart from the row. */
  get state(): unknown {
    return [[...this.#mayFinish], [...this.#refused], [...this.#accepted], this.#outlived];
  }

  /** How often a run took the backlog from another one, which still ran when its time was over. */
  get outlived(): number {
    return this.#outlived;
  }

  begins(run: string, party: EndpointParty): void {
    this.#runs.set(run, party);
  }

  ends(run: string): void {
    this.#runs.delete(run);
    this.#mayFinish.delete(run);
    if (this.#row && this.#refused.has(run))
      throw new Violation(12, `${run} failed, but the endpoint's row does not show it`);
  }

  /** The run is about to read the row. */
  reads(run: string, now: number): void {
    if (!this.#isOpen(run, this.#row, now)) this.#mayFinish.delete(run);
  }

  posts(run: string, now: number): void {
    const { by, until = 0 } = this.#row?.health.draining ?? {};
    const isAlone = this.#runs.get(run) !== 'drain' || (by === runIdOf(run) && until > now);
    if (this.#row && !isAlone)
      throw new Violation(11, `${run} sends the backlog, which ${by ?? 'no run'} has until ${until}`);
    if (!this.#isOpen(run, this.#row, now) && !this.#mayFinish.delete(run))
      throw new Violation(12, `${run} begins to send, though the endpoint is closed`);
  }

  accepted(run: string): void {
    this.#accepted.add(run);
  }

  refused(run: string, heldUntil: number): void {
    this.#refused.set(run, heldUntil);
  }

  wrote(run: string, after: EndpointRow | undefined, now: number): void {
    const before = this.#row;
    this.#row = after;
    for (const each of this.#runs.keys())
      if (this.#isOpen(each, before, now) && !this.#isOpen(each, after, now)) this.#mayFinish.add(each);
    if (!before || !after) return;
    this.#checkDraining(run, before.health, after.health, now);
    this.#checkProblems(run, before.health, after.health);
    const [was, is] = [before, after].map(({ health, ...row }) => ({ ...row, ...health }));
    const party = this.#runs.get(run);
    for (const [part, writers] of Object.entries(WRITERS) as [keyof Health, readonly EndpointParty[]][])
      if (JSON.stringify(was?.[part]) !== JSON.stringify(is?.[part]) && !writers.some(each => each === party))
        throw new Violation(11, `${run} changed ${part} in the endpoint's row`);
  }

  #isOpen(run: string, row: EndpointRow | undefined, now: number): boolean {
    if (!row) return false;
    if (this.#runs.get(run) !== 'drain') return closedTo(row.health, now) === undefined;
    return (opensAt(row.health, now) ?? Number.POSITIVE_INFINITY) <= now;
  }

  #checkDraining(run: string, { draining: was }: Health, { draining: is }: Health, now: number): void {
    if (was?.by === is?.by) return;
    if (is && is.by !== runIdOf(run)) throw new Violation(11, `${run} gave the backlog to ${is.by}`);
    if (!was || was.by === runIdOf(run)) return;
    if (!is || was.until > now)
      throw new Violation(11, `${run} took the backlog from ${was.by}, which has it until ${was.until}`);
    if (![...this.#runs.keys()].some(each => runIdOf(each) === was.by)) return;
    if (!this.#mayOutlive)
      throw new Violation(11, `${run} took the backlog from ${was.by}, which still runs`);
    this.#outlived += 1;
  }

  /** Only a success, or an operator, makes the row forget what failed. */
  #checkProblems(run: string, was: Health, is: Health): void {
    const more = (is.failures?.count ?? 0) - (was.failures?.count ?? 0);
    const isForgotten =
      more < 0 || (is.notBefore ?? 0) < (was.notBefore ?? 0) || (was.failing && !is.failing);
    if (isForgotten && !this.#accepted.has(run) && this.#runs.get(run) !== 'resume')
      throw new Violation(12, `${run} made the row forget failures or a pause`);
    if (was.waiting && !is.waiting && this.#runs.get(run) !== 'drain')
      throw new Violation(11, `${run} made the row forget the backlog`);
    if (was.waiting?.first && is.waiting?.first === false && this.#runs.get(run) !== 'drain')
      throw new Violation(11, `${run} made the row forget that later events wait until the backlog is sent`);
    if (more <= 0) return;
    const heldUntil = this.#refused.get(run);
    if (more > 1 || heldUntil === undefined)
      throw new Violation(12, `${run} counted a failure that was none`);
    if ((is.notBefore ?? 0) < heldUntil)
      throw new Violation(12, `${run} was asked for a pause until ${heldUntil}, the row differs`);
    this.#refused.delete(run);
  }
}

/** The id by which the row names a run. */
function runIdOf(run: string): string {
  return `${run}/0`;
}
