import type { DynamoDBRecord, StreamRecord } from 'aws-lambda';
import type { PollReport } from '../../../functions/handlers/create-poll.ts';
import type { Pace } from '../../../functions/model/process-state.ts';
import type { PassMessage } from '../../../functions/schedule/pass-message.ts';
import { isAdaptive, type Rhythm } from '../../../functions/schedule/scheduled.ts';
import { CHANGE, PROJECT_PREFIX } from '../../../functions/store/keys.ts';
import type { Coverage } from '../faults.ts';
import { Violation } from './violation.ts';

/** A run that a message started, while it goes on. */
export interface StartedRun {
  readonly message: PassMessage;
  /** By the clock of the run, in ms since 1970: its begin. */
  readonly began: number;
  /** The same, by true time. */
  readonly at: number;
  /** The pace by which the run decided that it was due, read before it asked for the lease; null: there
   *  was none. */
  pace?: Pace | null;
  /** The pace that the run read after it had the lease, left by the pass before; null: there was none. */
  paceBefore?: Pace | null;
  /** Whether it has asked for the lease: from then on it counts as a pass. */
  isPass: boolean;
  /** Requests to the service, the token's aside. */
  requests: number;
  /** Whether it has met no fault so far. */
  readonly isFree: () => boolean;
  /** How much of what it writes stands in the table. */
  readonly written: { projects: number; records: number };
}

type Mode = PassMessage['mode'];

/** How early a message may come: delays are whole seconds, and one series begins after the begin of a
 *  run. */
const EARLY_MS = 3_000;

/** The longest that a tick takes. */
const TICK_MS = 61_000;

/** How many of the last runs may have begun in another order, because they are reported when they ask for
 *  the lease. */
const LAST = 8;

/** Judges which messages tick sends and which are dropped: passes must come as often as configured, and
 *  not more often. Invariant 6 is about what they cost, 1 about their coming at all. */
export class PassesOracle {
  readonly #rhythm: Rhythm;
  readonly #sweep: number;
  readonly #coverage: Coverage;
  readonly #apart: () => number;
  /** The sender of each message of a fixed series, by mode and time of expiry. */
  readonly #sent = new Map<string, object | undefined>();
  /** The messages that were sent since `forget` was last called, … */
  readonly #current = new Set<string>();
  /** … and that time, by true time. */
  #since = Number.NEGATIVE_INFINITY;
  /** How many passes of `begun` may begin a second time. */
  #forgotten = 0;
  /** Messages that began a pass, whether they were sent once or twice. */
  readonly #seen = new Set<string>();
  /** Runs, by the name with which they write. */
  readonly #runs = new Map<string, StartedRun>();
  #pace: Pace | undefined;
  #claimed = 0;
  #isBaselined = false;
  /** Passes that messages of their own began, by true time. */
  readonly begun: { readonly mode: Mode; readonly at: number; readonly isJudged: boolean }[] = [];
  /** The passes that ticks started, and that were completed; with when they began, by true time. */
  readonly completed: { readonly mode: Mode; readonly at: number; readonly requests: number }[] = [];

  /** @param apart how far our clocks are apart now, in ms */
  constructor(
    { changes, sweep }: { readonly changes: Rhythm; readonly sweep: number },
    coverage: Coverage,
    apart: () => number,
  ) {
    this.#apart = apart;
    this.#rhythm = changes;
    this.#sweep = sweep;
    this.#coverage = coverage;
  }

  /** The table was restored, or a clock was set: from now on messages may be sent, and passes begun, a
   *  second time, even by a tick that is under way. */
  forget(at = Number.NEGATIVE_INFINITY): void {
    this.#sent.clear();
    this.#current.clear();
    this.#seen.clear();
    this.#forgotten = this.begun.length;
    this.#since = at + TICK_MS;
  }

