/** What receivers get: docs/events.md tells of each event when it comes, and has an example. */

/** Any JSON value, as the service sent it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A CloudEvents 1.0 JSON object. No interface, so that it can be taken for an object of any keys. */
export type CloudEvent<Type extends string, Data> = {
  /** The version of CloudEvents. */
  specversion: '1.0';
  /** Always the same for the same change: drop what you have seen. */
  id: string;
  /** /workspaces/<workspace>/processes/<process>; /endpoints/<name> of a test. */
  source: string;
  /** What happened. */
  type: Type;
  /** The record within the source; events about a process have none. */
  subject?: string | undefined;
  /** When the new state was read, as ISO 8601 in UTC. */
  time: string;
  /** What `data` is. */
  datacontenttype: 'application/json';
  /** The project's version, or that of what the process says about itself: larger is newer. A text that also
   *  sorts as text. */
  sequence: string;
  /** What changed, by `type`. */
  data: Data;
};

/** One changed field. */
export interface FieldChange {
  /** The record's property. */
  field: string;
  /** The custom field's name; the property itself for a built-in field. */
  name: string;
  /** Whether a definition names the field, or each record has it. */
  kind: 'custom' | 'builtin';
  /** text, number, date, single-choice or multiple-choice for a custom field; the JSON type for a built-in one. */
  type: string;
  /** The value told before; null when there was none. */
  from: Json;
  /** The value that was read; null when there is none. */
  to: Json;
  /** multiple-choice only: choices that came. */
  added?: Json[] | undefined;
  /** multiple-choice only: choices that went. */
  removed?: Json[] | undefined;
}

/** A project or task. */
export interface RecordRef {
  /** The identifier as text, also where the service sends a number. */
  id: string;
  /** The record's name or title. */
  name?: string | undefined;
}

/** A project or task, with all that the service tells of it. */
export interface FullRecord extends RecordRef {
  /** The whole record as it now is (as it last was, when deleted). Left out only when `truncated` says so. */
  record?: Record<string, Json> | undefined;
}

/** The change happened somewhere between the two, by the service's clock. */
export interface Observed {
  /** The latest time at which the old state was still read. */
  after: string;
  /** The time at which the new state was read. */
  before: string;
}

/** A user who changed a record. */
export interface Actor {
  /** The user's identifier, as text. */
  id: string;
  /** The name, if the service tells it. */
  name?: string | undefined;
}

/** What changed in a project or task, when, and by whom. */
export interface RecordData {
  /** The process that it is of. */
  process: { id: string };
  /** The changed fields. Empty for a record that appeared or is gone. */
  changes: FieldChange[];
  /** The change happened somewhere between the two, by the service's clock. */
  observed: Observed;
  /** The users whom new entries of the audit log name as those who changed this record between `observed.after` and
   *  `observed.before`, the earliest first. Left out where none is known for certain. */
  actors?: Actor[] | undefined;
  /** What was cut to keep the event under 240 KB: `record`, `changes[i].from`, `changes`. */
  truncated?: string[] | undefined;
}

/** What changed in a project. */
export interface ProjectData extends RecordData {
  /** The project. */
  project: FullRecord;
}

/** What changed in a task. */
export interface TaskData extends RecordData {
  /** The project that the task is of. */
  project: RecordRef;
  /** The task. */
  task: FullRecord;
}

/** The definition of a custom field. */
export interface FieldDefinition {
  /** What the field is of. */
  entity: 'project' | 'task';
  /** The record's property, under which the values stand. */
  externalId: string;
  /** The name that people see. */
  name: string;
  /** text, number, date, single-choice or multiple-choice; else as the service wrote it. */
  type: string;
  /** The labels of the choices. */
  options?: string[] | undefined;
  /** Whether the field is out of use; its values stay. */
  archived: boolean;
}

/** One changed property of a definition. */
export interface PropertyChange {
  /** The definition's property. */
  field: 'archived' | 'name' | 'options' | 'type';
  /** What was told before; null when there was none. */
  from: string | boolean | string[] | null;
  /** What was read. */
  to: string | boolean | string[] | null;
  /** options only: choices that came. */
  added?: string[] | undefined;
  /** options only: choices that went. */
  removed?: string[] | undefined;
}

/** What changed in the definition of a custom field. */
export interface FieldData {
  /** The process that it is of. */
  process: { id: string };
  /** The definition as it now is; as it last was, when deleted. */
  field: FieldDefinition;
  /** The changed properties. Empty for a field that appeared or is gone. */
  changes: PropertyChange[];
  /** What was cut to keep the event under 240 KB: `field.options`, `changes[i].from`. */
  truncated?: string[] | undefined;
}

/** Why a process is on hold. */
export interface HeldData {
  /** The process that it is about. */
  process: { id: string };
  /** Why deletions are held, in words. */
  reason: string;
  /** How many projects the service no longer shows. */
  missing: number;
  /** How many projects were known. */
  known: number;
}

