import { isDeepStrictEqual } from 'node:util';
import type { ProcessKey } from '../basics/process.ts';
import { rulesOf } from '../changes/compare-project.ts';
import { namesOf } from '../changes/record-context.ts';
import {
  completedEvent,
  projectSnapshot,
  type SnapshotOrigin,
  startedEvent,
  taskSnapshot,
} from '../changes/snapshot-events.ts';
import { closedTo, joined } from '../delivery/health.ts';
import type { EndpointRow, SnapshotJob } from '../model/endpoint-row.ts';
import type { SnapshotEvent } from '../model/event.ts';
import type { Definitions } from '../model/field-definition.ts';
import { wantsRecord } from '../model/filter.ts';
import { KINDS } from '../model/kinds.ts';
import type { ProjectContent, Snapshot } from '../model/snapshot.ts';
import { type Conditions, unmet } from '../model/where.ts';
import { acted, type OperationOf, type OperationsContext } from './context.ts';
import { addDeliveries, deliveryOf } from './deliveries.ts';
import { changeRow, type FoundEndpoint, findEndpoint, wake } from './endpoints.ts';
import { MAX_COUNTED } from './page.ts';
import { findConfigured, inOrder, onlyOne } from './processes.ts';
import type { RequestOf } from './protocol/requests.ts';
import { Refused } from './refused.ts';

/** Begins a snapshot: the endpoint gets the current state of all records, between `snapshot.started` and
 *  `snapshot.completed` of each process. This only writes the request into the endpoint's row;
 *  `workOffSnapshot` carries it out. A dry run counts the projects.
 *  @throws Refused while another snapshot for this endpoint is in progress */
export const snapshot: OperationOf<'snapshot'> = async (context, { dryRun = false, ...asked }) => {
  const { found, job } = await plan(context, asked);
  const { processes, project } = job;
  const answer = { endpoint: asked.to, processes: processes.map(({ processId }) => processId), dryRun };
  if (dryRun) {
    const counts = await Promise.all(processes.map(each => context.roster.count(each, MAX_COUNTED)));
    const atLeast = project === undefined ? counts.reduce((sum, count) => sum + count, 0) : 1;
    return {
      answer: { ...answer, projects: { atLeast, isExact: counts.every(count => count < MAX_COUNTED) } },
    };
  }
  await startSnapshot(context, { found, job });
  return acted({ endpoint: asked.to }, answer, [
    ...(asked.process === undefined ? [] : [`process ${asked.process}`]),
    ...(project === undefined ? [] : [`project ${project}`]),
  ]);
};

interface Planned {
  readonly found: FoundEndpoint;
  readonly job: SnapshotJob;
}

/** Writes the request into the endpoint's row. @throws Refused when another one is in progress */
export async function startSnapshot(
  context: Pick<OperationsContext, 'configured' | 'endpoints'>,
  { found, job }: Planned,
): Promise<void> {
  const changed = await changeRow(context, found, ({ snapshotted: _, ...row }) =>
    row.snapshot ? undefined : { ...row, snapshot: job },
  );
  if (changed.snapshot?.id !== job.id) throw underWay();
}

async function plan(context: OperationsContext, asked: Omit<RequestOf<'snapshot'>, 'operation' | 'dryRun'>) {
  const { to, process, workspace, project } = asked;
  const found = await findEndpoint(context, to);
  if (KINDS[found.endpoint.kind].queue === 'chat')
    throw new Refused('A chat shows changes only. Request the snapshot for another endpoint.');
  if (found.endpoint.record === false)
    throw new Refused(
      'This endpoint gets events without records ("record": false), so a snapshot would be empty. Change that setting first, or request the snapshot for another endpoint.',
    );
  if (found.row?.snapshot) throw underWay();
  const processes =
    process === undefined
      ? inOrder(await context.processes()).filter(({ isRemoved }) => !isRemoved)
      : [onlyOne(await findConfigured(context, { process, workspace }))];
  for (const each of processes) await checkProcess(context, each, project);
  const keys = processes.map(({ workspace, processId }) => ({ workspace, processId }));
  const job: SnapshotJob = {
    ...{ id: context.newId(), processes: keys, added: 0, startedAt: context.clock() },
    ...(project !== undefined && { project }),
  };
  return { found, job };
}

/** @throws Refused for a process without a complete baseline, and for an unknown project */
async function checkProcess(
  { states, snapshots }: OperationsContext,
  process: ProcessKey,
  project: string | undefined,
): Promise<void> {
  const { baselined } = await states.progress(process);
  if (!baselined)
    throw new Refused(
      `The first pass of process ${process.processId} has not ended: see the status. Then request the snapshot again, or one of another process.`,
    );
  if (project === undefined) return;
  if ((await snapshots.withSnapshot(process, [project])).size === 0)
    throw new Refused(`Process ${process.processId} has no project with this id.`);
}

