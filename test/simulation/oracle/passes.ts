import type { DynamoDBRecord, StreamRecord } from 'aws-lambda';
import type { Polled, PollReport } from '../../../functions/handlers/workspace-run.ts';
import type { Completion, Pace } from '../../../functions/model/process-state.ts';
import type { PassMessage } from '../../../functions/schedule/pass-message.ts';
import { isAdaptive, type Rhythm } from '../../../functions/schedule/scheduled.ts';
import { decode } from '../../../functions/store/codec.ts';
import { CHANGE, PROJECT_PREFIX, WORKSPACES } from '../../../functions/store/keys.ts';
import type { Coverage } from '../faults.ts';
import { Violation } from './violation.ts';

/** A run that a message started, while it goes on. */
export interface StartedRun {
  readonly message: PassMessage;
  readonly clock: () => number;
  /** By its clock, in ms since 1970: its begin. */
  readonly began: number;
  /** The same, by true time. */
  readonly at: number;
  /** Its passes, by process. */
  readonly passes: ReadonlyMap<string, StartedPass>;
  /** The last idle passes, as it read them; undefined before that. */
  completions?: ReadonlyMap<string, string>;
  /** The processes that had a baseline then. */
  baselined?: ReadonlySet<string>;
  /** The processes of which it wrote that a pass was idle, and how often it wrote that. */
  readonly noted: Set<string>;
  /** When the last idle pass of each was completed by what it wrote. */
  readonly left: Map<string, number>;
  notes: number;
  /** Whether it ended by itself. */
  isEnded: boolean;
  /** Whether it is the first one after a pause of its workspace. */
  isProbe: boolean;
  /** Whether it has met no fault so far. */
  readonly isFree: () => boolean;
}

/** What a run read of a process. */
interface Read {
  /** null: there was none. */
  readonly pace: Pace | null;
  readonly isBaselined: boolean;
  /** How often `changes` passes had given their lease back. */
  readonly ends: number;
  readonly sweptAt: number;
  readonly isSweepUnfinished: boolean;
}

/** The pass of a run over one process. */
export interface StartedPass {
  /** What the run read when it decided whether the pass is due. */
  read?: Read;
  /** What it read after it had the lease, where it took that before it asked the service anything. */
  readBehindLease?: Read;
  /** Whether the process had a baseline when its state was read, where that is read before the rest. */
  wasBaselined?: boolean;
  isLeased: boolean;
  /** Whether it has asked for the lease, or the service for something: from then on it counts as a pass. */
  isPass: boolean;
  /** Requests to the service about the process. */
  requests: number;
  /** How much of what it writes stands in the table: projects, change records, and any rows. */
  readonly written: { projects: number; records: number; rows: number };
}

export function startedPass(): StartedPass {
  return {
    ...{ isLeased: false, isPass: false, requests: 0 },
    written: { projects: 0, records: 0, rows: 0 },
  };
}

type Mode = PassMessage['mode'];

/** What the table has of a process. */
interface Known {
  pace: Pace | undefined;
  completedAt: number;
  /** The run that completed the last pass of those that found something, if it is known. */
  completedBy: StartedRun | undefined;
  ends: number;
  /** Who ended the last pass, as the row of its lease has it. */
  endedBy: string | undefined;
  isBaselined: boolean;
  leaseOwner: string | undefined;
  sweptAt: number;
  isSweepUnfinished: boolean;
  /** Whether an operator asked for the sweep that was begun last. */
  isSweepAsked: boolean;
  /** When the sweep was due that was completed last. */
  sweptFor?: number;
}

interface Begun {
  readonly processId: string;
  readonly mode: Mode;
  /** By true time. */
  readonly at: number;
  readonly isJudged: boolean;
}

/** How early a message may come: delays are whole seconds, and one series begins after the begin of a
 *  run. */
const EARLY_MS = 3_000;

/** The longest that a tick takes. */
const TICK_MS = 61_000;

/** How many of the last runs may have begun in another order, because they are reported when they ask for
 *  something. */
const LAST = 8;

/** Whether the sweep before ended a moment before this one was due, as it may where the clocks are a little apart: then it is made again. */
function isRepeated({ mode, dueAt = 0 }: PassMessage, { read }: StartedPass): boolean {
  return mode === 'sweep' && read !== undefined && Math.abs(dueAt - read.sweptAt) <= EARLY_MS;
}

/** Whether a run has not noted which of its passes were idle, or no longer are, and need not have: it is under way, was killed, or met a fault. */
function isUntold({ notes, isEnded, isFree }: StartedRun): boolean {
  return notes === 0 && !(isEnded && isFree());
}

