import { paginateQuery } from '@aws-sdk/client-dynamodb';
import { Agent, type Dispatcher } from 'undici';
import type { Mode } from '../../functions/basics/process.ts';
import { workspaceSettings } from '../../functions/config/read.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import { createPoll, type Poll } from '../../functions/handlers/create-poll.ts';
import type { PassRequest, PollDependencies } from '../../functions/handlers/workspace-run.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { WorkspaceRow } from '../../functions/model/workspace-row.ts';
import type { PassReport } from '../../functions/pass/run-pass.ts';
import { figuresOf } from '../../functions/schedule/report.ts';
import { scheduledIn } from '../../functions/schedule/scheduled.ts';
import { connect } from '../../functions/service/client.ts';
import type { Notice } from '../../functions/service/options.ts';
import type { ServiceConnection } from '../../functions/service/service.ts';
import { decodeEvents } from '../../functions/store/codec.ts';
import { createSnapshots } from '../../functions/store/dynamo/store.ts';
import { createTickProgresses } from '../../functions/store/dynamo/tick.ts';
import { createWorkspaceRows } from '../../functions/store/dynamo/workspaces.ts';
import { CHANGE, partition } from '../../functions/store/keys.ts';
import type { Snapshots, WorkspaceRows } from '../../functions/store/store.ts';
import { buildWorkspace, type Freedoms, startSimulatedService } from '../../simulator/server.ts';
import { checkEvents } from './check-event.ts';
import { serveInProcess } from './in-process-service.ts';
import type { TestTable } from './table.ts';

/** The process that a world's passes walk. */
export const PROCESS = 'onboarding';

export interface WorldOptions {
  readonly projects?: number;
  readonly tasksPerProject?: number;
  readonly freedoms?: Partial<Freedoms>;
  readonly settings?: Partial<WorkspaceSettings>;
  readonly dependencies?: Partial<PollDependencies>;
  readonly pageSize?: { projects?: number; tasks?: number; auditLog?: number };
  /** Whether the service is reached over sockets; by default it is in the test's process. */
  readonly overHttp?: boolean;
}

export interface Said {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly details?: object | undefined;
}

let worlds = 0;

/** A simulated service, the real poller and a table, on one clock that only the test moves. */
export async function createWorld(table: TestTable, options: WorldOptions = {}) {
  const clock = { now: Date.UTC(2026, 10, 21, 12) };
  const { service, openAgent } = await serve(options, clock);
  const name = `world${++worlds}`;
  const workspace = workspaceSettings({
    name,
    baseUrl: service.baseUrl,
    authUrl: service.authUrl,
    audience: service.audience,
    credentials: 'unused',
    processes: [{ id: PROCESS }],
    ...options.settings,
  });
  const said: Said[] = [];
  const notices: Notice[] = [];
  const connections: ServiceConnection[] = [];
  const snapshots: Snapshots = createSnapshots(table);
  const rows = unshared(createWorkspaceRows(table));
  const connectTo = (target: WorkspaceSettings): ServiceConnection => {
    const connection = connect({
      openAgent,
      ...target,
      credentials: async () => service,
      requestTimeout: 5_000,
      clock: () => clock.now,
      random: () => 0.5,
      sleep: async ms => {
        clock.now += ms;
      },
      onNotice: notice => notices.push(notice),
      ...(options.pageSize && { pageSize: options.pageSize }),
    });
    connections.push(connection);
    return connection;
  };
  const poller = ({ snapshots: port = snapshots, ...more }: Partial<PollDependencies> = {}): Poll =>
    createPoll({
      workspaces: [workspace],
      // A method that a test has replaced in this port is replaced in every run, too.
      snapshots: port !== snapshots && port.until === snapshots.until ? { ...port, until: () => port } : port,
      rows,
      connect: connectTo,
      clock: () => clock.now,
      random: () => 0.5,
      log: {
        info: (message, details) => said.push({ level: 'info', message, details }),
        warn: (message, details) => said.push({ level: 'warn', message, details }),
        error: (message, details) => said.push({ level: 'error', message, details }),
      },
      ...options.dependencies,
      ...more,
    });
  const poll = poller();
  let runs = 0;
  const run = async (
    mode: Mode = 'changes',
    how: { poll?: Poll; remaining?: number; requestId?: string } = {},
  ): Promise<PassReport> => {
    const context = {
      awsRequestId: how.requestId ?? `run-${++runs}`,
      getRemainingTimeInMillis: () => how.remaining ?? 900_000,
    };
    // Pauses of the workspace have tests of their own: here each run asks the service.
    await rows.change(name, ({ pause, ...row }) => (pause ? row : undefined));
    // A pass that was asked for: such a message neither expires nor comes too early.
    const request: PassRequest = { workspace: name, processes: [PROCESS], mode, isAsked: true };
    const polled = (await (how.poll ?? poll)(request, context)).processes.get(PROCESS);
    if (!polled) throw new Error('The run found no share of the workspace.');
    if ('error' in polled) throw polled.error;
    return polled.report;
  };
  return {
    clock,
    workspace,
    service,
    edit: service.workspace,
    snapshots,
    rows,
    process: { workspace: name, processId: PROCESS },
    said,
    notices,
    connect: connectTo,
    openAgent,
    poller,
    run,
    /** Lets time pass. */
    pass: (ms: number) => {
      clock.now += ms;
    },
    /** Lets time pass, then runs one pass. */
    later: (mode: Mode = 'changes', ms = 60_000) => {
      clock.now += ms;
      return run(mode);
    },
    events: () => readJournal(table, name),
    /** The figures of a tick about its process now. */
    figures: async () => {
      const progress = await createTickProgresses(table).ofAll(scheduledIn([workspace]));
      return figuresOf(progress, clock.now);
    },
    stop: async () => {
      await Promise.all(connections.map(connection => connection.close()));
      await service.stop();
    },
  };
}

