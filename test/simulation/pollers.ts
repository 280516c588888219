import type { SQSRecord } from 'aws-lambda';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import type { Poll } from '../../functions/handlers/create-poll.ts';
import type { PollReport } from '../../functions/handlers/workspace-run.ts';
import type { Batch, Serve } from '../../functions/queue/queue.ts';
import { askedPass, type PassMessage, passMessage } from '../../functions/schedule/pass-message.ts';
import type { ServiceConnection } from '../../functions/service/service.ts';
import { API_PATH, AUTH_PATH } from '../../simulator/answer.ts';
import { batchOf, messageOf, NOTHING_MALFORMED } from '../kit/delivery/setting.ts';
import { Encounters } from './encounters.ts';
import type { Strike } from './faults.ts';
import { type Over, type Sent, VirtualAgent } from './http.ts';
import { calling, type Gate, Life, ProcessLife } from './life.ts';
import { rulesOf } from './oracle/due.ts';
import { type PassesOracle, type StartedRun, startedPass } from './oracle/passes.ts';
import type { SharesOracle } from './oracle/shares.ts';
import { Violation } from './oracle/violation.ts';
import type { Run } from './plan.ts';
import { isOfWorkspace, type PortCall, requestCall } from './port-calls.ts';
import type { Release } from './releases/release.ts';
import { ORIGIN, processIn, type ServiceSide, serviceBoundary } from './service-side.ts';
import { PROCESS, processesIn, type Shared, WORKSPACE } from './shared.ts';

/** A run, until it ends or dies. */
interface Running {
  readonly owner: string;
  readonly run: StartedRun;
  /** Which makes its calls. */
  readonly life: Life;
  readonly died: () => void;
  /** Whether it asks whether the service answers again. */
  isProbing: boolean;
  /** Whether its workspace was paused, and how many requests at once it left, when the run looked last. */
  wasPaused: boolean;
  free: number;
  /** The outcome of its message. */
  ended: Ended;
}

/** A process in which the poll function runs. It lives until something kills it. */
interface Environment {
  /** Makes the process's calls. */
  readonly life: Life;
  readonly clock: Clock;
  readonly poll: Serve;
  /** The run that calls: on AWS the one that it serves, or served last. */
  readonly running: () => Running | undefined;
  readonly isBusy: () => boolean;
  begin(running: (life: Life) => Running, strikes: readonly Strike[]): Running;
  end(running: Running): void;
}

/** `processes`: those of its message, instead of those that `also` chooses. */
export type RunRequest = Run & { readonly processes?: readonly string[] };

/** Told of each run that was answered with a page of the audit log, of the users that a process knows, and of each commit of a
 *  project that was too large. */
export interface Heard {
  readLog(run: string, processId: string): void;
  knowsUsers(processId: string, ids: readonly string[]): void;
  tooLarge(processId: string, projectId: string): void;
}

/** What judges runs. */
interface Judges {
  readonly paces: PassesOracle;
  readonly shares: SharesOracle;
}

/** A run that is under way. */
interface Walking {
  readonly requestId: string;
  readonly release: Release;
  /** Whether it is in a meeting. */
  readonly isMeeting: boolean;
}

/** How a run ended; undefined: its process died. */
export type Ended = { readonly report: PollReport } | { readonly error: Error } | undefined;

/** The request of a run, and the faults that it meets. */
interface Started {
  readonly record: Pick<SQSRecord, 'messageId' | 'body'> & { readonly receiptHandle?: string };
  /** The queue as a process reaches it. */
  readonly queueOf: (life: Life) => Batch['queue'];
  readonly budget: number;
  readonly strikes: readonly Strike[];
  readonly gate?: Gate;
}

/** As deployed: infra/parts/poll.ts. */
const LIMIT_MS = 900_000;
/** How long the message of a pass that nobody asked for may wait. */
const EXPIRY_MS = 3_600_000;
/** When a message is received again whose run found no share of the workspace, in ms. */
const FULL_MS = 5_000;

/** Lambda's part of the poll function, or that of one machine: starts runs in existing or new processes, and kills those that
 *  take too long. */
export class Pollers {
  readonly #shared: Shared;
  readonly #service: ServiceSide;
  readonly #judges: Judges;
  readonly #heard: Heard;
  readonly #processes: readonly string[];
  readonly #environments: Environment[] = [];
  readonly #walking = new Set<Walking>();
  readonly #encounters: Encounters;
  #step = 0;
  #runs = 0;
  #started = 0;
  #turns = 0;
  /** Messages that come again soon. */
  #waiting = 0;
  #stops = 0;