/** Judges which messages tick sends, which are dropped, and what passes without changes leave: passes must come as often as configured, and
 *  not more often. Invariant 6 is about what they cost, 1 about their coming at all, 5 about idle ones. */
export class PassesOracle {
  readonly #rhythm: Rhythm;
  readonly #sweep: number;
  readonly #coverage: Coverage;
  readonly #apart: () => number;
  readonly #hasRules: boolean;
  /** The sender of each message of a fixed series, by process, mode and time of expiry. */
  readonly #sent = new Map<string, object | undefined>();
  /** The messages that were sent since `forget` was last called, … */
  readonly #current = new Set<string>();
  /** … and that time, by true time. */
  #since = Number.NEGATIVE_INFINITY;
  /** How many passes of `begun`, and of `completed`, may begin a second time. */
  #forgotten = { begun: 0, completed: 0 };
  /** Messages that began a pass, whether they were sent once or twice. */
  readonly #seen = new Set<string>();
  /** Runs, by the name with which they write. */
  readonly #runs = new Map<string, StartedRun>();
  /** By process. */
  readonly #known = new Map<string, Known>();
  /** The last idle passes, by process, as JSON. */
  readonly #completions = new Map<string, string>();
  #claimed = 0;
  /** Passes that messages of their own began. Those of a series of changes are judged, … */
  readonly begun: Begun[] = [];
  /** … and, of those that were completed, sweeps that ticks started. */
  readonly completed: (Begun & { readonly requests: number })[] = [];

  /** @param apart how far our clocks are apart now, in ms */
  constructor(
    { changes, sweep }: { readonly changes: Rhythm; readonly sweep: number },
    coverage: Coverage,
    apart: () => number,
    hasRules = false,
  ) {
    this.#hasRules = hasRules;
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
    this.#forgotten = { begun: this.begun.length, completed: this.completed.length };
    this.#since = at + TICK_MS;
  }

  /** Whether the process has a baseline. */
  isBaselined(processId: string): boolean {
    return this.#of(processId).isBaselined;
  }

