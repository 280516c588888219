import type { DynamoDBRecord } from 'aws-lambda';
import {
  EMPTY_WORKSPACE,
  PROBE_MS,
  SHARE_MS,
  type WorkspacePause,
  type WorkspaceRow,
} from '../../../functions/model/workspace-row.ts';
import type { PassMessage } from '../../../functions/schedule/pass-message.ts';
import { MAX_WAIT_MS } from '../../../functions/service/failures.ts';
import { WORKSPACES } from '../../../functions/store/keys.ts';
import type { Coverage } from '../faults.ts';
import { Violation } from './violation.ts';

/** A run, as far as the limits of its workspace concern it. */
export interface SharingRun {
  readonly message: PassMessage;
  readonly clock: () => number;
  /** Stands for the connection that it uses. */
  readonly connection: object;
}

/** What the service is asked. A `probe` asks whether it answers at all. */
export type Asked = 'token' | 'probe' | 'other';

interface Sharing extends SharingRun {
  /** The name of its share; undefined before it took one. */
  share?: string;
  /** Whether the workspace was paused when it took its share. */
  isProbe: boolean;
  /** Whether its probe was answered, or meanwhile another request of its connection, which the probe may wait for: the service answers then. */
  isAnswered: boolean;
  /** Whether it has ended the pause, or begun another. */
  hasDecided: boolean;
  hadShare: boolean;
  /** When it last wrote its share, by its clock. */
  renewedAt: number;
}

interface UnderWay {
  readonly by: Sharing;
  readonly since: number;
}

interface Rules {
  /** The requests at once that the workspace allows. */
  readonly ceiling: number;
  /** Whether all our clocks are close all the time. Else a share, or a pause, may be over for one run and not for another. */
  readonly isStrict: boolean;
  /** True time, in ms since 1970. */
  readonly wall: () => number;
}

const ASKS_TO_WAIT: ReadonlySet<number> = new Set([429, 503]);
/** A request is over for the service after this time, in ms, though a sender that stands still does not know it yet. */
const REQUEST_MS = 31_000;
/** By how much two clocks differ at most where all are close, and how long a write is under way, in ms. */
const SLACK_MS = 5_000;
/** The longest that a tick takes. */
const TICK_MS = 61_000;
/** The longest pause: what a service may ask for. */
const MAX_PAUSE_MS = 10 * 60_000;

/** Judges invariant 12 of a workspace: its runs together never make more requests at once than it allows, whatever becomes of them; and while it
 *  is paused, nothing is asked but whether its service answers again, by one run at a time. */
export class SharesOracle {
  readonly #coverage: Coverage;
  readonly #rules: Rules;
  readonly #runs = new Map<string, Sharing>();
  readonly #underWay = new Set<UnderWay>();
  /** Until when a connection was asked to wait, by its clock, and by true time. */
  readonly #waits = new WeakMap<
    object,
    { readonly from: number; readonly until: number; readonly over: number }
  >();
  /** Where a run that was killed left its share. */
  readonly #dead = new Set<string>();
  #row: WorkspaceRow = EMPTY_WORKSPACE;
  /** Since when, by true time, a pause stands in the row; undefined: none does. */
  #pausedAt: number | undefined;
  /** What a tick sent while the workspace was paused, by tick. */
  readonly #sent = new WeakMap<object, Set<string>>();
  /** Until when, by true time, the last run that asks whether the service answers may do so alone. */
  #probedUntil = Number.NEGATIVE_INFINITY;
  /** When a clock was set, by true time: a write that was under way has a time of before. */
  #clockSetAt = Number.NEGATIVE_INFINITY;

  constructor(coverage: Coverage, rules: Rules) {
    this.#coverage = coverage;
    this.#rules = rules;
  }

  /** The pause in the row, if there is one, over or not. */
  get pause(): WorkspacePause | undefined {
    return this.#row.pause;
  }

  /** Whether it can be said at any time which shares, and which pause, are in force. */
  get isStrict(): boolean {
    return this.#rules.isStrict;
  }

  /** Whether the workspace was paused when this run took its share. */
  isProbe(owner: string): boolean {
    return this.#runs.get(owner)?.isProbe === true;
  }

  /** How many requests at once the shares that are in force at `now` leave to a run. */
  free(now: number, isBulk: boolean): number {
    const { ceiling } = this.#rules;
    const living = Object.values(this.#row.shares).filter(
      ({ until }) => until > now && until <= now + 2 * SHARE_MS,
    );
    const sum = (some: typeof living) => some.reduce((all, { count }) => all + count, 0);
    const bulk = Math.max(1, ceiling - Math.ceil(ceiling / 4)) - sum(living.filter(share => share.isBulk));
    return isBulk ? Math.min(ceiling - sum(living), bulk) : ceiling - sum(living);
  }