  constructor(shared: Shared, service: ServiceSide, judges: Judges, heard: Heard) {
    this.#heard = heard;
    this.#shared = shared;
    this.#service = service;
    this.#judges = judges;
    this.#encounters = new Encounters(shared.coverage);
    this.#processes = processesIn(shared.plan);
  }

  /** The settings of the workspace as the functions of a release read them. */
  settingsOf({ workspaceSettings }: Release): WorkspaceSettings {
    const { schedule, concurrency, audit } = this.#shared.plan;
    const settings = workspaceSettings({
      name: WORKSPACE,
      baseUrl: ORIGIN + API_PATH,
      authUrl: ORIGIN + AUTH_PATH,
      audience: this.#service.backend.credentials.audience,
      credentials: 'unused',
      concurrency,
      processes: this.#processes.map(id => ({
        ...{ id, audit },
        ...(schedule && { changes: schedule.changes, sweep: schedule.sweep }),
      })),
    });
    const rules = rulesOf(this.#shared.plan);
    if (rules.length === 0) return settings;
    const processes = () =>
      settings.processes.map(process => ({ ...process, rules: [...rules], timeZone: this.#timeZone }));
    // Each pass reads the configuration of its time.
    return Object.defineProperty({ ...settings }, 'processes', { get: processes, enumerable: true }) as never;
  }

  get #timeZone(): string {
    const { zones: [before, after] = ['UTC', 'UTC'], turn = 0 } = this.#shared.plan.rules ?? {};
    return this.#step < turn ? before : after;
  }

  /** The plan's step with this number begins. */
  reach(step: number): void {
    this.#step = step;
  }

  isWalking(owner: string): boolean {
    return [...this.#walking].some(({ requestId }) => owner.startsWith(`${requestId}/`));
  }

  get areIdle(): boolean {
    return this.#walking.size === 0 && this.#waiting === 0;
  }

  /** Whether a run that begins now finds no share of the workspace. */
  isFull(mode: PassMessage['mode']): boolean {
    return this.#judges.shares.free(this.#shared.clocks.latest, mode === 'sweep') <= 0;
  }

  /** Ends all processes, and so all runs. */
  stop(): void {
    this.#stops += 1;
    for (const { life } of this.#environments) life.kill();
  }

  /** Begins a run that somebody asked for; now and then two of them, because requests arrive at least
   *  once. Settles when it ends, or when its process dies. */
  run(request: RunRequest): Promise<Ended> {
    const { coverage, nature, plan, random } = this.#shared;
    if (request.asked === false) coverage.add('passes', 'not asked for');
    const processes = this.#processesOf(request);
    // A sweep has a message of its own.
    if (request.mode === 'sweep')
      for (const processId of processes.slice(1))
        void this.#insist({ ...request, strikes: [], processes: [processId] });
    if (nature.faulty && random() < plan.mess.sameRequest) {
      coverage.add('poller', 'same request twice');
      void this.#insist({ ...request, processes, strikes: [] }, this.#runs + 1);
    }
    return this.#insist({
      ...request,
      processes: request.mode === 'sweep' ? processes.slice(0, 1) : processes,
    });
  }

  /** Begins a run whose calls wait at `gate`. Settles as others do. */
  runThrough(gate: Gate, request: RunRequest): Promise<Ended> {
    const processes = this.#processesOf(request).slice(0, request.mode === 'sweep' ? 1 : undefined);
    return this.#run(this.#nextRequest(), { ...request, processes }, gate);
  }

  /** Begins the run that a message of the queue starts. Settles as others do; `isAgain`: its message must come again. */
  async serve(
    record: SQSRecord,
    queueOf: Started['queueOf'],
    strikes: readonly Strike[],
  ): Promise<{ readonly ended: Ended; readonly isAgain: boolean }> {
    const started = { record, queueOf, budget: LIMIT_MS, strikes };
    const ended = await this.#start(this.#nextRequest(), this.#free(), started);
    return { ended, isAgain: isFull(ended) };
  }

  /** Counts a run that begins while one of another release is under way. */
  #countReleases({ release, isMeeting }: Walking): void {
    const others = [...this.#walking].filter(other => other.release !== release);
    if (others.length === 0) return;
    this.#shared.coverage.add('releases', 'two at once');
    if (isMeeting && others.some(other => other.isMeeting))
      this.#shared.coverage.add('releases', 'meeting of two');
  }

  #nextRequest(): string {
    this.#runs += 1;
    return `run-${this.#runs}`;
  }

  #processesOf({ also = 0, processes }: RunRequest): readonly string[] {
    if (processes) return processes;
    const [first = PROCESS, ...others] = this.#processes;
    return [first, ...others.filter((_, index) => (also >> index) % 2 === 1)];
  }

  #free(): Environment {
    const release = this.#shared.releases.draw('poll');
    const isFree = ({ life, isBusy }: Environment) => !isBusy() && !life.isDead && life.release === release;
    return this.#environments.find(isFree) ?? this.#create(release);
  }

  /** Begins runs until one of them finds a share of the workspace, as the queue does with their message. */
  async #insist(request: RunRequest, number?: number): Promise<Ended> {
    const { scheduler, coverage } = this.#shared;
    const stops = this.#stops;
    const until = scheduler.now + EXPIRY_MS;
    let requestId = number === undefined ? this.#nextRequest() : `run-${number}`;
    for (;;) {
      const ended = await this.#run(requestId, request);
      if (!isFull(ended) || scheduler.now >= until) return ended;
      coverage.add('passes', 'again without a share');
      this.#waiting += 1;
      await scheduler.sleep(FULL_MS);
      this.#waiting -= 1;
      if (this.#stops !== stops) return ended;
      requestId = this.#nextRequest();
    }
  }

  #run(
    requestId: string,
    { mode, budget, strikes, asked = true, processes = [PROCESS] }: RunRequest,
    gate?: Gate,
  ): Promise<Ended> {
    const environment = this.#free();
    const now = environment.clock();
    const { isAsked, ...own } = askedPass({ workspace: WORKSPACE, processId: PROCESS }, mode, now);
    const message: PassMessage = {
      ...own,
      processes: [...processes],
      expiresAt: now + EXPIRY_MS,
      ...(asked && isAsked && { isAsked }),
    };
    const record = { messageId: requestId, body: JSON.stringify(message) };
    const queueOf = () => batchOf([], 'passes').queue;
    return this.#start(requestId, environment, { record, queueOf, budget, strikes, ...(gate && { gate }) });
  }

  #start(requestId: string, environment: Environment, started: Started): Promise<Ended> {
    const { scheduler, coverage } = this.#shared;
    const { record, budget, strikes, gate } = started;
    const { paces, shares } = this.#judges;
    if (!this.areIdle) coverage.add('poller', 'two at once');
    const { promise, resolve } = Promise.withResolvers<Ended>();
    const deadline = scheduler.now + budget;
    const { clock } = environment;
    const owner = `${requestId}.${++this.#turns}`;
    const nothing = { isProbing: false, wasPaused: false, free: 0, ended: undefined };
    const died = () => {
      if (running.run.passes.size > 1) coverage.add('neighbour', 'killed with others');
      end(undefined);
    };
    const running = environment.begin(
      life => ({ owner, run: startedRun(record, environment, life, scheduler.wall), life, died, ...nothing }),
      strikes,
    );
    const { life, run } = running;
    paces.begins(run, owner);
    shares.begins(owner, { message: run.message, clock, connection: environment });
    life.passThrough(gate);
    const walking = { requestId, release: life.release, isMeeting: gate !== undefined };
    this.#encounters.began(life);
    this.#countReleases(walking);
    this.#walking.add(walking);
    const timeout = scheduler.after(budget, () => {
      coverage.add('poller', 'killed at its time-out');
      life.kill();
    });
    const end = (ended: Ended) => {
      timeout();
      if (!ended) shares.died(owner);
      environment.end(running);
      this.#encounters.ended(life);
      this.#walking.delete(walking);
      resolve(ended);
    };
    const { restless } = this.#service;
    const before = restless.count;
    const offset = clock() - scheduler.wall;
    const context = { awsRequestId: requestId, getRemainingTimeInMillis: () => deadline - scheduler.now };
    const { receiptHandle: receipt = requestId } = record;
    const messages = [{ ...messageOf(record.messageId, record.body), receipt }];
    const invoke = () => environment.poll({ messages, queue: started.queueOf(environment.life) }, context);
    calling.run(life, invoke).then(
      () => {
        const { ended } = running;
        const report = ended && 'report' in ended ? ended.report : undefined;
        const main = report?.processes.get(PROCESS);
        const pass = main && 'report' in main ? main.report : undefined;
        if (pass?.mode === 'sweep' && pass.outcome === 'completed') restless.swept(before);
        if (pass?.outcome === 'unfinished') coverage.add('poller', 'out of time');
        const isFree = life.struck === 0 && clock() - scheduler.wall === offset;
        this.#shared.judge(() => {
          paces.ended(run, isFree, report);
          shares.ended(owner, isFree, report?.outcome === 'polled');
          this.#checkUnserved(running, isFree, report);
        });
        end(ended);
      },
      error => this.#shared.fail(new Violation(1, `a message would be retried: ${error}`)),
    );
    return promise;
  }

  /** Checks a run that asked the service nothing, and what its shares became. */
  #checkUnserved({ run, life, owner, free, wasPaused }: Running, isFree: boolean, report?: PollReport): void {
    const { coverage } = this.#shared;
    for (const one of report?.processes.values() ?? [])
      if ('report' in one && one.report.cutOff?.includes(life.release.SHARE_LOST))
        coverage.add('workspace', 'share lost');
    if (report?.outcome === 'paused') {
      coverage.add('workspace', 'found paused');
      const rows = [...run.passes.values()].map(({ written }) => written.rows);
      if (rows.some(written => written > 0)) coverage.add('workspace', 'silence told while paused');
    }
    if (!isFree) return;
    if (report?.outcome === 'paused' && (!wasPaused || run.message.isAsked))
      throw new Violation(1, `${owner} was dropped for a pause that there is not`);
    if (report?.outcome === 'full' && free > 0 && this.#judges.shares.isStrict)
      throw new Violation(12, `${owner} found no share, although ${free} request(s) at once are free`);
  }

  #create(release: Release): Environment {
    const { nature, clocks, coverage, log, random, plan, storage } = this.#shared;
    const isOne = plan.together && storage.isLocal;
    const own = isOne ? processOfAll(nature) : processOfOne(nature, release);
    const { life } = own;
    const clock = clocks.of(isOne ? 0 : this.#started++);
    const sleep: Sleep = (ms, signal) => life.sleep(ms, signal);
    const { snapshots, workspaces } = storage.reachedBy({
      ...{ life, clock, sleep },
      ran: (call, isDone, processId) => this.#ran(own.running(), call as PortCall, isDone, processId),
    });
    const until: typeof snapshots.until = deadline => {
      const whole = snapshots.until(deadline);
      const commit: typeof whole.commit = async (process, request) => {
        // With rules, what falls due and has no room is emitted later, as the judge does not know.
        if (plan.rules || request.events.length <= plan.commitSize) return whole.commit(process, request);
        coverage.add('poller', 'commit too large');
        this.#heard.tooLarge(process.processId, request.projectId);
        return 'too-large';
      };
      const saveUsers: typeof whole.saveUsers = async (process, users) => {
        await whole.saveUsers(process, users);
        const ids = users.names.map(([id]) => id);
        this.#heard.knowsUsers(process.processId, ids);
      };
      return { ...whole, commit, saveUsers };
    };
    const { clientId, clientSecret } = this.#service.backend.credentials;
    const connectTo = (workspace: WorkspaceSettings): ServiceConnection => {
      const connection = release.connect({
        ...workspace,
        credentials: async () => ({ clientId, clientSecret }),
        clock,
        random,
        sleep,
        pageSize: plan.pageSize,
        openAgent: () => this.#agent(life, own.running),
        onNotice: notice => log.warn(notice.message, notice),
      });
      return {
        ...connection,
        probe: async processId => {
          const running = own.running() as Running;
          running.isProbing = true;
          try {
            await connection.probe(processId);
          } finally {
            running.isProbing = false;
          }
        },
      };
    };
    const poll = release.createPoll({
      workspaces: [this.settingsOf(release)],
      snapshots: { ...snapshots, until },
      ...{ rows: workspaces, connect: connectTo, clock, random, log },
    });
    const heard: Poll = async (request, context) => {
      const running = own.running() as Running;
      try {
        const report = await poll(request, context);
        running.ended = { report };
        return report;
      } catch (error) {
        running.ended = { error: error as Error };
        throw error;
      }
    };
    const environment = { ...own, clock, poll: release.createPollHandler(heard, NOTHING_MALFORMED, log) };
    this.#environments.push(environment);
    return environment;
  }

  #agent(life: Life, runningNow: Environment['running']): VirtualAgent {
    const probes = new WeakSet<Sent>();
    const serve = (request: Sent) => {
      const running = runningNow();
      const boundary = serviceBoundary(request);
      const processId = processIn(request.path);
      const isOfPass = running !== undefined && !probes.has(request);
      if (isOfPass) this.#encounters.called(running.life, processId ?? PROCESS, requestCall(boundary), true);
      const before = this.#service.requests.length;
      const reply = this.#service.serve(request);
      const count = this.#service.requests.length - before;
      if (isOfPass && processId !== undefined)
        this.#shared.judge(() => this.#judges.paces.asksService(running.run, processId, count));
      if (running && boundary === 'service.audit log' && reply.status === 200)
        this.#heard.readLog(running.owner, processId ?? PROCESS);
      return reply;
    };
    const begins = (request: Sent): Over => {
      const running = runningNow();
      if (!running) return () => {};
      const isToken = serviceBoundary(request) === 'service.token';
      let over: ReturnType<SharesOracle['asks']> = () => {};
      this.#shared.judge(() => {
        if (isProbe(running, request)) probes.add(request);
        const what = isToken ? 'token' : probes.has(request) ? 'probe' : 'other';
        over = this.#judges.shares.asks(running.owner, what);
      });
      const { scheduler } = this.#shared;
      const since = scheduler.now;
      return reply => {
        const seconds = reply?.headers['retry-after'];
        over(reply?.status, seconds === undefined ? undefined : Number(seconds));
        this.#service.exchanges.push({ path: request.path, since, until: scheduler.now });
      };
    };
    const heard = (request: Sent) => void this.#service.answered.push(request.path);
    return new VirtualAgent(life, serviceBoundary, serve, heard, begins);
  }

  #ran(running: Running | undefined, call: PortCall, isDone: boolean, processId: string | undefined): void {
    if (!running) {
      this.#shared.wrote();
      return;
    }
    const { run, life, owner } = running;
    const { paces, shares } = this.#judges;
    if (processId !== undefined && !isOfWorkspace(call))
      this.#encounters.called(life, processId, call, isDone);
    const look = () => {
      running.wasPaused = shares.pause !== undefined;
      running.free = shares.free(run.clock(), run.message.mode === 'sweep');
    };
    if (call === 'read shares') look();
    this.#shared.judge(() => {
      if (call === 'completions') paces.readCompletions(run);
      if (processId === undefined) return;
      if (call === 'read state') paces.readBaseline(run, processId);
      if (call === 'rechecks') paces.read(run, processId);
      if (call === 'take lease') paces.asksForLease(run, processId);
    });
    this.#shared.wrote(owner);
    if (call === 'change shares') {
      run.isProbe = shares.isProbe(owner);
      if (this.#shared.storage.isLocal) look();
    }
  }
}

