import { testEvent } from '../functions/changes/build-events.ts';
import {
  completedEvent,
  projectSnapshot,
  startedEvent,
  taskSnapshot,
} from '../functions/changes/snapshot-events.ts';
import { workspaceSettings } from '../functions/config/read.ts';
import { healthEvent } from '../functions/delivery/reports.ts';
import { createPoll } from '../functions/handlers/create-poll.ts';
import {
  type ChangeEvent,
  type EventType,
  eventSchemas,
  type HealthEvent,
  type SentEvent,
  type SnapshotEvent,
  type TestEvent,
} from '../functions/model/event.ts';
import { connect } from '../functions/service/client.ts';
import { decodeEvents } from '../functions/store/codec.ts';
import { type Database, openDatabase } from '../functions/store/sqlite/database.ts';
import { sqliteJournal } from '../functions/store/sqlite/journal.ts';
import { SNAPSHOTS_SCHEMA } from '../functions/store/sqlite/schema.ts';
import { sqliteSnapshots } from '../functions/store/sqlite/store.ts';
import { sqliteWorkspaceRows } from '../functions/store/sqlite/workspaces.ts';
import { type Message, messageOf } from '../functions/topic/send-batch.ts';
import { ONBOARDING } from '../simulator/believable/onboarding.ts';
import {
  buildWorkspace,
  type EditApi,
  type SimulatedService,
  startSimulatedService,
} from '../simulator/server.ts';

/** From a real run: the first event of each type (of audit entries, the first that names a task), a snapshot of the
 *  created project and task, a test event, and the SNS message attributes of `task.updated`. */
export interface Examples {
  readonly events: Readonly<Record<EventType, ChangeEvent>> &
    Readonly<Record<SnapshotEvent['type'], SnapshotEvent>> &
    Readonly<Record<HealthEvent['type'], HealthEvent>> & { readonly 'changewire.test': TestEvent };
  readonly attributes: Message['MessageAttributes'];
}

const PROCESS = { workspace: 'eu', processId: 'onboarding' };
const MINUTE = 60_000;

/** Runs the poller against the simulated service and the embedded table while projects, tasks and fields are
 *  edited, and takes the events that it commits. Its clock moves only between the passes: each run gives the
 *  same bytes.
 *  @throws when an event type was not emitted */
export async function takeExamples(): Promise<Examples> {
  await using started = new AsyncDisposableStack();
  const clock = { now: Date.UTC(2026, 2, 2, 9) };
  const service = await startSimulatedService({
    clock: () => clock.now,
    workspace: buildWorkspace({
      now: clock.now - 30 * 24 * 60 * MINUTE,
      processes: [{ ...ONBOARDING, id: PROCESS.processId, projects: 14, tasksPerProject: 1 }],
    }),
  });
  started.defer(() => service.stop());
  const database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA]);
  started.defer(() => database.file.close());
  const connection = connect({
    ...service,
    credentials: async () => service,
    clock: () => clock.now,
    random: () => 0.5,
    sleep: async () => {},
  });
  started.defer(() => connection.close());
  const poll = pollerOf(service, connection, database, clock, []);
  const pollWithRules = pollerOf(service, connection, database, clock, RULES);
  const steps: Step[] = [
    { mode: 'sweep', edit: () => {} },
    ...editsOf(service.workspace),
    ...refusalOf(service),
    ...outageOf(service),
    ...fieldEditsOf(service.workspace),
  ];
  for (const { mode, edit, fails } of steps) {
    clock.now += MINUTE;
    edit();
    clock.now += 20_000;
    const error = await poll(mode);
    if (error && !fails) throw error;
  }
  await datesOf(service.workspace, clock, pollWithRules);
  return firstOfEach(
    sqliteJournal(database)
      .after(0, 1_000)
      .flatMap(({ events }) => decodeEvents(events)),
  );
}