/** Rows by which each run gets all requests at once that the workspace allows, as if it were the only one: the runs of a test may wait for each other. Shares
 *  have tests of their own. */
function unshared(rows: WorkspaceRows): WorkspaceRows {
  return {
    ...rows,
    change: async (name, decide) => {
      let mine: WorkspaceRow | undefined;
      const row = await rows.change(name, before => {
        mine = decide({ ...before, shares: {} });
        return mine && { ...mine, shares: {} };
      });
      return mine ?? row;
    },
  };
}

async function serve(options: WorldOptions, clock: { now: number }) {
  const { projects = 3, tasksPerProject = 2, freedoms = {} } = options;
  const serving = {
    clock: () => clock.now,
    freedoms,
    workspace: buildWorkspace({
      now: clock.now - 86_400_000,
      processes: [{ id: PROCESS, projects, tasksPerProject }],
    }),
  };
  if (options.overHttp)
    return {
      service: await startSimulatedService(serving),
      openAgent: (how: Agent.Options): Dispatcher => new Agent(how),
    };
  const service = serveInProcess(serving);
  return { service, openAgent: (): Dispatcher => service.agent };
}

export type World = Awaited<ReturnType<typeof createWorld>>;

/** Every event committed so far, in the order of the journal, each checked against its schema. */
export async function readJournal(
  table: TestTable,
  workspace: string,
  processId = PROCESS,
): Promise<ChangeEvent[]> {
  const query = {
    TableName: table.tableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
    ExpressionAttributeValues: {
      ':pk': { S: partition({ workspace, processId }) },
      ':prefix': { S: CHANGE },
    },
    ConsistentRead: true,
  };
  const events: ChangeEvent[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table.client }, query)) {
    events.push(...Items.flatMap(item => decodeEvents(item.events?.B as Uint8Array)));
  }
  return [...checkEvents(events)];
}

/** Events in short: `task.updated 1001/500001 status: To do → Done`. */
export function inShort(events: readonly ChangeEvent[]): string[] {
  return events.map(event => {
    const { data } = event;
    if (!('changes' in data)) return 'project' in data ? `${event.type} ${data.project.id}` : event.type;
    if ('field' in data)
      return `${event.type} ${data.field.entity}:${data.field.externalId}${told(event.type, data.changes)}`;
    const id = 'task' in data ? `${data.project.id}/${data.task.id}` : data.project.id;
    return `${event.type} ${id}${told(event.type, data.changes)}`;
  });
}

function told(type: string, changes: readonly { field: string; from: unknown; to: unknown }[]): string {
  if (!type.endsWith('.updated')) return '';
  return changes
    .map(({ field, from, to }) => ` ${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`)
    .join(',');
}
