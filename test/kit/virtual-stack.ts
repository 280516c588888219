import { GetItemCommand, type GetItemOutput } from '@aws-sdk/client-dynamodb';
import type { Dispatcher } from 'undici';
import { workspaceSettings } from '../../functions/config/read.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import { createPoll, createPollHandler } from '../../functions/handlers/create-poll.ts';
import { createTick } from '../../functions/handlers/create-tick.ts';
import type { Completion } from '../../functions/model/process-state.ts';
import type { LambdaContext, NewMessage, Queue } from '../../functions/queue/queue.ts';
import { servedByLambda } from '../../functions/queue/sqs.ts';
import { groupsOf } from '../../functions/schedule/groups.ts';
import { type PassMessage, passIn } from '../../functions/schedule/pass-message.ts';
import { scheduledIn } from '../../functions/schedule/scheduled.ts';
import { connect } from '../../functions/service/client.ts';
import { decodeEvents } from '../../functions/store/codec.ts';
import { dynamoStore } from '../../functions/store/dynamo/store.ts';
import { CHANGE, partition } from '../../functions/store/keys.ts';
import { QueueSource } from '../simulation/models/event-source.ts';
import { QueueModel } from '../simulation/models/queue.ts';
import { modelClient, TableModel } from '../simulation/models/table.ts';
import { Scheduler, virtualTimers } from '../simulation/scheduler.ts';
import { agentOf } from './agent.ts';
import { MINUTE, SECOND } from './time.ts';

const START = Date.UTC(2026, 10, 21, 12);

/** How the service of a workspace answers; undefined: not at all. */
type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body?: object };
type Behaviour = (path: string) => Answer | undefined;

/** What a workspace cost, and what its service saw. */
interface Cost {
  /** Runs that were given a message of the workspace, and how long they took together, in ms. */
  runs: number;
  ms: number;
  /** Requests to the service. */
  requests: number;
  /** Writes to the table; those of a transaction count singly. */
  writes: number;
}

const nothing = (): Cost => ({ runs: 0, ms: 0, requests: 0, writes: 0 });

/** A run of a message, when it was due and when it began, in virtual ms since 1970. */
interface Ran {
  readonly message: PassMessage;
  readonly dueAt: number;
  readonly at: number;
  readonly outcome: string;
}

interface WorkspaceOptions {
  readonly processes: number;
  readonly concurrency?: number;
  readonly projects?: number;
  /** ms between two `changes` passes. */
  readonly interval?: number;
}

/** Runs of Lambda at once, as `PASSES` in `infra/parts/serving.ts` allows. */
const MAX_RUNS = 400;
const VISIBILITY_S = 1_800;
const RUN_MS = 15 * MINUTE;

/** A stack in virtual time: the real tick and poll handlers over the models of DynamoDB and SQS, and a service for each workspace. Each run
 *  has an environment of its own, which the next one takes over. */
export class VirtualStack {
  readonly scheduler = new Scheduler(START);
  readonly table = new TableModel('changewire');
  readonly ran: Ran[] = [];
  readonly said: { readonly level: string; readonly message: string; readonly details: object }[] = [];
  readonly #workspaces: readonly WorkspaceSettings[];
  readonly #projects: ReadonlyMap<string, number>;
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #costs = new Map<string, Cost>();
  readonly #underWay = new Map<string, number>();
  readonly #most = new Map<string, number>();
  readonly #queue: QueueModel;
  readonly #restore: () => void;
  readonly #idle: QueueSource[] = [];
  #environments = 0;
  #runs = 0;
  #running = 0;
  #cancelWake: () => void = () => undefined;

  /** What each answer takes, in ms. */
  latency = 100;