function underWay(): Refused {
  return new Refused('A snapshot for this endpoint is in progress: wait for it to finish, or cancel it.');
}

/** Ends a snapshot: no more deliveries are added; those that were added are sent. Without `snapshot.completed`, the
 *  receiver drops nothing. */
export const cancelSnapshot: OperationOf<'cancel-snapshot'> = async (context, { to }) => {
  const found = await findEndpoint(context, to);
  let cancelled: SnapshotJob | undefined;
  await changeRow(context, found, ({ snapshot, ...row }) => {
    cancelled = snapshot;
    return cancelled && row;
  });
  const added = cancelled?.added ?? 0;
  const answer = { endpoint: to, wasUnderWay: cancelled !== undefined, added };
  return cancelled ? acted({ endpoint: to }, answer, [`${added} deliveries had been added`]) : { answer };
};

/** The ports that carrying out a snapshot needs. */
type SnapshotPorts = Pick<
  OperationsContext,
  'configured' | 'endpoints' | 'deliveries' | 'queues' | 'clock' | 'log'
> & { readonly snapshots: Pick<OperationsContext['snapshots'], 'heads' | 'load' | 'readState'> };

/** Adds the next events of an endpoint's snapshot to its deliveries. After a crash, some are added again, under the
 *  same ids.
 *  @returns false when there is nothing left to do */
export async function workOffSnapshot(ports: SnapshotPorts, name: string): Promise<boolean> {
  const { clock } = ports;
  const found = await findEndpoint(ports, name);
  const job = found.row?.snapshot;
  if (!job) return false;
  const { events, next } = await nextSlice(ports, found, job);
  const now = clock();
  const added = events.map(event => ({ ...deliveryOf(name, event, now), at: placeOf(event, job) }));
  const done = { ...job, added: job.added + events.length };
  const change = (row: EndpointRow): EndpointRow => {
    const health = joined(row.health, now, false);
    // False when the snapshot was cancelled, or another run worked off this slice. The deliveries that were added are
    // sent even then.
    const isOurs =
      row.snapshot?.id === job.id && isDeepStrictEqual(progressOf(row.snapshot), progressOf(job));
    if (!isOurs) return { ...row, health };
    const { snapshot: _, ...rest } = row;
    const processes = next ? job.processes : job.processes.slice(1);
    const after = { ...done, processes, position: next };
    return { ...rest, ...(processes.length > 0 ? { snapshot: after } : { snapshotted: done }), health };
  };
  const row = await addDeliveries(ports, found, { added, change });
  if (!closedTo(row.health, now)) await wake(ports, found);
  return row.snapshot !== undefined;
}

const progressOf = ({ processes, position }: SnapshotJob) => ({ left: processes.length, position });

/** The deliveries of a snapshot are sent in this order, after all live ones. */
function placeOf({ type }: SnapshotEvent, { startedAt }: SnapshotJob): number {
  return startedAt + (type === 'snapshot.started' ? 0 : type === 'snapshot.completed' ? 2 : 1);
}

/** The number of events of a slice, and the bytes of their JSON, after which it ends. */
const MAX_EVENTS = 200;
const MAX_BYTES = 4_000_000;
/** It also ends after the project with which it has read this many records, whatever the filter leaves out. */
const MAX_READ = 5_000;

type Position = NonNullable<SnapshotJob['position']>;

interface Slice {
  readonly events: readonly SnapshotEvent[];
  /** Where the next slice of this process begins; undefined after its last. */
  readonly next: Position | undefined;
}

async function nextSlice(ports: SnapshotPorts, found: FoundEndpoint, job: SnapshotJob): Promise<Slice> {
  const process = job.processes[0] as ProcessKey;
  const origin = { ...process, jobId: job.id, startedAt: job.startedAt, project: job.project };
  const { baselined, baselinedAt, definitions } = await ports.snapshots.readState(process);
  // A position of an earlier release has no `baselinedAt`.
  const position: Position = { baselinedAt, ...(job.position ?? { projects: 0, tasks: 0 }) };
  // The process was forgotten: `snapshot.completed` would make receivers remove the records that were not read.
  if (!baselined || position.baselinedAt !== baselinedAt) {
    const details = { code: 'snapshot.broken-off', endpoint: found.endpoint.name, ...process };
    ports.log.warn('A snapshot ended before all records of a process were sent: it was forgotten.', details);
    return { events: [], next: undefined };
  }
  if (position.isRead) return { events: [completedEvent(origin, position)], next: undefined };
  const where = found.endpoint.filter?.where;
  const matches = where && matcher(definitions, where);
  const slice = new SliceWriter({ origin, found, matches }, position);
  if (!job.position) slice.events.push(startedEvent(origin));
  for await (const [id, read] of projectsFrom(ports, process, job)) {
    const snapshot = await read();
    // Otherwise the project was deleted since its head was read.
    if (snapshot) slice.add(id, snapshot);
    if (slice.isFull || slice.read >= MAX_READ) return { events: slice.events, next: slice.position };
  }
  return { events: slice.events, next: { ...slice.position, isRead: true } };
}