function pollerOf(
  service: SimulatedService,
  connection: ReturnType<typeof connect>,
  database: Database,
  clock: { now: number },
  rules: GivenRules,
) {
  const { workspace: name, processId } = PROCESS;
  const { baseUrl, authUrl, audience } = service;
  const processes = [{ id: processId, audit: true, ...(rules.length > 0 && { rules }) }];
  const settings = { name, baseUrl, authUrl, audience, credentials: 'unused', processes };
  const ignore = () => {};
  const poll = createPoll({
    workspaces: [workspaceSettings(settings)],
    connect: () => connection,
    snapshots: sqliteSnapshots(database),
    rows: sqliteWorkspaceRows(database),
    clock: () => clock.now,
    random: () => 0.5,
    log: { info: ignore, warn: ignore, error: ignore },
  });
  const context = { awsRequestId: 'examples', getRemainingTimeInMillis: () => 15 * MINUTE };
  /** @returns why the pass failed */
  return async (mode: 'changes' | 'sweep'): Promise<Error | undefined> => {
    const { processes: polled } = await poll({ workspace: name, processes: [processId], mode }, context);
    const one = polled.get(processId);
    return one && 'error' in one ? one.error : undefined;
  };
}

type GivenRules = NonNullable<Parameters<typeof workspaceSettings>[0]['processes'][number]['rules']>;

const RULES: GivenRules = [
  { event: 'task.due', field: 'Due date', before: '2d' },
  { event: 'task.overdue', field: 'Due date' },
  { event: 'project.due', field: 'Go-live date', before: '1d' },
  { event: 'project.overdue', field: 'Go-live date' },
  { event: 'project.unchanged', after: '7d' },
];

/** A project whose dates come and pass. */
async function datesOf(
  workspace: EditApi,
  clock: { now: number },
  poll: ReturnType<typeof pollerOf>,
): Promise<void> {
  const { processId } = PROCESS;
  await poll('changes');
  clock.now += MINUTE;
  const project = workspace.createProject(processId, { name: 'Sequoia Foods', goLiveDate: '2026-03-04' });
  workspace.createTask(processId, project, { name: 'Agree on the scope', dueDate: '2026-03-05' });
  await poll('changes');
  for (let day = 3; day < 12; day++) {
    clock.now = Date.UTC(2026, 2, day, 0, 0, 20);
    await poll('changes');
  }
}

/** An edit, and the pass that follows. */
interface Step {
  readonly mode: 'changes' | 'sweep';
  readonly edit: () => void;
  readonly fails?: boolean;
}

/** A project that changes while the service refuses its tasks. */
function refusalOf(service: SimulatedService): Step[] {
  const project = '1013';
  let end = () => {};
  const begin = () => {
    const isRefused = ({ path }: { path: string }) => path.includes(`/projects/${project}/tasks`);
    end = service.fail({ when: isRefused, times: 1_000, fault: { status: 403 } }).cancel;
    service.workspace.updateProject(PROCESS.processId, project, { state: 'Active' });
  };
  return [begin, () => {}, () => end()].map(edit => ({ mode: 'changes', edit }));
}

/** A service that is down for longer than 5 intervals, which pauses the workspace, and then back. */
function outageOf(service: SimulatedService): Step[] {
  const isAsked = ({ path }: { path: string }) => path.includes('/processes/');
  let end = () => {};
  const begin = () => {
    end = service.fail({ when: isAsked, times: 1_000, fault: { status: 503 } }).cancel;
  };
  const failing = [begin, () => {}, () => {}, () => {}];
  return [
    ...failing.map((edit): Step => ({ mode: 'changes', edit, fails: true })),
    { mode: 'changes', edit: () => end() },
  ];
}

/** A project's life, and a process of which most projects disappear. */
function editsOf(workspace: EditApi): Step[] {
  const { processId } = PROCESS;
  const made = { project: '', task: '' };
  return [
    {
      mode: 'changes',
      edit: () => {
        const project = {
          name: 'Nordwind Logistics',
          'customer-segment': 'Mid-market',
          modules: ['Billing'],
        };
        made.project = workspace.createProject(processId, { ...project, contractValue: '48000' });
        const task = { name: 'Import master data', dueDate: '2026-03-20', involvedTeams: ['Engineering'] };
        made.task = workspace.createTask(processId, made.project, task);
        workspace.createTask(processId, made.project, { name: 'Train the end users' });
      },
    },
    {
      mode: 'changes',
      edit: () => {
        const [, , lead] = workspace.users();
        const assignee = { id: lead?.id ?? null, name: lead?.name ?? null };
        const values = { dueDate: '', effortHours: '7.5', involvedTeams: ['Finance', 'Engineering'] };
        workspace.updateTask(processId, made.project, made.task, {
          status: 'In progress',
          assignee,
          ...values,
        });
        const project = { state: 'Active', contractValue: '52500', modules: ['Reporting', 'Open API'] };
        workspace.updateProject(processId, made.project, project);
      },
    },
    { mode: 'changes', edit: () => workspace.deleteTask(processId, made.project, made.task) },
    { mode: 'changes', edit: () => workspace.deleteProject(processId, made.project) },
    {
      mode: 'sweep',
      edit: () => {
        for (let id = 1001; id <= 1012; id++) {
          workspace.deleteProject(processId, String(id), { audit: false });
        }
      },
    },
  ];
}