/** Whether a request asks only whether the service answers: other passes of its run may be under way. */
function isProbe({ isProbing }: Running, { path }: Sent): boolean {
  return isProbing && path.endsWith('/projects?first=1');
}

function isFull(ended: Ended): boolean {
  return ended !== undefined && 'report' in ended && ended.report.outcome === 'full';
}

/** What a new process is made of. */
type Own = Omit<Environment, 'clock' | 'poll'>;

/** A process that serves one run at a time, as on AWS. */
function processOfOne(nature: Shared['nature'], release: Release): Own {
  let running: Running | undefined;
  let isBusy = false;
  const died = () => {
    if (isBusy) running?.died();
  };
  const life: Life = new Life(nature, died, release);
  return {
    life,
    running: () => running,
    isBusy: () => isBusy,
    begin(begun, strikes) {
      isBusy = true;
      life.expect(strikes);
      running = begun(life);
      return running;
    },
    end: () => {
      isBusy = false;
    },
  };
}

/** A process that serves all runs, as on one machine. When one of them dies, all do. */
function processOfAll(nature: Shared['nature']): Own {
  const runs = new WeakMap<Life, Running>();
  const life = new ProcessLife(nature, () => {});
  return {
    life,
    running: () => runs.get(calling.getStore() as Life),
    isBusy: () => false,
    begin(begun, strikes) {
      const own: Life = life.begin(strikes, () => runs.get(own)?.died());
      const running = begun(own);
      runs.set(own, running);
      return running;
    },
    end: running => life.ends(running.life),
  };
}

function startedRun({ body }: Started['record'], { clock }: Environment, life: Life, at: number): StartedRun {
  const message = passMessage.parse(JSON.parse(body));
  return {
    ...{ message, clock, began: clock(), at },
    passes: new Map(message.processes.map(processId => [processId, startedPass()])),
    ...{ noted: new Set(), left: new Map(), notes: 0, isEnded: false, isProbe: false },
    isFree: () => life.struck === 0,
  };
}
