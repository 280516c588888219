import type { JsonObject } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { Actor, ChangeEvent, DueEvent, ProjectEvent, TaskEvent, TestEvent } from '../model/event.ts';
import { encodePart, eventId, eventSource } from '../model/event-id.ts';
import type { RecordChange, Rules } from './compare-project.ts';
import type { Falling } from './due.ts';
import { bare, fitEvent, fits } from './fit-event.ts';
import { contextOf, namesOf } from './record-context.ts';

/** When the old and the new state were read, in ms since 1970 on the service's clock. */
interface Observed {
  readonly after: number;
  readonly before: number;
  /** The time of the event; `before` by default. */
  readonly time?: number;
}

/** One commit of one project: what its events share. */
export interface Commit extends ProcessKey {
  readonly projectId: string;
  /** The project's record as it now is, or last was: events of its tasks carry its name and short values. */
  readonly projectRecord: JsonObject;
  /** The definitions, from which events carry the names that people see; without them, they carry none. */
  readonly rules?: Rules | undefined;
  readonly version: number;
  readonly observed: { readonly project: Observed; readonly task: Observed };
  /** The users who changed a record; undefined unless known for certain. */
  readonly actorsOf?: ((change: RecordChange) => Actor[] | undefined) | undefined;
}

/** The events of one commit, in order, each at most 240 KB. The same input gives the same bytes. */
export function buildEvents(commit: Commit, changes: readonly RecordChange[]): (ProjectEvent | TaskEvent)[] {
  const { rules, projectId, projectRecord } = commit;
  const project = { ...named(projectId, projectRecord), ...(rules && contextOf(projectRecord, rules)) };
  return changes.map((change, index) =>
    fitEvent(
      change.entity === 'project'
        ? projectEvent(commit, change, index)
        : taskEvent(commit, { change, project }, index),
    ),
  );
}

function projectEvent(commit: Commit, change: RecordChange, index: number): ProjectEvent {
  return {
    ...envelope(commit, index, commit.observed.project),
    type: `project.${change.action}`,
    subject: `projects/${encodePart(commit.projectId)}`,
    data: {
      process: { id: commit.processId },
      project: {
        ...named(commit.projectId, change.record),
        record: change.record,
        ...(commit.rules && { names: namesOf(change.record, commit.rules.projectFields) }),
      },
      changes: [...change.fields],
      observed: timestamps(commit.observed.project),
      ...actorsOf(commit, change),
    },
  } as ProjectEvent;
}

interface OfTask {
  readonly change: RecordChange;
  readonly project: TaskEvent['data']['project'];
}

function taskEvent(commit: Commit, { change, project }: OfTask, index: number): TaskEvent {
  return {
    ...envelope(commit, index, commit.observed.task),
    type: `task.${change.action}`,
    subject: `projects/${encodePart(commit.projectId)}/tasks/${encodePart(change.id)}`,
    data: {
      process: { id: commit.processId },
      project,
      task: {
        ...named(change.id, change.record),
        record: change.record,
        ...(commit.rules && { names: namesOf(change.record, commit.rules.taskFields) }),
      },
      changes: [...change.fields],
      observed: timestamps(commit.observed.task),
      ...actorsOf(commit, change),
    },
  } as TaskEvent;
}

/** The event of a value that falls due at a commit, at `at` in ms since 1970. `index`: its place among the events of
 *  the commit. */
export function dueEvent(
  commit: Omit<Commit, 'observed' | 'actorsOf'> & { readonly at: number },
  { rule, record: id, value, at }: Falling,
  task: JsonObject | undefined,
  index: number,
): DueEvent {
  const { processId, projectId, projectRecord, rules } = commit;
  const { field, before, after } = rule;
  const project = named(projectId, projectRecord);
  const records = task
    ? {
        project: { ...project, ...(rules && contextOf(projectRecord, rules)) },
        task: { ...named(id, task), record: task, ...(rules && { names: namesOf(task, rules.taskFields) }) },
      }
    : {
        project: {
          ...project,
          record: projectRecord,
          ...(rules && { names: namesOf(projectRecord, rules.projectFields) }),
        },
      };
  const data = {
    process: { id: processId },
    ...records,
    rule: {
      ...(field !== undefined && { field }),
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
    },
    ...(field === undefined ? { since: value } : { value }),
    dueAt: new Date(at).toISOString(),
  };
  const event = {
    ...envelope(commit, index, { after: commit.at, before: commit.at }),
    type: rule.event,
    subject: `projects/${encodePart(projectId)}${task ? `/tasks/${encodePart(id)}` : ''}`,
    data,
  } as DueEvent;
  if (fits(event)) return event;
  const bared = 'task' in event.data ? { task: bare(event.data.task) } : { project: bare(project) };
  return { ...event, data: { ...event.data, ...bared, truncated: ['record'] } } as DueEvent;
}

/** What every event has. `projectId` is left out where an event is about the process itself. */
export function envelope(
  { workspace, processId, projectId = '', version }: ProcessKey & { projectId?: string; version: number },
  index: number,
  observed: Observed,
): Omit<ChangeEvent, 'type' | 'data' | 'subject'> {
  return {
    specversion: '1.0',
    id: eventId(processId, projectId, version, index),
    source: eventSource(workspace, processId),
    time: new Date(observed.time ?? observed.before).toISOString(),
    datacontenttype: 'application/json',
    sequence: String(version),
  };
}

function actorsOf(commit: Commit, change: RecordChange): { actors?: Actor[] } {
  const actors = commit.actorsOf?.(change);
  return actors ? { actors } : {};
}

function timestamps(observed: Observed): { after: string; before: string } {
  return { after: new Date(observed.after).toISOString(), before: new Date(observed.before).toISOString() };
}

/** A record by its identifier, and its name if it has one. */
export function named(id: string, record: JsonObject): { id: string; name?: string } {
  for (const name of [record.name, record.title]) {
    if (typeof name === 'string' && name !== '') return { id, name };
  }
  return { id };
}

/** An event that only shows an endpoint that events arrive. `at` in ms since 1970; `tag` makes its id unique
 *  among tests at the same time. */
export function testEvent(endpoint: string, { at, tag }: { at: number; tag: string }): TestEvent {
  return {
    specversion: '1.0',
    id: `changewire.test.${at}.${tag}`,
    source: `/endpoints/${endpoint}`,
    type: 'changewire.test',
    time: new Date(at).toISOString(),
    datacontenttype: 'application/json',
    sequence: String(at),
    data: {
      endpoint: { name: endpoint },
      message: 'This is a test: events of Changewire arrive here. Nothing changed.',
    },
  };
}