/** The projects from the position on. Their snapshots are read one after the other. */
async function* projectsFrom(
  { snapshots }: SnapshotPorts,
  process: ProcessKey,
  { project, position }: SnapshotJob,
): AsyncGenerator<readonly [id: string, read: () => Promise<Snapshot | undefined>]> {
  const { project: last, task } = position ?? {};
  const load = (id: string) => () => snapshots.load(process, id);
  if (last !== undefined && task !== undefined) yield [last, load(last)];
  if (project !== undefined) {
    if (last === undefined) yield [project, load(project)];
    return;
  }
  for await (const heads of snapshots.heads(process, last))
    for (const head of heads) {
      const { projectId } = head;
      yield [projectId, async () => head.whole?.() ?? (await snapshots.load(process, projectId))];
    }
}

/** Whether a record meets an endpoint's conditions. Its event has none of the names that the conditions may have,
 *  because its content must not depend on when a slice is repeated. */
type Matches = (event: SnapshotEvent, content: ProjectContent) => boolean;

function matcher(definitions: Definitions, where: readonly Conditions[]): Matches {
  const { projectFields, taskFields } = rulesOf(definitions, new Set());
  return (event, { record, tasks }) => {
    const { project, task } = event.data as { project: { id: string }; task?: { id: string } };
    const ofProject = { ...project, record, context: record, names: namesOf(record, projectFields) };
    const known = task && tasks.get(task.id);
    const ofTask = known && { ...task, record: known, names: namesOf(known, taskFields) };
    const data = { ...event.data, project: ofProject, ...(ofTask && { task: ofTask }) };
    return unmet(where, { ...event, data } as SnapshotEvent) === undefined;
  };
}

interface SliceSettings {
  readonly origin: SnapshotOrigin;
  readonly found: FoundEndpoint;
  /** Undefined: the filter has no conditions on records. */
  readonly matches: Matches | undefined;
}

/** The events of a slice. */
class SliceWriter {
  readonly events: SnapshotEvent[] = [];
  /** The number of records that it was given. */
  read = 0;
  readonly #origin: SnapshotOrigin;
  readonly #endpoint: FoundEndpoint['endpoint'];
  readonly #matches: Matches | undefined;
  #position: Position;
  #bytes = 0;

  constructor({ origin, found, matches }: SliceSettings, position: Position) {
    this.#origin = origin;
    this.#endpoint = found.endpoint;
    this.#matches = matches;
    this.#position = position;
  }

  get position(): Position {
    return this.#position;
  }

  get isFull(): boolean {
    return this.events.length >= MAX_EVENTS || this.#bytes >= MAX_BYTES;
  }

  /** Adds a project, and its tasks in the order of their ids from the position on, as far as there is room. */
  add(id: string, snapshot: Snapshot): void {
    const { project, task: last } = this.#position;
    const isBegun = project === id && last !== undefined;
    this.read += 1 + snapshot.content.tasks.size;
    if (!isBegun && this.#wants('project', id))
      this.#push(projectSnapshot(this.#origin, id, snapshot), snapshot, { projects: 1 });
    // Before its first task: no task has an empty id.
    if (!isBegun) this.#position = { ...this.#position, project: id, task: '' };
    const tasks = this.#wants('task', id) ? [...snapshot.content.tasks] : [];
    const left = tasks.filter(([task]) => !isBegun || task > last).toSorted(byId);
    for (const [task, record] of left) {
      if (this.isFull) return;
      this.#push(taskSnapshot(this.#origin, [id, task], record, snapshot), snapshot, { tasks: 1 });
      this.#position = { ...this.#position, project: id, task };
    }
    const { task: _, ...position } = this.#position;
    this.#position = { ...position, project: id };
  }

  #wants(kind: 'project' | 'task', project: string): boolean {
    return wantsRecord(this.#endpoint.filter ?? {}, { ...this.#origin, kind, project });
  }

  #push(event: SnapshotEvent, { content }: Snapshot, { projects = 0, tasks = 0 }): void {
    if (this.#matches?.(event, content) === false) return;
    this.events.push(event);
    this.#bytes += Buffer.byteLength(JSON.stringify(event));
    const position = this.#position;
    this.#position = { ...position, projects: position.projects + projects, tasks: position.tasks + tasks };
  }
}

/** In the order in which `task > last` finds those that are left. */
function byId([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}