  /** A message came into the queue. A sender that got an error may send it again.
   *  @param at true time, in ms */
  sent(message: PassMessage, sender: object | undefined, at: number): void {
    const { mode, expiresAt, isAsked } = message;
    if (isAsked || at < this.#since) return;
    const name = nameOf(message);
    this.#current.add(name);
    if (mode === 'changes' && !this.#isFixed) return;
    if (this.#sent.has(name) && this.#sent.get(name) !== sender)
      throw new Violation(6, `a ${mode} pass was sent by two ticks: both messages expire at ${expiresAt}`);
    this.#sent.set(name, sender);
  }

  /** A run begins, which writes as `owner`. */
  begins(run: StartedRun, owner: string): void {
    this.#runs.set(owner, run);
  }

  /** A run read the rows of its process. */
  read(run: StartedRun): void {
    // The first reading counts, even if it found none.
    const part = run.isPass ? 'paceBefore' : 'pace';
    if (run[part] === undefined) run[part] = this.#pace ?? null;
  }

  /** A run asked for the lease. */
  asksForLease(run: StartedRun): void {
    if (run.isPass) return;
    run.isPass = true;
    const { message, began } = run;
    if (began >= message.expiresAt)
      throw new Violation(
        6,
        `a ${message.mode} pass began ${began - message.expiresAt} ms behind its expiry`,
      );
    if (message.isAsked) {
      if (this.#isEarly({ ...run, pace: this.#pace ?? null }))
        this.#coverage.add('passes', 'asked before it is due');
      return;
    }
    if (this.#isEarly(run))
      throw new Violation(6, `a changes pass began before it was due: ${JSON.stringify(run)}`);
    // A message may come twice, and may have been sent twice.
    const name = nameOf(message);
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    this.begun.push({ mode: message.mode, at: run.at, isJudged: this.#current.has(name) });
    this.#checkPace(message.mode);
  }

  /** A run ended by itself. `isFree`: it met no fault, and its clock stayed as it was. */
  ended(run: StartedRun, isFree: boolean, report: PollReport | undefined): void {
    const { message, began, at, requests } = run;
    if (run.isPass && report && !message.isAsked) this.#coverage.add('passes', report.mode);
    if (report?.outcome === 'completed' && !message.isAsked)
      this.completed.push({ mode: message.mode, at, requests });
    if (run.isPass) return;
    const isExpired = began >= message.expiresAt;
    if (requests > 0) throw new Violation(6, `a message that was dropped asked ${requests} requests`);
    if (isExpired) this.#coverage.add('passes', 'dropped past its expiry');
    if (isExpired || !isFree) return;
    if (message.isAsked) throw new Violation(1, 'a pass that an operator asked for was dropped');
    if (!run.pace || message.mode === 'sweep' || began >= run.pace.dueAt)
      throw new Violation(
        1,
        `a ${message.mode} pass was dropped, although it was due: ${JSON.stringify(run)}`,
      );
    this.#coverage.add('passes', 'dropped before it is due');
  }

  /** Told of the records of one write, and who sent it. */
  wrote(records: readonly DynamoDBRecord[], by: string | undefined): void {
    const run = by === undefined ? undefined : this.#runs.get(by);
    for (const { dynamodb } of records) {
      const sk = dynamodb?.Keys?.sk?.S ?? '';
      if (run && sk.startsWith(PROJECT_PREFIX)) run.written.projects += 1;
      if (run && sk.startsWith(CHANGE)) run.written.records += 1;
      this.#watchClaim(dynamodb);
      if (!dynamodb?.Keys?.pk?.S?.startsWith('W#')) continue;
      if (sk === 'STATE') this.#watchBaseline(dynamodb);
      if (sk === 'PASS#changes') this.#watchPace(dynamodb, run);
    }
  }

  #watchBaseline({ NewImage }: StreamRecord): void {
    const isBaselined = NewImage?.baselined?.BOOL === true;
    if (isBaselined !== this.#isBaselined) this.forget();
    this.#isBaselined = isBaselined;
  }

  #watchPace({ NewImage }: StreamRecord, run: StartedRun | undefined): void {
    const text = NewImage?.pace?.S;
    const pace = text === undefined ? undefined : (JSON.parse(text) as Pace);
    if (pace && run && text !== JSON.stringify(this.#pace)) this.#checkNext(run, pace);
    this.#pace = pace;
  }

  #watchClaim(record: StreamRecord | undefined): void {
    if (record?.Keys?.pk?.S !== 'TICK') return;
    const claimed = Number(record.NewImage?.claimedThrough?.N);
    if (claimed < this.#claimed) this.#coverage.add('tick', 'claim ahead of a clock that was set back');
    this.#claimed = claimed;
  }

  get #isFixed(): boolean {
    return this.#isBaselined && !isAdaptive(this.#rhythm);
  }

  #isEarly({ pace, message, began }: StartedRun): boolean {
    const { fastest, slowest } = this.#rhythm;
    if (!pace || message.mode === 'sweep') return false;
    // A time so far ahead was written by a wrong clock.
    const isAbsurd = pace.dueAt > began + slowest + 60_000;
    return !isAbsurd && began < pace.dueAt - fastest / 2 - 1;
  }

  /** Each message may come at any time of its interval: so two may come close together, but not three. */
  #checkPace(mode: Mode): void {
    const { fastest } = this.#rhythm;
    const step = mode === 'sweep' ? this.#sweep : this.#isFixed ? fastest : Math.min(fastest, 60_000);
    const ofMode = this.begun
      .slice(this.#forgotten)
      .filter(one => one.isJudged && one.mode === mode)
      .slice(-LAST);
    const times = ofMode.map(one => one.at).sort((one, other) => one - other);
    const spans = times.slice(2).map((time, index) => time - (times[index] as number));
    const [span = Infinity] = spans.sort((one, other) => one - other);
    // A message expires by the clock of its run.
    if (span > step - EARLY_MS || this.#apart() > EARLY_MS) return;
    throw new Violation(
      6,
      `three ${mode} passes began within ${span} ms, though one each ${step} ms is configured`,
    );
  }

  /** Checks the next pace: twice as long after each pass that found nothing. */
  #checkNext(run: StartedRun, { wait }: Pace): void {
    const { fastest, slowest } = this.#rhythm;
    const before = run.paceBefore ?? undefined;
    const slower = before ? Math.min(2 * before.wait, slowest) : fastest;
    const { projects, records } = run.written;
    const [hasFound, isUnclear] = [projects > 0 && records > 0, projects + records > 0];
    // It is open whether a commit without events, or an event about the process, counts as found; and so
    // is a write that worked although the run got an error.
    const isFast = wait === fastest && isUnclear;
    const isSlow = wait === slower && !(hasFound && run.isFree());
    if (!isFast && !isSlow)
      throw new Violation(
        6,
        `a pass that wrote ${JSON.stringify(run.written)} waits ${wait} ms: ${JSON.stringify(run)}`,
      );
    if (before && wait > before.wait) this.#coverage.add('passes', 'a slower pace');
    if (before && wait < before.wait) this.#coverage.add('passes', 'the fastest pace again');
  }
}

function nameOf({ mode, expiresAt }: PassMessage): string {
  return `${mode} until ${expiresAt}`;
}