/** A field's life. The second pass that misses it emits its deletion. */
function fieldEditsOf(workspace: EditApi): Step[] {
  const { processId } = PROCESS;
  const field = { externalId: 'sign-off', name: 'Sign-off', type: 'single-choice' } as const;
  const edits = [
    () => workspace.addField(processId, 'task', { ...field, options: ['Requested', 'Given'] }),
    () => {
      workspace.renameField(processId, 'task', field.externalId, 'Customer sign-off');
      workspace.renameChoice(processId, 'task', field.externalId, 'Given', 'Signed');
    },
    () => workspace.archiveField(processId, 'task', field.externalId),
    () => workspace.deleteField(processId, 'task', field.externalId),
    () => {},
  ];
  return edits.map((edit): Step => ({ mode: 'changes', edit }));
}

/** An entry about a task has every list filled. */
function isTypical({ data }: ChangeEvent): boolean {
  return !('entry' in data) || data.tasks.length > 0;
}

function firstOfEach(events: readonly ChangeEvent[]): Examples {
  const first = (type: string): ChangeEvent => {
    const event = events.find(candidate => candidate.type === type && isTypical(candidate));
    if (event) return event;
    throw new Error(`No ${type} was emitted. Add an edit to docs/take-examples.ts that leads to one.`);
  };
  const types = Object.keys(eventSchemas);
  return {
    events: {
      ...(Object.fromEntries(types.map(type => [type, first(type)])) as Record<EventType, ChangeEvent>),
      ...snapshotEvents(first('project.created'), first('task.created')),
      ...healthEvents(),
      'changewire.test': testEvent('crm', { at: Date.UTC(2026, 2, 2, 9), tag: '8f1c03d2' }),
    },
    attributes: messageOf(first('task.updated')).MessageAttributes,
  };
}

/** As if an endpoint had failed for two hours, been stopped later, and lost deliveries. */
function healthEvents() {
  const since = Date.UTC(2026, 2, 2, 9);
  const reason = 'answered 503';
  const [failing, back] = [since + 2 * MINUTE, since + 125 * MINUTE];
  const reports = [
    { type: 'endpoint.failing', at: failing, since, reason },
    { type: 'endpoint.recovered', at: back, since },
    { type: 'delivery.dead', at: back + 5 * MINUTE, since: back + 4 * MINUTE, reason, deliveries: 3 },
    { type: 'endpoint.stopped', at: back + 9 * MINUTE, since: back + 9 * MINUTE, reason: 'answered 410' },
  ] as const;
  const events = reports.map(report =>
    healthEvent(
      { name: 'crm', kind: 'webhook' },
      { ...report, version: report.at, depth: 0, origin: 'https://crm.example.com' },
    ),
  );
  return Object.fromEntries(events.map(event => [event.type, event])) as Record<
    HealthEvent['type'],
    HealthEvent
  >;
}

/** As if a snapshot had been requested after these events. */
function snapshotEvents(project: ChangeEvent, task: ChangeEvent) {
  const [version, at] = [Number(project.sequence), Date.parse(project.time)];
  const { data: of } = project as Extract<SentEvent, { type: 'project.created' }>;
  const { data } = task as Extract<SentEvent, { type: 'task.created' }>;
  const origin = { ...PROCESS, jobId: '5f3a9c1e', startedAt: version + 10 * MINUTE };
  const [record = {}, fields = {}] = [of.project.record, data.task.record];
  const content = { record, tasks: new Map([[data.task.id, fields]]) };
  const snapshot = { version, content, recordReadAt: at, tasksReadAt: at };
  const events = [
    startedEvent(origin),
    projectSnapshot(origin, of.project.id, snapshot),
    taskSnapshot(origin, [of.project.id, data.task.id], fields, snapshot),
    completedEvent(origin, { projects: 1, tasks: 1 }),
  ];
  return Object.fromEntries(events.map(event => [event.type, event])) as Record<
    SnapshotEvent['type'],
    SnapshotEvent
  >;
}
