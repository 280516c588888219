import type { SQSRecord } from 'aws-lambda';
import type { Clock, Sleep } from '../../functions/basics/clock.ts';
import { workspaceSettings } from '../../functions/config/read.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import {
  createPoll,
  createPollHandler,
  type Poll,
  type PollReport,
} from '../../functions/handlers/create-poll.ts';
import { askedPass, passMessage } from '../../functions/schedule/pass-message.ts';
import { connect } from '../../functions/service/client.ts';
import { API_PATH, AUTH_PATH } from '../../simulator/answer.ts';
import { NOTHING_MALFORMED } from '../kit/delivery/given.ts';
import { batchOf, messageOf } from '../kit/delivery/setting.ts';
import { Encounters } from './encounters.ts';
import type { Strike } from './faults.ts';
import { type Sent, VirtualAgent } from './http.ts';
import { type Gate, Life } from './life.ts';
import type { PassesOracle, StartedRun } from './oracle/passes.ts';
import { Violation } from './oracle/violation.ts';
import { type PortCall, requestCall } from './port-calls.ts';
import { ORIGIN, type ServiceSide, serviceBoundary } from './service-side.ts';
import { PROCESS, type Shared, WORKSPACE } from './shared.ts';

/** One execution environment of the poll function: it serves one run at a time, and lives until something kills it. */
interface Environment {
  readonly life: Life;
  readonly poll: ReturnType<typeof createPollHandler>;
  readonly clock: Clock;
  isBusy: boolean;
  /** The run that it serves, or served last: two may serve one request. */
  owner: string;
  /** What that run does. */
  run: StartedRun | undefined;
  /** The outcome of its message. */
  ended: { readonly report: PollReport } | { readonly error: Error } | undefined;
}

export interface RunRequest {
  readonly mode: 'changes' | 'sweep';
  readonly budget: number;
  readonly strikes: readonly Strike[];
}

/** Told of each run that was answered with a page of the audit log, and of each answer with users that arrived. */
export interface Heard {
  readLog(run: string): void;
  readUsers(): void;
}

/** How a run ended; undefined: its process died. */
export type Ended = Environment['ended'];

/** The request of a run, and the faults that it meets. */
interface Started {
  readonly record: Pick<SQSRecord, 'messageId' | 'body'>;
  readonly budget: number;
  readonly strikes: readonly Strike[];
  readonly gate?: Gate;
}

/** As deployed: infra/parts/poll.ts. */
const LIMIT_MS = 900_000;

/** Lambda's part of the poll function: starts runs in existing or new environments, and kills those that
 *  take too long. */
export class Pollers {
  readonly settings: WorkspaceSettings;
  readonly #shared: Shared;
  readonly #service: ServiceSide;
  readonly #oracle: PassesOracle;
  readonly #heard: Heard;
  readonly #environments: Environment[] = [];
  readonly #walking = new Set<{ readonly requestId: string }>();
  readonly #encounters: Encounters;
  #runs = 0;
  #started = 0;
  #turns = 0;

  constructor(shared: Shared, service: ServiceSide, oracle: PassesOracle, heard: Heard) {
    this.#heard = heard;
    this.#shared = shared;
    this.#service = service;
    this.#oracle = oracle;
    this.#encounters = new Encounters(shared.coverage);
    const { schedule, concurrency, audit } = shared.plan;
    this.settings = workspaceSettings({
      name: WORKSPACE,
      baseUrl: ORIGIN + API_PATH,
      authUrl: ORIGIN + AUTH_PATH,
      audience: service.backend.credentials.audience,
      credentials: 'unused',
      concurrency,
      processes: [
        { id: PROCESS, audit, ...(schedule && { changes: schedule.changes, sweep: schedule.sweep }) },
      ],
    });
  }

  isWalking(owner: string): boolean {
    return [...this.#walking].some(({ requestId }) => owner.startsWith(`${requestId}/`));
  }

  get areIdle(): boolean {
    return this.#walking.size === 0;
  }

  /** Ends all processes, and so all runs. */
  stop(): void {
    for (const { life } of this.#environments) life.kill();
  }

  /** Begins a run that somebody asked for; now and then two of them, because requests arrive at least
   *  once. Settles when it ends, or when its process dies. */
  run(request: RunRequest): Promise<Ended> {
    const { coverage, nature, plan, random } = this.#shared;
    const requestId = this.#nextRequest();
    if (nature.faulty && random() < plan.mess.sameRequest) {
      coverage.add('poller', 'same request twice');
      void this.#run(requestId, { ...request, strikes: [] });
    }
    return this.#run(requestId, request);
  }

  /** Begins a run whose calls wait at `gate`. Settles as others do. */
  runThrough(gate: Gate, request: RunRequest): Promise<Ended> {
    return this.#run(this.#nextRequest(), request, gate);
  }

  /** Begins the run that a message of the queue starts. Settles as others do. */
  serve(record: SQSRecord, strikes: readonly Strike[]): Promise<Ended> {
    return this.#start(this.#nextRequest(), this.#free(), { record, budget: LIMIT_MS, strikes });
  }

  #nextRequest(): string {
    this.#runs += 1;
    return `run-${this.#runs}`;
  }

  #free(): Environment {
    return this.#environments.find(one => !one.isBusy && !one.life.isDead) ?? this.#create();
  }

