import type { Sleep } from '../../functions/clock.ts';
import { createPoll, type Poll, type PollReport } from '../../functions/create-poll.ts';
import { connect } from '../../functions/service/client.ts';
import { type WorkspaceSettings, workspaceSettings } from '../../functions/settings.ts';
import { createSnapshots } from '../../functions/snapshots/dynamo-snapshots.ts';
import { API_PATH, AUTH_PATH } from '../../local/service/answer.ts';
import { crampedTable } from './cramped-table.ts';
import { Encounters } from './encounters.ts';
import type { Strike } from './faults.ts';
import { type Sent, VirtualAgent } from './http.ts';
import { type Gate, Life } from './life.ts';
import { requestCall, tableCall } from './port-calls.ts';
import { ORIGIN, type ServiceSide, serviceBoundary } from './service-side.ts';
import { PROCESS, type Shared, TABLE_NAME, WORKSPACE } from './shared.ts';
import { tableClient } from './table-client.ts';

/** One execution environment of the poll function: it serves one run at a time, and lives until something kills it. */
interface Environment {
  readonly life: Life;
  readonly poll: Poll;
  isBusy: boolean;
  /** The run that it serves, or served last: two may serve one request. */
  owner: string;
}

export interface RunRequest {
  readonly mode: 'changes' | 'sweep';
  readonly budget: number;
  readonly strikes: readonly Strike[];
}

/** How a run ended; undefined: its process died. */
export type Ended = { readonly report: PollReport } | { readonly error: Error } | undefined;

/** Lambda's side of the poll function: it starts runs, in the environments that there are, and kills what takes too long. */
export class Pollers {
  readonly #shared: Shared;
  readonly #service: ServiceSide;
  readonly #settings: WorkspaceSettings;
  readonly #environments: Environment[] = [];
  readonly #walking = new Set<{ readonly requestId: string }>();
  readonly #table: ReturnType<typeof crampedTable>;
  readonly #encounters: Encounters;
  #runs = 0;
  #started = 0;
  #turns = 0;

  constructor(shared: Shared, service: ServiceSide) {
    this.#shared = shared;
    this.#service = service;
    this.#table = crampedTable(shared);
    this.#encounters = new Encounters(shared.coverage);
    this.#settings = workspaceSettings.parse({
      name: WORKSPACE,
      baseUrl: ORIGIN + API_PATH,
      authUrl: ORIGIN + AUTH_PATH,
      audience: service.backend.credentials.audience,
      credentials: 'unused',
      concurrency: shared.plan.concurrency,
      processes: [{ id: PROCESS }],
    });
  }

  isWalking(owner: string): boolean {
    return [...this.#walking].some(({ requestId }) => owner.startsWith(`${requestId}/`));
  }

  get areIdle(): boolean {
    return this.#walking.size === 0;
  }

  /** Ends all processes, and with them what runs. */
  stop(): void {
    for (const { life } of this.#environments) life.kill();
  }

  /** Begins a run, now and then two of them for one request: asynchronous invocations come at least once. Settles when it
   *  ends, or when its process dies. */
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

  #nextRequest(): string {
    this.#runs += 1;
    return `run-${this.#runs}`;
  }

  #run(requestId: string, { mode, budget, strikes }: RunRequest, gate?: Gate): Promise<Ended> {
    const { scheduler, coverage } = this.#shared;
    const environment = this.#environments.find(one => !one.isBusy && !one.life.isDead) ?? this.#create();
    const walking = { requestId };
    if (!this.areIdle) coverage.add('poller', 'two at once');
    const { promise, resolve } = Promise.withResolvers<Ended>();
    const deadline = scheduler.now + budget;
    environment.isBusy = true;
    environment.owner = `${requestId}.${++this.#turns}`;
    environment.life.expect(strikes);
    environment.life.passThrough(gate);
    this.#encounters.began(environment.life);
    this.#walking.add(walking);
    const timeout = scheduler.after(budget, () => {
      coverage.add('poller', 'killed at its time-out');
      environment.life.kill();
    });
    const end = (ended: Ended) => {
      timeout();
      environment.isBusy = false;
      this.#encounters.ended(environment.life);
      this.#walking.delete(walking);
      resolve(ended);
    };
    this.#onDeath.set(environment.life, () => end(undefined));
    const { restless } = this.#service;
    const before = restless.count;
    const context = { awsRequestId: requestId, getRemainingTimeInMillis: () => deadline - scheduler.now };
    environment.poll({ workspace: WORKSPACE, processId: PROCESS, mode }, context).then(
      report => {
        if (report.mode === 'sweep' && report.outcome === 'completed') restless.swept(before);
        if (report.outcome === 'unfinished') coverage.add('poller', 'out of time');
        end({ report });
      },
      error => end({ error }),
    );
    return promise;
  }

  readonly #onDeath = new WeakMap<Life, () => void>();

  #create(): Environment {
    const { nature, clocks, wrote, log, random, plan } = this.#shared;
    const life: Life = new Life(nature, () => this.#onDeath.get(life)?.());
    const clock = clocks.of(this.#started++);
    const sleep: Sleep = (ms, signal) => life.sleep(ms, signal);
    const ran = (command: object, isDone: boolean) => {
      this.#encounters.called(life, tableCall(command), isDone);
      wrote(environment.owner);
    };
    const serve = (request: Sent) => {
      this.#encounters.called(life, requestCall(serviceBoundary(request)), true);
      return this.#service.serve(request);
    };
    const snapshots = createSnapshots({
      client: tableClient(life, this.#table, ran),
      tableName: TABLE_NAME,
      patience: { clock, random, sleep },
    });
    const { clientId, clientSecret } = this.#service.backend.credentials;
    const poll = createPoll({
      workspaces: [this.#settings],
      snapshots,
      connect: workspace =>
        connect({
          ...workspace,
          credentials: async () => ({ clientId, clientSecret }),
          clock,
          random,
          sleep,
          pageSize: plan.pageSize,
          openAgent: () => new VirtualAgent(life, serviceBoundary, serve),
          onNotice: notice => log.warn(notice.message, notice),
        }),
      clock,
      random,
      log,
    });
    const environment = { life, poll, isBusy: false, owner: '' };
    this.#environments.push(environment);
    return environment;
  }
}