  /** When, of the last `changes` pass of each process, the oldest was completed, by our clock; infinite where no process has a baseline. Where a run
   *  completed one that found something, and has not noted it, the idle pass before it counts. */
  get oldestPass(): number {
    const times = [...this.#known].map(([processId, { isBaselined, completedAt, completedBy }]) => {
      if (!isBaselined) return Number.POSITIVE_INFINITY;
      const text = this.#completions.get(processId);
      if (text === undefined) return completedAt;
      const idle = (JSON.parse(text) as Completion).completedAt;
      return completedBy && isUntold(completedBy) ? idle : Math.max(completedAt, idle);
    });
    return Math.min(...times, Number.POSITIVE_INFINITY);
  }

  /** A message came into the queue. A sender that got an error may send it again.
   *  @param at true time, in ms */
  sent(message: PassMessage, sender: object | undefined, at: number): void {
    const { mode, expiresAt, isAsked, processes } = message;
    if (processes.length > 1) this.#coverage.add('passes', 'several in a message');
    if (isAsked || at < this.#since) return;
    for (const processId of processes) {
      const name = nameOf(processId, message);
      this.#current.add(name);
      // A sweep is sent again until it is under way.
      if (mode === 'sweep' || !this.#isFixed(processId)) continue;
      if (this.#sent.has(name) && this.#sent.get(name) !== sender)
        throw new Violation(6, `a ${mode} pass was sent by two ticks: both messages expire at ${expiresAt}`);
      this.#sent.set(name, sender);
    }
  }

  /** A run begins, which writes as `owner`. */
  begins(run: StartedRun, owner: string): void {
    this.#runs.set(owner, run);
  }

  /** A run read the last idle passes of its workspace. */
  readCompletions(run: StartedRun): void {
    run.completions = new Map(this.#completions);
    run.baselined = new Set([...run.passes.keys()].filter(id => this.isBaselined(id)));
  }

  /** A run read whether a process has a baseline, before its other rows. */
  readBaseline(run: StartedRun, processId: string): void {
    const pass = run.passes.get(processId);
    if (pass) pass.wasBaselined = this.isBaselined(processId);
  }

  /** A run read the rows of a process. */
  read(run: StartedRun, processId: string): void {
    const pass = run.passes.get(processId);
    if (!pass) return;
    const { ends, sweptAt, isSweepUnfinished } = this.#of(processId);
    const isBaselined = pass.wasBaselined ?? this.isBaselined(processId);
    const pace = this.#paceIn(processId, run.completions) ?? null;
    const read = { pace, isBaselined, ends, sweptAt, isSweepUnfinished };
    // The first reading counts; one that was repeated, because it was late, by its repetition.
    if (pass.isLeased) pass.readBehindLease ??= read;
    else if (pass.requests === 0) pass.read = read;
    else pass.read ??= read;
  }

  /** A run asked for the lease of a process. */
  asksForLease(run: StartedRun, processId: string): void {
    const pass = run.passes.get(processId);
    if (!pass) return;
    pass.isLeased ||= !pass.isPass;
    this.#passBegins(run, processId, pass);
  }

  /** A run asked the service about a process, with so many requests that count. */
  asksService(run: StartedRun, processId: string, requests: number): void {
    const pass = run.passes.get(processId);
    if (!pass) throw new Violation(6, `a run asks about ${processId}, which its message does not name`);
    pass.requests += requests;
    this.#passBegins(run, processId, pass);
  }

  #passBegins(run: StartedRun, processId: string, pass: StartedPass): void {
    if (pass.isPass) return;
    pass.isPass = true;
    const { message, began } = run;
    const { mode, isAsked, expiresAt } = message;
    if (began >= expiresAt)
      throw new Violation(6, `a ${mode} pass began ${began - expiresAt} ms after its expiry`);
    if (isAsked) {
      if (this.#isEarly(run, this.#paceIn(processId, this.#completions) ?? null))
        this.#coverage.add('passes', 'asked before it is due');
      return;
    }
    if (mode === 'sweep') this.#checkSweepDue(run, pass);
    else if (pass.read?.isBaselined !== true)
      throw new Violation(6, `a changes pass that nobody asked for began without a baseline`);
    if (this.#isEarly(run, pass.read?.pace ?? null))
      throw new Violation(6, `a changes pass began before it was due: ${shown(run, pass)}`);
    // A message may come twice, and may have been sent twice.
    const name = nameOf(processId, message);
    if (this.#seen.has(name)) return;
    this.#seen.add(name);
    // When a pause is over is no matter of the interval.
    const isJudged = this.#current.has(name) && !run.isProbe;
    this.begun.push({ processId, mode, at: run.at, isJudged });
    if (mode === 'changes') this.#checkPace(processId, mode);
  }

  #checkSweepDue({ message: { dueAt = 0 }, began }: StartedRun, { read }: StartedPass): void {
    if (dueAt === 0 || !read || read.isSweepUnfinished || read.sweptAt > began) return;
    if (read.sweptAt >= dueAt)
      throw new Violation(6, `a sweep began that was completed ${read.sweptAt - dueAt} ms after it was due`);
  }

  /** A run ended by itself. `isFree`: it met no fault, and its clock stayed as it was. */
  ended(run: StartedRun, isFree: boolean, report: PollReport | undefined): void {
    const { message, began, passes, notes } = run;
    run.isEnded = true;
    if (notes > 1) throw new Violation(5, `a run wrote ${notes} times which of its passes were idle`);
    const isExpired = began >= message.expiresAt;
    for (const [processId, pass] of passes) {
      if (report?.outcome === 'polled') this.#endedPass(run, processId, report.processes.get(processId));
      else if (report && pass.isPass)
        throw new Violation(6, `a message that was dropped (${report.outcome}) began a pass of ${processId}`);
    }
    if (isExpired) this.#coverage.add('passes', 'dropped past its expiry');
    if (report?.outcome === 'polled') this.#checkFailures(report);
    if (!isFree || !report || isExpired) return;
    if (report.outcome === 'expired') throw new Violation(1, 'a message was dropped before its expiry');
    if (report.outcome === 'polled')
      for (const [processId, pass] of passes)
        this.#checkDropped(run, processId, pass, report.processes.get(processId));
  }

  /** What became of one pass. */
  #endedPass(run: StartedRun, processId: string, polled: Polled | undefined): void {
    const { message, at, passes, noted } = run;
    if (!polled) throw new Violation(1, `a run says nothing of ${processId}, which its message names`);
    const pass = passes.get(processId) as StartedPass;
    const report = 'report' in polled ? polled.report : undefined;
    if (noted.has(processId) && !report?.idle)
      throw new Violation(1, `a run noted that its pass of ${processId} was idle: ${JSON.stringify(polled)}`);
    if (!report) return;
    if (pass.isPass && !message.isAsked) this.#coverage.add('passes', report.mode);
    if (report.idle) this.#checkIdle(run, processId, pass, report.idle.completedAt);
    if (report.outcome !== 'completed' || message.isAsked) return;
    // Ticks also continue what an operator asked for, beside the sweeps that are due.
    const isOwn = message.dueAt !== undefined && !this.#of(processId).isSweepAsked;
    const isJudged =
      isOwn &&
      !this.#isTwin(processId, message) &&
      !isRepeated(message, pass) &&
      this.#current.has(nameOf(processId, message));
    this.completed.push({ processId, mode: message.mode, at, requests: pass.requests, isJudged });
    if (message.mode === 'sweep') this.#checkSweeps(processId);
  }

  #checkIdle(run: StartedRun, processId: string, pass: StartedPass, completedAt: number): void {
    this.#coverage.add('passes', 'idle');
    // With rules, a pass that finds no change emits what fell due; judge.ts has a check of its own for those.
    if (pass.written.rows > 0 && !this.#hasRules)
      throw new Violation(5, `an idle pass wrote ${pass.written.rows} rows of ${processId}`);
    // What another run wrote that completed one then or later stays, until a pass finds something.
    const text = this.#completions.get(processId);
    const latest =
      text === undefined ? run.left.get(processId) : (JSON.parse(text) as Completion).completedAt;
    if (!run.noted.has(processId) && (latest === undefined || latest < completedAt))
      throw new Violation(1, `nobody noted that the pass of ${processId} was idle`);
  }

  /** A message that was sent again while its sweep ran may have begun it a second time; `#checkSweepDue` judges one
   *  that begins later. */
  #isTwin(processId: string, { mode, dueAt = 0 }: PassMessage): boolean {
    if (mode !== 'sweep') return false;
    const known = this.#of(processId);
    const isTwin = known.sweptFor === dueAt;
    known.sweptFor = dueAt;
    return isTwin;
  }

  #checkFailures({ processes }: PollReport): void {
    const all = [...processes.values()];
    const hasFailed = all.some(one => 'error' in one);
    const hasCompleted = all.some(one => 'report' in one && one.report.outcome === 'completed');
    if (hasFailed && hasCompleted) this.#coverage.add('passes', 'one fails beside another');
  }

  /** Checks a pass that was not made. */
  #checkDropped(run: StartedRun, processId: string, pass: StartedPass, polled: Polled | undefined): void {
    if (!polled || 'error' in polled || polled.report.outcome !== 'not-due') return;
    const { message, began, baselined } = run;
    if (message.isAsked) throw new Violation(1, 'a pass that an operator asked for was dropped');
    const { read } = pass;
    // A baseline that was completed while the rows were read may not be among them.
    const isKnown = baselined?.has(processId) === true;
    const isDue = message.mode === 'sweep' ? isSweepDue(message, read) : isKnown && isChangesDue(began, read);
    if (isDue)
      throw new Violation(1, `a ${message.mode} pass was dropped, although it was due: ${shown(run, pass)}`);
    this.#coverage.add('passes', message.mode === 'sweep' ? 'sweep dropped' : 'dropped before it is due');
  }

  /** Told of the items of a table that was restored, as records, at this true time. */
  restored(records: readonly DynamoDBRecord[], at: number): void {
    this.forget(at);
    this.#known.clear();
    this.#completions.clear();
    this.wrote(records, undefined);
  }

  /** Told of the records of one write, and who sent it. */
  wrote(records: readonly DynamoDBRecord[], by: string | undefined): void {
    const run = by === undefined ? undefined : this.#runs.get(by);
    for (const { dynamodb } of records) {
      this.#watchClaim(dynamodb);
      this.#watchCompletions(dynamodb, run);
      const [pk, sk] = [dynamodb?.Keys?.pk?.S ?? '', dynamodb?.Keys?.sk?.S ?? ''];
      const [, processId] = /^W#.*#P#(.*)$/.exec(pk) ?? [];
      if (!dynamodb || processId === undefined) continue;
      const pass = run?.passes.get(processId);
      if (pass) count(pass.written, sk);
      if (sk === 'STATE') this.#watchBaseline(processId, dynamodb);
      if (sk === 'PASS#changes') this.#watchChanges(processId, dynamodb, run);
      if (sk === 'PASS#sweep') this.#watchSweep(processId, dynamodb, run);
    }
    if (run && records.some(isOfCompletions)) run.notes += 1;
  }

  #of(processId: string): Known {
    const known = this.#known.get(processId) ?? {
      ...{ pace: undefined, completedAt: 0, completedBy: undefined, ends: 0, endedBy: undefined },
      ...{ isBaselined: false, leaseOwner: undefined },
      ...{ sweptAt: 0, isSweepUnfinished: false, isSweepAsked: false },
    };
    this.#known.set(processId, known);
    return known;
  }

  /** The pace of a process, be it in its own row or with its last idle pass. */
  #paceIn(processId: string, completions: ReadonlyMap<string, string> | undefined): Pace | undefined {
    const { pace, completedAt, isBaselined } = this.#of(processId);
    const text = completions?.get(processId);
    const idle = text === undefined ? undefined : (JSON.parse(text) as Completion);
    return idle && isBaselined && idle.completedAt >= completedAt ? (idle.pace ?? pace) : pace;
  }

  #watchBaseline(processId: string, { NewImage }: StreamRecord): void {
    const known = this.#of(processId);
    const isBaselined = NewImage?.baselined?.BOOL === true;
    if (isBaselined !== known.isBaselined) this.forget();
    known.isBaselined = isBaselined;
  }

  #watchChanges(processId: string, { NewImage }: StreamRecord, run: StartedRun | undefined): void {
    const known = this.#of(processId);
    const pass = run?.passes.get(processId);
    const owner = NewImage?.leaseOwner?.S;
    if (pass && owner !== undefined && owner !== known.leaseOwner) this.#checkTaken(processId, pass);
    known.leaseOwner = owner;
    // The end of a baseline that is written once more moves the state back, to what it was: then changes are read twice.
    const endedBy = NewImage?.endedBy?.S;
    if (endedBy !== undefined && endedBy !== known.endedBy) known.ends += 1;
    known.endedBy = endedBy ?? known.endedBy;
    const completedAt = Number(NewImage?.completedAt?.N ?? 0);
    if (completedAt !== known.completedAt) Object.assign(known, { completedAt, completedBy: run });
    const text = NewImage?.pace?.S;
    const pace = text === undefined ? undefined : (JSON.parse(text) as Pace);
    if (pace && run && pass && text !== JSON.stringify(known.pace)) this.#checkNext(run, pass, pace);
    known.pace = pace;
  }

  /** A pass that found something took the lease: since it read the state, no other may have ended. */
  #checkTaken(processId: string, { isLeased, read }: StartedPass): void {
    if (isLeased || !read) return;
    const { ends } = this.#of(processId);
    if (ends === read.ends) this.#coverage.add('passes', 'lease taken for what was found');
    else
      throw new Violation(8, `a pass of ${processId} took the lease, although another one ended meanwhile`);
  }

  #watchSweep(processId: string, { NewImage }: StreamRecord, run: StartedRun | undefined): void {
    const known = this.#of(processId);
    const isSweepUnfinished = NewImage?.window !== undefined;
    const isBegun = isSweepUnfinished && !known.isSweepUnfinished;
    // An operator asked for it, or nothing did.
    const isExtra = run?.message.dueAt === undefined;
    Object.assign(known, {
      ...{ sweptAt: Number(NewImage?.sweepCompletedAt?.N ?? 0), isSweepUnfinished },
      isSweepAsked: isBegun ? isExtra : known.isSweepAsked,
    });
  }

  #watchCompletions(record: StreamRecord | undefined, run: StartedRun | undefined): void {
    if (record?.Keys?.pk?.S !== WORKSPACES) return;
    const { S: text, B: bytes } = record.NewImage?.completions ?? {};
    if (text === undefined && bytes === undefined) return;
    // A file has them as text.
    const found = text === undefined ? decode(Buffer.from(String(bytes), 'base64')) : JSON.parse(text);
    const completions = found as Record<string, Completion>;
    // All processes of a plan are in one group.
    for (const id of this.#completions.keys())
      if (!Object.hasOwn(completions, id)) this.#completions.delete(id);
    for (const [processId, completion] of Object.entries(completions)) {
      const entry = JSON.stringify(completion);
      run?.left.set(processId, completion.completedAt);
      const before = this.#completions.get(processId);
      if (before === entry) continue;
      this.#completions.set(processId, entry);
      // A run writes again what it found, or adds that the process is stalled, or when it was swept.
      const isSame =
        before !== undefined && (JSON.parse(before) as Completion).completedAt === completion.completedAt;
      if (!run || isSame) continue;
      const pass = run.passes.get(processId);
      if (!pass?.isPass)
        throw new Violation(1, `a run noted a pass of ${processId} that it did not make: ${entry}`);
      run.noted.add(processId);
      if (completion.pace) this.#checkNext(run, pass, completion.pace);
    }
  }

  #watchClaim(record: StreamRecord | undefined): void {
    if (record?.Keys?.pk?.S !== 'TICK') return;
    const claimed = Number(record.NewImage?.claimedThrough?.N);
    if (claimed < this.#claimed) this.#coverage.add('tick', 'claim ahead of a clock that was set back');
    this.#claimed = claimed;
  }

  #isFixed(processId: string): boolean {
    return this.#of(processId).isBaselined && !isAdaptive(this.#rhythm);
  }

  #isEarly({ message, clock, began }: StartedRun, pace: Pace | null): boolean {
    const { fastest, slowest } = this.#rhythm;
    if (!pace || message.mode === 'sweep') return false;
    // Its clock may have been set back since the run began: either time may be the one that it went by.
    return [began, clock()].every(now => {
      // A time so far ahead was written by a wrong clock.
      const isAbsurd = pace.dueAt > now + slowest + 60_000;
      return !isAbsurd && now < pace.dueAt - fastest / 2 - 1;
    });
  }

  /** Each message may come at any time of its interval: so two may come close together, but not three. */
  #checkPace(processId: string, mode: Mode): void {
    const { fastest } = this.#rhythm;
    const step = this.#isFixed(processId) ? fastest : Math.min(fastest, 60_000);
    const ofMode = this.begun
      .slice(this.#forgotten.begun)
      .filter(one => one.isJudged && one.mode === mode && one.processId === processId);
    this.#checkSpan(ofMode.slice(-LAST), mode, step);
  }

  /** The same of sweeps that were completed; one that was not is tried again. */
  #checkSweeps(processId: string): void {
    const sweeps = this.completed
      .slice(this.#forgotten.completed)
      .filter(one => one.isJudged && one.mode === 'sweep' && one.processId === processId);
    this.#checkSpan(sweeps.slice(-LAST), 'sweep', this.#sweep);
  }

  #checkSpan(passes: readonly Pick<Begun, 'at'>[], mode: Mode, step: number): void {
    const times = passes.map(one => one.at).sort((one, other) => one - other);
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
  #checkNext(run: StartedRun, pass: StartedPass, { wait }: Pace): void {
    const { fastest, slowest } = this.#rhythm;
    const before = (pass.isLeased ? pass.readBehindLease : pass.read)?.pace ?? undefined;
    const slower = before ? Math.min(2 * before.wait, slowest) : fastest;
    const { projects, records } = pass.written;
    const [hasFound, isUnclear] = [projects > 0 && records > 0, projects + records > 0];
    // It is open whether a commit without events, or an event about the process, counts as found; and so
    // is a write that worked although the run got an error.
    const isFast = wait === fastest && isUnclear;
    const isSlow = wait === slower && !(hasFound && run.isFree());
    // The next value may fall due by a rule before that.
    const isSooner = this.#hasRules && wait >= fastest && wait <= slower;
    if (!isFast && !isSlow && !isSooner)
      throw new Violation(
        6,
        `a pass that wrote ${JSON.stringify(pass.written)} waits ${wait} ms: ${shown(run, pass)}`,
      );
    if (before && wait > before.wait) this.#coverage.add('passes', 'a slower pace');
    if (before && wait < before.wait) this.#coverage.add('passes', 'the fastest pace again');
  }
}

function count(written: StartedPass['written'], sk: string): void {
  written.rows += 1;
  if (sk.startsWith(PROJECT_PREFIX)) written.projects += 1;
  if (sk.startsWith(CHANGE)) written.records += 1;
}

function isChangesDue(began: number, read: Read | undefined): boolean {
  return read?.isBaselined === true && (!read.pace || began >= read.pace.dueAt);
}

function isSweepDue({ dueAt = 0 }: PassMessage, read: Read | undefined): boolean {
  return read !== undefined && (dueAt === 0 || read.isSweepUnfinished || read.sweptAt < dueAt);
}

function isOfCompletions({ dynamodb }: DynamoDBRecord): boolean {
  return dynamodb?.Keys?.pk?.S === WORKSPACES && dynamodb.NewImage?.completions !== undefined;
}

function nameOf(processId: string, { mode, expiresAt }: PassMessage): string {
  return `${processId}: ${mode} until ${expiresAt}`;
}

function shown({ message, began, at }: StartedRun, pass: StartedPass): string {
  return JSON.stringify({ message, began, at, pass });
}