  constructor(workspaces: Readonly<Record<string, WorkspaceOptions>>) {
    this.#projects = new Map(Object.entries(workspaces).map(([name, { projects = 1 }]) => [name, projects]));
    this.#workspaces = Object.entries(workspaces).map(
      ([name, { processes, concurrency, interval = MINUTE }]) =>
        workspaceSettings({
          ...{ name, baseUrl: `https://${name}.example/api`, authUrl: `https://${name}.example` },
          ...{ audience: 'a', credentials: 'c', ...(concurrency !== undefined && { concurrency }) },
          processes: Array.from({ length: processes }, (_, index) => ({
            ...{ id: `p${index}`, changes: { fastest: interval, slowest: interval } },
          })) as never,
        }),
    );
    const { scheduler } = this;
    this.#queue = new QueueModel({
      ...{ name: 'passes', arn: 'arn:aws:sqs:eu-central-1:1:passes', url: 'https://sqs/passes' },
      ...{ clock: () => scheduler.now, random: () => 0, visibilityTimeout: VISIBILITY_S },
    });
    this.#restore = virtualTimers(scheduler);
  }

  close(): void {
    this.#restore();
  }

  behave(workspace: string, behaviour: Behaviour | undefined): void {
    if (behaviour) this.#behaviours.set(workspace, behaviour);
    else this.#behaviours.delete(workspace);
  }

  /** What the workspace cost since its costs were last taken. */
  takeCost(workspace: string): Cost {
    const taken = { ...this.#costOf(workspace) };
    Object.assign(this.#costOf(workspace), nothing());
    return taken;
  }

  /** The most requests that were under way at once at the service of this workspace. */
  most(workspace: string): number {
    return this.#most.get(workspace) ?? 0;
  }

  /** Forgets what was counted. */
  clear(): void {
    for (const cost of this.#costs.values()) Object.assign(cost, nothing());
    this.#most.clear();
    this.ran.length = 0;
    this.said.length = 0;
  }

  /** Gives the processes of each workspace, or the first of them, the state of one that has found nothing for some time, as passes of the first left it. */
  async baseline(most = Number.POSITIVE_INFINITY): Promise<void> {
    const { scheduler } = this;
    for (let pass = 0; pass < 4; pass++) {
      this.start(
        this.#workspaces.map(({ name }) => ({ workspace: name, processes: ['p0'], mode: 'changes' })),
      );
      await scheduler.until(() => this.#running === 0, 'the baseline');
      await scheduler.pass(5 * MINUTE);
    }
    const items = [...this.table.items()];
    const copies = this.#workspaces.flatMap(({ name, processes }) => {
      const own = items.filter(({ pk }) => pk?.S === `W#${name}#P#p0`);
      return processes
        .slice(1, most)
        .flatMap(({ id }) => own.map(item => ({ ...item, pk: { S: `W#${name}#P#${id}` } })));
    });
    this.table.restore([...items, ...copies], { stream: false });
    const { workspaces } = dynamoStore(this.#tableOf(() => undefined));
    for (const { workspace, index, processes } of groupsOf(scheduledIn(this.#workspaces))) {
      const [one] = (await workspaces.completions(workspace)).values();
      const completion = { ...(one as Completion), completedAt: scheduler.now };
      const known = processes.filter(({ processId }) => this.#isKnown(workspace, processId));
      const all = new Map(known.map(({ processId }) => [processId, completion]));
      await workspaces.complete(workspace, index, () => all);
    }
    this.clear();
  }

  /** Sends these messages at once, as an operator does. */
  start(messages: readonly Omit<PassMessage, 'expiresAt'>[]): void {
    const expiresAt = this.scheduler.now + 60 * MINUTE;
    this.#send(messages.map(message => passIn({ ...message, isAsked: true as const, expiresAt })));
  }

  /** How many processes of a workspace have no baseline yet. */
  unbaselined(workspace: string): number {
    const { processes } = this.#workspaces.find(({ name }) => name === workspace) as WorkspaceSettings;
    return processes.filter(({ id }) => !this.#isKnown(workspace, id)).length;
  }

  #isKnown(workspace: string, processId: string): boolean {
    const Key = { pk: { S: partition({ workspace, processId }) }, sk: { S: 'STATE' } };
    const { Item } = this.table.run(
      new GetItemCommand({ TableName: 'changewire', Key, ConsistentRead: true }),
    ) as GetItemOutput;
    return Item?.baselined?.BOOL === true;
  }

  /** True while a run is under way. */
  get isBusy(): boolean {
    return this.#running > 0;
  }

  /** How many events of this type were committed in a workspace. */
  events(workspace: string, type: string): number {
    const records = [...this.table.items()].filter(
      ({ pk, sk }) => pk?.S?.startsWith(`W#${workspace}#`) && sk?.S?.startsWith(CHANGE),
    );
    const all = records.flatMap(({ events }) => decodeEvents(events?.B as Uint8Array));
    return all.filter(event => event.type === type).length;
  }

  /** Lets so many minutes pass, with a tick in each. */
  async minutes(count: number): Promise<void> {
    const { scheduler } = this;
    const store = dynamoStore(this.#tableOf(() => undefined));
    const tick = createTick({
      passes: {
        processes: scheduledIn(this.#workspaces),
        ...{ claims: store.claims, progress: store.progress, rows: store.workspaces, queue: this.#sender() },
      },
      registry: { all: async () => [] },
      queues: { wake: async () => undefined },
      ...{ clock: () => scheduler.now, log: this.#log(), count: () => undefined },
      jobs: async () => undefined,
    });
    for (let minute = 0; minute < count; minute++) {
      const ended = tick();
      await scheduler.pass(MINUTE);
      await ended;
    }
  }

  #sender(): Pick<Queue, 'send'> {
    return {
      send: async messages => {
        this.#send(messages);
        return { indexes: [] };
      },
    };
  }

  #send(messages: readonly NewMessage[]): void {
    for (const { body, group, delay } of messages)
      this.#queue.send(body, {}, { group, ...(delay !== undefined && { delay: Math.ceil(delay) }) });
    this.#pump();
  }

  /** Starts a run for each message that can be received, and looks again when the next one is. */
  #pump(): void {
    const { scheduler } = this;
    for (let next = this.#queue.nextVisibleAt(); next !== undefined; next = this.#queue.nextVisibleAt()) {
      if (this.#running >= MAX_RUNS) return;
      if (next > scheduler.now) {
        this.#cancelWake();
        this.#cancelWake = scheduler.after(next - scheduler.now, () => this.#pump());
        return;
      }
      void this.#run(this.#idle.pop() ?? this.#environment());
    }
  }

  async #run(environment: QueueSource): Promise<void> {
    this.#running += 1;
    await environment.run();
    this.#running -= 1;
    this.#idle.push(environment);
    this.#pump();
  }

  #environment(): QueueSource {
    const { scheduler } = this;
    const number = ++this.#environments;
    let workspace = '';
    const store = dynamoStore(this.#tableOf(() => workspace));
    const poll = createPoll({
      workspaces: this.#workspaces,
      ...{ snapshots: store.snapshots, rows: store.workspaces },
      connect: settings =>
        connect({
          ...settings,
          credentials: async () => ({ clientId: 'a', clientSecret: 'b' }),
          ...{ clock: () => scheduler.now, random: () => 0.5, sleep: ms => scheduler.sleep(ms) },
          openAgent: () => this.#agent(settings.name),
          onNotice: () => undefined,
        }),
      ...{ clock: () => scheduler.now, random: () => (number % 1_000) / 1_000, log: this.#log() },
    });
    const noted = async (request: PassMessage, context: LambdaContext) => {
      const at = scheduler.now;
      workspace = request.workspace;
      const cost = this.#costOf(workspace);
      cost.runs += 1;
      const dueAt = request.expiresAt - MINUTE;
      try {
        const report = await poll(request, context);
        this.ran.push({ message: request, dueAt, at, outcome: report.outcome });
        return report;
      } finally {
        cost.ms += scheduler.now - at;
      }
    };
    const serve = createPollHandler(noted as typeof poll, async () => undefined, this.#log());
    const queueOf = () => ({
      name: 'passes',
      extend: async ({ receipt }: { readonly receipt: string }, seconds: number) =>
        this.#queue.changeVisibility(receipt, seconds),
    });
    const handler = servedByLambda(serve, queueOf as never);
    return new QueueSource({
      ...{ queue: this.#queue, batchSize: 1 },
      handler: event => {
        const end = scheduler.now + RUN_MS;
        return handler(event, {
          awsRequestId: `run-${++this.#runs}`,
          getRemainingTimeInMillis: () => end - scheduler.now,
        });
      },
    });
  }

  /** The table, with what each command writes counted for a workspace. */
  #tableOf(workspace: () => string | undefined) {
    const client = modelClient(async command => {
      const { input } = command as { input: { TransactItems?: readonly object[] } };
      const of = workspace();
      if (of !== undefined && !/^(Get|Query|BatchGet)/.test(command.constructor.name))
        this.#costOf(of).writes += input.TransactItems?.length ?? 1;
      return this.table.run(command);
    });
    const timing = {
      clock: () => this.scheduler.now,
      random: () => 0.5,
      sleep: (ms: number) => this.scheduler.sleep(ms),
    };
    return { client, tableName: 'changewire', timing };
  }

  #agent(workspace: string): Dispatcher {
    return agentOf(({ path }, controller) => {
      this.#costOf(workspace).requests += 1;
      const underWay = (this.#underWay.get(workspace) ?? 0) + 1;
      this.#underWay.set(workspace, underWay);
      this.#most.set(workspace, Math.max(this.most(workspace), underWay));
      const end = () => this.#underWay.set(workspace, (this.#underWay.get(workspace) ?? 0) - 1);
      const answer = (this.#behaviours.get(workspace) ?? (() => this.#healthy(workspace, path)))(path);
      // The client gives up after its time-out.
      if (!answer) return void this.scheduler.after(30 * SECOND, end);
      this.scheduler.after(this.latency, () => {
        end();
        const { status, headers = {}, body = {} } = answer;
        const date = new Date(this.scheduler.now).toUTCString();
        controller.answer({ status, headers: { date, ...headers }, text: Buffer.from(JSON.stringify(body)) });
      });
    });
  }

  /** A service that works, with some projects in each process, which never change. */
  #healthy(workspace: string, path: string): Answer {
    const paging = { hasNextPage: false };
    if (path.endsWith('/oauth/token'))
      return { status: 200, body: { access_token: 't', expires_in: 86_400 } };
    const { pathname, searchParams } = new URL(path, 'https://service.example');
    if (pathname.endsWith('/tasks')) return { status: 200, body: { tasks: [], paging } };
    if (pathname.endsWith('/auditlog')) return { status: 200, body: { entries: [], paging } };
    if (pathname.endsWith('/projects')) {
      const count = searchParams.has('updatedAfter') ? 0 : (this.#projects.get(workspace) ?? 0);
      const projects = Array.from({ length: count }, (_, index) => ({ id: `j${index}`, name: `J${index}` }));
      return { status: 200, body: { projects, paging } };
    }
    return { status: 200, body: { groups: [] } };
  }

  #costOf(workspace: string): Cost {
    const cost = this.#costs.get(workspace) ?? nothing();
    this.#costs.set(workspace, cost);
    return cost;
  }

  #log() {
    const say = (level: string) => (message: string, details?: object) =>
      void this.said.push({ level, message, details: details ?? {} });
    return { info: say('info'), warn: say('warn'), error: say('error') };
  }
}