  /** A message came into the queue. */
  sent(message: PassMessage, sender: { readonly struck: number }): void {
    const { isStrict, wall } = this.#rules;
    if (message.isAsked || !isStrict || sender.struck > 0) return;
    if (this.#pausedAt === undefined || wall() - this.#pausedAt < TICK_MS) return;
    const sent = this.#sent.get(sender) ?? new Set();
    this.#sent.set(sender, sent.add(JSON.stringify(message)));
    if (message.mode === 'sweep') throw new Violation(12, 'a sweep is started in a workspace that is paused');
    // One asks whether the service answers; another tells that nothing was read for long.
    if (sent.size > 2)
      throw new Violation(12, `a tick sends ${sent.size} messages for a workspace that is paused`);
  }

  /** A run begins, which writes as `owner`. */
  begins(owner: string, run: SharingRun): void {
    const nothing = { isProbe: false, isAnswered: false, hasDecided: false, hadShare: false, renewedAt: 0 };
    this.#runs.set(owner, { ...run, ...nothing });
  }

  /** The run asks the service something. @returns what is to be called when the request is over, with the status of the answer, if there is one */
  asks(owner: string, what: Asked): (status?: number, seconds?: number) => void {
    const by = this.#runs.get(owner);
    if (!by) return () => {};
    if (what === 'token') return () => {};
    this.#checkRight(owner, by, what);
    if (what === 'probe') this.#waits.delete(by.connection);
    this.#checkWaits(by);
    const request = { by, since: this.#rules.wall() };
    this.#underWay.add(request);
    this.#checkCount();
    return (status, seconds) => {
      // Longer waits are the workspace's: they are judged as its pause.
      if (seconds !== undefined && seconds * 1_000 <= MAX_WAIT_MS) this.#holds(by, seconds);
      // A token that has expired is no reason for a pause: whether the credentials are refused, the next one shows.
      const isAnswered = status !== undefined && !ASKS_TO_WAIT.has(status);
      for (const run of this.#runs.values())
        if (isAnswered && run.hadShare && run.connection === by.connection) run.isAnswered = true;
      if (what === 'probe' && by.isProbe) {
        this.#coverage.add('workspace', isAnswered && status !== 401 ? 'probe answered' : 'probe in vain');
      }
      this.#underWay.delete(request);
    };
  }

  /** An answer asked the run to wait. */
  #holds({ connection, clock }: Sharing, seconds: number): void {
    const [from, wall] = [clock(), this.#rules.wall()];
    const { until = 0, over = 0 } = this.#waits.get(connection) ?? {};
    const ms = seconds * 1_000;
    this.#waits.set(connection, { from, until: Math.max(until, from + ms), over: Math.max(over, wall + ms) });
  }

  /** A wait is over by the clock or in truth; a clock that was set back before its beginning ends it. A request that had its turn before is sent
   *  once its share is renewed. */
  #checkWaits({ connection, clock, renewedAt }: Sharing): void {
    const { from = 0, until = 0, over = 0 } = this.#waits.get(connection) ?? {};
    const now = clock();
    const isOver = now < from || now >= until || this.#rules.wall() >= over;
    const hadTurn = now < from + SLACK_MS && renewedAt > from - SLACK_MS;
    if (!isOver && !hadTurn)
      throw new Violation(
        12,
        `the service is asked ${until - now} ms before the end of the wait that it asked for`,
      );
  }

  /** The process of the run died, and with it all of its requests. */
  died(owner: string): void {
    const run = this.#runs.get(owner);
    for (const request of this.#underWay) if (request.by === run) this.#underWay.delete(request);
    if (run?.share && this.#row.shares[run.share]) this.#dead.add(run.share);
  }

  /** Told of the records of one write, and who sent it. */
  wrote(records: readonly DynamoDBRecord[], by: string | undefined): void {
    for (const { dynamodb } of records) {
      if (dynamodb?.Keys?.pk?.S !== WORKSPACES || dynamodb.Keys.sk?.S?.includes('#')) continue;
      const text = dynamodb.NewImage?.row?.S;
      const [before, after] = [
        this.#row,
        text === undefined ? EMPTY_WORKSPACE : (JSON.parse(text) as WorkspaceRow),
      ];
      this.#row = after;
      this.#pausedAt = after.pause && (this.#pausedAt ?? this.#rules.wall());
      const run = by === undefined ? undefined : this.#runs.get(by);
      if (before.pause && !after.pause) this.#endPause(run);
      if (!run) continue;
      run.renewedAt = run.clock();
      this.#checkShares(run, before, after);
      this.#checkPause(run, before.pause, after.pause);
    }
  }

  /** Told of the items of a table that was restored, as records. All runs have ended. */
  restored(records: readonly DynamoDBRecord[]): void {
    this.#row = EMPTY_WORKSPACE;
    this.wrote(records, undefined);
    this.forget();
  }

  /** A clock was set. */
  forget(): void {
    this.#probedUntil = Number.NEGATIVE_INFINITY;
    this.#clockSetAt = this.#rules.wall();
  }

  /** The run ended by itself. `isFree`: it met no fault of its own. */
  ended(owner: string, isFree: boolean, isPolled: boolean): void {
    const run = this.#runs.get(owner);
    this.#runs.delete(owner);
    if (!run || !isFree || !isPolled) return;
    if (run.share !== undefined && this.#row.shares[run.share])
      throw new Violation(12, `${owner} ended, and kept its share: ${JSON.stringify(this.#row)}`);
    if (run.isProbe && run.isAnswered && !run.hasDecided)
      throw new Violation(
        12,
        `the service answered ${owner}, but the workspace stays paused: ${JSON.stringify(this.#row)}`,
      );
  }

  /** Whether no write can be under way from before a clock was set. */
  get #isOfNow(): boolean {
    return this.#rules.wall() - this.#clockSetAt > SLACK_MS;
  }

  #checkRight(owner: string, by: Sharing, what: Asked): void {
    if (!by.hadShare) throw new Violation(12, `${owner} asks the service without a share of the workspace`);
    if (by.isProbe && !by.isAnswered && what !== 'probe')
      throw new Violation(
        12,
        `${owner} asks the service of a paused workspace for more than whether it answers`,
      );
  }

  #checkCount(): void {
    const { ceiling, isStrict, wall } = this.#rules;
    const now = wall();
    const count = [...this.#underWay].filter(({ since }) => now - since <= REQUEST_MS).length;
    if (count === ceiling) this.#coverage.add('workspace', 'as many requests as it allows');
    if (count > ceiling && isStrict)
      throw new Violation(
        12,
        `${count} requests are under way, where the workspace allows ${ceiling}: ${JSON.stringify(this.#row)}`,
      );
  }

  #checkShares(run: Sharing, before: WorkspaceRow, after: WorkspaceRow): void {
    const now = run.clock();
    for (const [name, { until }] of Object.entries(before.shares)) {
      const isLeft = until <= now && !after.shares[name];
      if (isLeft && this.#dead.delete(name)) this.#coverage.add('workspace', 'share of a killed run ended');
    }
    if (run.share === undefined) this.#take(run, before, after);
    else this.#watchRenewal(run.share, before, after);
    const sum = this.#rules.ceiling - this.free(now, false);
    if (sum > this.#rules.ceiling && this.#rules.isStrict)
      throw new Violation(
        12,
        `the shares of a workspace that allows ${this.#rules.ceiling} are ${sum}: ${JSON.stringify(after)}`,
      );
  }

  #take(run: Sharing, before: WorkspaceRow, after: WorkspaceRow): void {
    const name = Object.keys(after.shares).find(each => !Object.hasOwn(before.shares, each));
    if (name === undefined) {
      if (after.wantedAt !== before.wantedAt) this.#coverage.add('workspace', 'no share left');
      return;
    }
    Object.assign(run, { share: name, hadShare: true, isProbe: before.pause !== undefined });
    this.#coverage.add('workspace', 'share taken');
    if (Object.keys(after.shares).length > 1) this.#coverage.add('workspace', 'several shares at once');
    // A write that was under way when a clock was set has decided by the time that its share tells.
    const at = this.#isOfNow ? run.clock() : (after.shares[name]?.until ?? 0) - SHARE_MS;
    if (before.pause) this.#probe(run, before.pause, at);
  }

  #watchRenewal(share: string, before: WorkspaceRow, after: WorkspaceRow): void {
    const [was, is] = [before.shares[share], after.shares[share]];
    if (!was || !is || was.until === is.until) return;
    this.#coverage.add('workspace', 'share renewed');
    if (is.count < was.count) this.#coverage.add('workspace', 'share given up in part');
  }

  /** A run takes its share of a paused workspace, to ask whether the service answers. */
  #probe({ message }: Sharing, pause: WorkspacePause, now: number): void {
    if (message.isAsked) {
      this.#coverage.add('workspace', 'probe asked for');
      return;
    }
    const { isStrict, wall } = this.#rules;
    // A pause that ends later than any was written by a wrong clock.
    const isAbsurd = pause.until > now + 2 * MAX_PAUSE_MS;
    if (pause.until > now + SLACK_MS && !isAbsurd)
      throw new Violation(
        12,
        `a run begins ${pause.until - now} ms before the pause of its workspace is over`,
      );
    if (isStrict && wall() < this.#probedUntil)
      throw new Violation(12, 'two runs at once ask whether the service answers again');
    this.#probedUntil = wall() + PROBE_MS - SLACK_MS;
  }

  /** What one run has found out, others need not ask: of a write whose answer was lost, the next try sees a row without a pause. */
  #endPause(by: Sharing | undefined): void {
    const ended = { isAnswered: true, hasDecided: true };
    for (const run of this.#runs.values()) if (run !== by) Object.assign(run, ended);
  }

  #checkPause(run: Sharing, before: WorkspacePause | undefined, after: WorkspacePause | undefined): void {
    run.hasDecided ||= after === undefined || after.failures !== before?.failures;
    if (!after || JSON.stringify(before) === JSON.stringify(after)) return;
    const ahead = after.until - run.clock();
    // A run whose clock is behind keeps a pause that another one wrote.
    if (after.until !== before?.until && this.#isOfNow && ahead > MAX_PAUSE_MS + SLACK_MS)
      throw new Violation(12, `the workspace is paused for ${ahead} ms: ${JSON.stringify(after)}`);
    if (after.failures !== before?.failures) this.#coverage.add('workspace', before ? 'paused on' : 'paused');
  }
}