/** Why changes of a process are late. */
export interface StalledData {
  /** The process that it is about. */
  process: { id: string };
  /** What the last pass met, in words. */
  reason: string;
  /** When a pass was last completed. */
  since: string;
}

/** How long changes of a process were late. */
export interface RecoveredData {
  /** The process that it is about. */
  process: { id: string };
  /** The `since` of the stall that is over. */
  since: string;
  /** When a pass was completed again. */
  until: string;
}

/** Why changes of one project are late. */
export interface SkippedData {
  /** The process that it is about. */
  process: { id: string };
  /** The project that can not be read or committed. */
  project: { id: string };
  /** What the last try met, in words. */
  reason: string;
  /** What changed in the project after this may be untold. */
  since: string;
}

/** A new entry of the audit log. */
export interface AuditData {
  /** The process that it is about. */
  process: { id: string };
  /** The entry as the service wrote it; where `truncated` names it, the begin of its JSON as a text. */
  entry: Json;
  /** The known projects whose identifier stands anywhere in the entry, by identifier. */
  projects: { id: string }[];
  /** The known tasks of these projects whose identifier stands anywhere in the entry, by project and identifier. Not known is one that
   *  no pass has read yet, or that was told as deleted. */
  tasks: { id: string; projectId: string }[];
  /** The known users whom the entry names as those who acted. */
  users: Actor[];
  /** What was cut to keep the event under 240 KB: `entry`, `projects`, `tasks`, `users`. */
  truncated?: string[] | undefined;
}

/** What a test of an endpoint sends. */
export interface TestData {
  /** The endpoint that is tested. */
  endpoint: {
    /** What the operator calls it. */
    name: string;
  };
  /** For people. */
  message: string;
}

/** A project appeared; its tasks follow. */
export type ProjectCreated = CloudEvent<'project.created', ProjectData>;
/** Fields of a project changed. */
export type ProjectUpdated = CloudEvent<'project.updated', ProjectData>;
/** A project is gone; its tasks went before. */
export type ProjectDeleted = CloudEvent<'project.deleted', ProjectData>;
/** Something happened to a project. */
export type ProjectEvent = ProjectCreated | ProjectUpdated | ProjectDeleted;

/** A task appeared. */
export type TaskCreated = CloudEvent<'task.created', TaskData>;
/** Fields of a task changed. */
export type TaskUpdated = CloudEvent<'task.updated', TaskData>;
/** A task is gone. */
export type TaskDeleted = CloudEvent<'task.deleted', TaskData>;
/** Something happened to a task. */
export type TaskEvent = TaskCreated | TaskUpdated | TaskDeleted;

/** A custom field appeared. */
export type FieldCreated = CloudEvent<'field.created', FieldData>;
/** A custom field's definition changed. */
export type FieldUpdated = CloudEvent<'field.updated', FieldData>;
/** A custom field was archived. */
export type FieldArchived = CloudEvent<'field.archived', FieldData>;
/** A custom field is gone. */
export type FieldDeleted = CloudEvent<'field.deleted', FieldData>;
/** Something happened to a custom field. */
export type FieldEvent = FieldCreated | FieldUpdated | FieldArchived | FieldDeleted;

/** So many projects vanished at once that nothing was deleted: an operator decides. */
export type SourceHeld = CloudEvent<'source.held', HeldData>;
/** No pass was completed for 5 intervals: changes are late until `source.recovered`. */
export type SourceStalled = CloudEvent<'source.stalled', StalledData>;
/** A pass was completed again: what changed during the stall is told. */
export type SourceRecovered = CloudEvent<'source.recovered', RecoveredData>;
/** A project can not be read or committed: its changes are late, those of all others are told. */
export type SourceSkipped = CloudEvent<'source.skipped', SkippedData>;
/** What is told of a process itself. */
export type SourceEvent = SourceHeld | SourceStalled | SourceRecovered | SourceSkipped;

/** The audit log has a new entry. Told only of processes for which the configuration asks for it. */
export type AuditEvent = CloudEvent<'audit.recorded', AuditData>;

/** Somebody tests whether events arrive at this endpoint. Nothing changed. */
export type TestEvent = CloudEvent<'changewire.test', TestData>;

/** A change event: what is published to the topic. Told apart by `type`:
 *
 *      switch (event.type) {
 *        case 'task.updated':
 *          return event.data.task.name;
 *        …
 *        default: // More types will come: ignore what you don't know.
 *      }
 */
export type ChangeEvent = ProjectEvent | TaskEvent | FieldEvent | SourceEvent | AuditEvent;

/** What may have happened. */
export type EventType = ChangeEvent['type'];

/** All that a webhook may get: change events, and the test of the endpoint. */
export type SentEvent = ChangeEvent | TestEvent;