  #run(requestId: string, { mode, budget, strikes }: RunRequest, gate?: Gate): Promise<Ended> {
    const environment = this.#free();
    const message = askedPass({ workspace: WORKSPACE, processId: PROCESS }, mode, environment.clock());
    const record = { messageId: requestId, body: JSON.stringify(message) };
    return this.#start(requestId, environment, { record, budget, strikes, ...(gate && { gate }) });
  }

  #start(requestId: string, environment: Environment, started: Started): Promise<Ended> {
    const { scheduler, coverage } = this.#shared;
    const { record, budget, strikes, gate } = started;
    const walking = { requestId };
    if (!this.areIdle) coverage.add('poller', 'two at once');
    const { promise, resolve } = Promise.withResolvers<Ended>();
    const deadline = scheduler.now + budget;
    const { clock, life } = environment;
    const run = startedRun(record, environment, scheduler.wall);
    Object.assign(environment, {
      isBusy: true,
      owner: `${requestId}.${++this.#turns}`,
      run,
      ended: undefined,
    });
    this.#oracle.begins(run, environment.owner);
    life.expect(strikes);
    life.passThrough(gate);
    this.#encounters.began(life);
    this.#walking.add(walking);
    const timeout = scheduler.after(budget, () => {
      coverage.add('poller', 'killed at its time-out');
      life.kill();
    });
    const end = (ended: Ended) => {
      timeout();
      environment.isBusy = false;
      this.#encounters.ended(life);
      this.#walking.delete(walking);
      resolve(ended);
    };
    this.#onDeath.set(life, () => end(undefined));
    const { restless } = this.#service;
    const before = restless.count;
    const offset = clock() - scheduler.wall;
    const context = { awsRequestId: requestId, getRemainingTimeInMillis: () => deadline - scheduler.now };
    environment.poll(batchOf([messageOf(record.messageId, record.body)], 'passes'), context).then(
      () => {
        const { ended } = environment;
        const report = ended && 'report' in ended ? ended.report : undefined;
        if (report?.mode === 'sweep' && report.outcome === 'completed') restless.swept(before);
        if (report?.outcome === 'unfinished') coverage.add('poller', 'out of time');
        this.#judge(() =>
          this.#oracle.ended(run, life.struck === 0 && clock() - scheduler.wall === offset, report),
        );
        end(ended);
      },
      error => this.#shared.fail(new Violation(1, `a message would be retried: ${error}`)),
    );
    return promise;
  }

  /** Runs a check; what it finds does not reach the run itself. */
  #judge(check: () => void): void {
    try {
      check();
    } catch (error) {
      this.#shared.fail(error);
    }
  }

  readonly #onDeath = new WeakMap<Life, () => void>();

  #create(): Environment {
    const { nature, clocks, log, random, plan, storage } = this.#shared;
    const life: Life = new Life(nature, () => this.#onDeath.get(life)?.());
    const clock = clocks.of(this.#started++);
    const sleep: Sleep = (ms, signal) => life.sleep(ms, signal);
    const serve = (request: Sent) => {
      const boundary = serviceBoundary(request);
      this.#encounters.called(life, requestCall(boundary), true);
      const before = this.#service.requests.length;
      const reply = this.#service.serve(request);
      if (environment.run) environment.run.requests += this.#service.requests.length - before;
      if (boundary === 'service.audit log' && reply.status === 200) this.#heard.readLog(environment.owner);
      return reply;
    };
    const { snapshots } = storage.reachedBy({
      ...{ life, clock, sleep },
      ran: (call, isDone) => this.#ran(environment, call as PortCall, isDone),
    });
    const { clientId, clientSecret } = this.#service.backend.credentials;
    const poll = createPoll({
      workspaces: [this.settings],
      snapshots,
      connect: workspace =>
        connect({
          ...workspace,
          credentials: async () => ({ clientId, clientSecret }),
          clock,
          random,
          sleep,
          pageSize: plan.pageSize,
          openAgent: () =>
            new VirtualAgent(life, serviceBoundary, serve, (request, { status, breaksOff, isUnreadable }) => {
              this.#service.answered.push(request.path);
              const isRead = status === 200 && !breaksOff && !isUnreadable;
              if (isRead && serviceBoundary(request) === 'service.users') this.#heard.readUsers();
            }),
          onNotice: notice => log.warn(notice.message, notice),
        }),
      clock,
      random,
      log,
    });
    const heard: Poll = (request, context) =>
      poll(request, context).then(
        report => {
          environment.ended = { report };
          return report;
        },
        error => {
          environment.ended = { error };
          throw error;
        },
      );
    const idle = { isBusy: false, owner: '', run: undefined, ended: undefined };
    const environment: Environment = {
      life,
      poll: createPollHandler(heard, NOTHING_MALFORMED, log),
      clock,
      ...idle,
    };
    this.#environments.push(environment);
    return environment;
  }

  #ran({ life, owner, run }: Environment, call: PortCall, isDone: boolean): void {
    this.#encounters.called(life, call, isDone);
    if (run)
      this.#judge(() => {
        if (call === 'debts') this.#oracle.read(run);
        if (call === 'take lease') this.#oracle.asksForLease(run);
      });
    this.#shared.wrote(owner);
  }
}

function startedRun({ body }: Started['record'], { clock, life }: Environment, at: number): StartedRun {
  const message = passMessage.parse(JSON.parse(body));
  return {
    message,
    began: clock(),
    at,
    isPass: false,
    requests: 0,
    isFree: () => life.struck === 0,
    written: { projects: 0, records: 0 },
  };
}
