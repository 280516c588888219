import type { JsonObject } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { SnapshotEvent } from '../model/event.ts';
import { encodePart, eventSource } from '../model/event-id.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { named } from './build-events.ts';
import { bare, fits } from './fit-event.ts';

/** The snapshot of one process that a job sends. */
export interface SnapshotOrigin extends ProcessKey {
  readonly jobId: string;
  /** When the job began, in ms since 1970. */
  readonly startedAt: number;
  /** The only project of the snapshot; undefined: all. */
  readonly project?: string | undefined;
}

/** The clocks of pollers and of the job may differ by this much: a record that was committed just before the job began,
 *  but that the job did not read, has no smaller version. */
const CLOCKS_DIFFER_MS = 60_000;

export function startedEvent(origin: SnapshotOrigin): SnapshotEvent {
  return marker(origin, 'started', {});
}

export function completedEvent(
  origin: SnapshotOrigin,
  { projects, tasks }: { readonly projects: number; readonly tasks: number },
): SnapshotEvent {
  return marker(origin, 'completed', { projects, tasks });
}

function marker(origin: SnapshotOrigin, name: 'started' | 'completed', counts: object): SnapshotEvent {
  const { startedAt, project } = origin;
  return {
    // No project has an empty identifier.
    ...envelope(origin, ['', name], startedAt, startedAt - CLOCKS_DIFFER_MS),
    type: `snapshot.${name}`,
    ...(project !== undefined && { subject: `projects/${encodePart(project)}` }),
    data: { ...dataOf(origin), ...counts },
  } as SnapshotEvent;
}

/** The current state of a project, with the version of its stored snapshot. */
export function projectSnapshot(origin: SnapshotOrigin, id: string, snapshot: Snapshot): SnapshotEvent {
  const { record } = snapshot.content;
  const version = String(snapshot.version);
  const event = {
    ...envelope(origin, [id, version], snapshot.recordReadAt, snapshot.version),
    type: 'project.snapshot',
    subject: `projects/${encodePart(id)}`,
    data: { ...dataOf(origin), project: { ...named(id, record), record } },
  } as const;
  if (fits(event)) return event;
  return { ...event, data: { ...event.data, project: bare(event.data.project), truncated: ['record'] } };
}

/** The same of a task. */
export function taskSnapshot(
  origin: SnapshotOrigin,
  [projectId, id]: readonly [project: string, task: string],
  record: JsonObject,
  snapshot: Snapshot,
): SnapshotEvent {
  const event = {
    ...envelope(origin, [projectId, String(snapshot.version), id], snapshot.tasksReadAt, snapshot.version),
    type: 'task.snapshot',
    subject: `projects/${encodePart(projectId)}/tasks/${encodePart(id)}`,
    data: {
      ...dataOf(origin),
      project: named(projectId, snapshot.content.record),
      task: { ...named(id, record), record },
    },
  } as const;
  if (fits(event)) return event;
  const { project, task } = event.data;
  return {
    ...event,
    data: { ...event.data, project: bare(project), task: bare(task), truncated: ['record'] },
  };
}

function dataOf({ processId, jobId }: SnapshotOrigin) {
  return { process: { id: processId }, snapshot: { id: jobId } };
}

/** The id contains the job's: it differs from those of changes and other snapshots. It contains the version: if a
 *  slice is repeated after a crash, a record that changed in between has another one. */
function envelope(
  { workspace, processId, jobId }: SnapshotOrigin,
  parts: readonly string[],
  at: number,
  sequence: number,
) {
  return {
    specversion: '1.0',
    id: ['snapshot', jobId, ...[processId, ...parts].map(encodePart)].join('.'),
    source: eventSource(workspace, processId),
    time: new Date(at).toISOString(),
    datacontenttype: 'application/json',
    sequence: String(sequence),
  } as const;
}
