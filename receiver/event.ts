/** The events that receivers get: docs/events.md describes each type with an example. */

/** Any JSON value, as the service sent it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A CloudEvents 1.0 JSON object. Not an interface, so that it is assignable to an object with any keys. */
export type CloudEvent<Type extends string, Data> = {
  /** Always `1.0`. */
  specversion: '1.0';
  /** The same change always has the same `id`: drop repeated ids. */
  id: string;
  /** `/workspaces/<workspace>/processes/<process>`; in `endpoint.*`, `delivery.dead` and a test,
   *  `/endpoints/<name>`. */
  source: string;
  /** The event type. */
  type: Type;
  /** `projects/<id>`, `projects/<id>/tasks/<id>`, `project-fields/<externalId>` or `task-fields/<externalId>`,
   *  percent-encoded. Absent in `source.*`, `audit.recorded`, `endpoint.*`, `delivery.dead`,
   *  `changewire.test`, and `snapshot.*` of a whole process. */
  subject?: string | undefined;
  /** When the new state was read; when a date fell due, the time of the commit. */
  time: string;
  /** Always `application/json`. */
  datacontenttype: 'application/json';
  /** The version of the project, 13 to 16 digits; in `field.*`, `source.*` and `audit.recorded`, of the process; in
   *  `snapshot.*`, a minute before its start; in `endpoint.*` and `delivery.dead`, of the endpoint. Larger is newer. */
  sequence: string;
  /** The data of the event, by `type`. */
  data: Data;
};

/** One changed field. */
export interface FieldChange {
  /** The record's property. A custom field's is its `externalId`, on tasks usually in camelCase. */
  field: string;
  /** The custom field's name; for a built-in field, the property. */
  name: string;
  /** `custom` if the process defines the field, otherwise `builtin`. */
  kind: 'custom' | 'builtin';
  /** A custom field's type (`text`, `number`, `date`, `single-choice`, `multiple-choice`), or the JSON type. */
  type: string;
  /** The last emitted value, or null. */
  from: Json;
  /** The new value, or null. */
  to: Json;
  /** Only for `multiple-choice`: the added choices. */
  added?: Json[] | undefined;
  /** Only for `multiple-choice`: the removed choices. */
  removed?: Json[] | undefined;
}

/** The fields of a process's records, by kind of record: `changewire types PROCESS` prints them. */
export interface RecordTypes {
  /** The fields of a project. */
  project: object;
  /** The fields of a task. */
  task: object;
}

/** Records of which no fields are known. */
export interface AnyRecords {
  /** Any field. */
  project: Record<string, Json>;
  /** Any field. */
  task: Record<string, Json>;
}

/** A record with these fields, and others that the process does not define. */
export type RecordOf<Fields extends object> = string extends keyof Fields
  ? Record<string, Json>
  : Fields & { [other: string]: Json | undefined };

/** A change of one of these fields (`kind` is `custom`), or of a built-in field. */
export type ChangeOf<Fields extends object> = string extends keyof Fields
  ? FieldChange
  :
      | (FieldChange & { kind: 'builtin' })
      | {
          [Field in keyof Fields]-?: FieldChange & {
            kind: 'custom';
            field: Field;
            from: NonNullable<Fields[Field]> | null;
            to: NonNullable<Fields[Field]> | null;
          };
        }[keyof Fields];

/** A project or task. */
export interface RecordRef {
  /** The identifier as text, even if the service sends a number. */
  id: string;
  /** The record's name or title. */
  name?: string | undefined;
}

/** A project or task, with its complete record. */
export interface FullRecord<Fields extends object = Record<string, Json>> extends RecordRef {
  /** The complete record; the last known one if it was deleted. */
  record?: RecordOf<Fields> | undefined;
}

/** A project or task that changed. */
export interface NamedRecord<Fields extends object = Record<string, Json>> extends FullRecord<Fields> {
  /** Displayed names of its custom fields, by property, unless equal. */
  names?: Record<string, string> | undefined;
}

/** The project of a task that changed. */
export interface TaskProject extends RecordRef {
  /** Short values of its fields: each of at most 256 characters of JSON, together 4,096; custom fields first. */
  context?: Record<string, Json> | undefined;
  /** Displayed names of its fields, by property, unless equal; also of long and ignored ones, which `context` lacks. */
  names?: Record<string, string> | undefined;
}

/** The interval in which the change happened. */
export interface Observed {
  /** When the old state was last read, by the service's clock. */
  after: string;
  /** When the new state was read, by the service's clock. */
  before: string;
}

/** A user who changed a record. */
export interface Actor {
  /** The user's identifier, as text. */
  id: string;
  /** The user's name, if the service has one. */
  name?: string | undefined;
}

/** A process. */
export interface ProcessRef {
  /** The identifier of the process. */
  id: string;
}

/** The changes of a project or task. */
export interface RecordData<Fields extends object = Record<string, Json>> {
  /** The process of the record. */
  process: ProcessRef;
  /** The changed fields, by `field`. A new record has every field with a value, a deleted one none. */
  changes: ChangeOf<Fields>[];
  /** The interval in which the change happened. */
  observed: Observed;
  /** The users who changed the record, earliest first, if known. */
  actors?: Actor[] | undefined;
  /** The cut parts: `record`, `changes[i].from`, `changes`. */
  truncated?: string[] | undefined;
}

/** The data of a project event. */
export interface ProjectData<Types extends RecordTypes = AnyRecords> extends RecordData<Types['project']> {
  /** The project. */
  project: NamedRecord<Types['project']>;
}

/** The data of a task event. */
export interface TaskData<Types extends RecordTypes = AnyRecords> extends RecordData<Types['task']> {
  /** The project of the task. */
  project: TaskProject;
  /** The task. */
  task: NamedRecord<Types['task']>;
}

/** A rule of a process. */
export interface RuleRef {
  /** The field with the date, as the rule names it. */
  field?: string | undefined;
  /** How long before the date, such as `2d`. */
  before?: string | undefined;
  /** How long after the last change, such as `14d`. */
  after?: string | undefined;
}

/** What falls due by a rule. */
export interface DueData {
  /** The process of the record. */
  process: ProcessRef;
  /** The rule of the process. */
  rule: RuleRef;
  /** The time by the rule. */
  dueAt: string;
  /** The cut parts: `record`. */
  truncated?: string[] | undefined;
}

/** The data of a project that falls due. */
export interface ProjectDueData<Types extends RecordTypes = AnyRecords> extends DueData {
  /** The project. */
  project: NamedRecord<Types['project']>;
  /** The date in the field. */
  value: string;
}

/** The data of a task that falls due. */
export interface TaskDueData<Types extends RecordTypes = AnyRecords> extends DueData {
  /** The project of the task. */
  project: TaskProject;
  /** The task. */
  task: NamedRecord<Types['task']>;
  /** The date in the field. */
  value: string;
}

/** The data of a project that did not change. */
export interface UnchangedData<Types extends RecordTypes = AnyRecords> extends DueData {
  /** The project. */
  project: NamedRecord<Types['project']>;
  /** When the project or one of its tasks last changed, as far as known. */
  since: string;
}

/** The definition of a custom field. */
export interface FieldDefinition {
  /** The kind of record that has the field. */
  entity: 'project' | 'task';
  /** The identifier: the name of the records' property, on tasks usually in camelCase. */
  externalId: string;
  /** The field's name. */
  name: string;
  /** The type as in a change, or another of the service's own. */
  type: string;
  /** The labels of the choices, in order. */
  options?: string[] | undefined;
  /** Whether the field is archived. */
  archived: boolean;
}

/** One changed property of a definition. */
export interface PropertyChange {
  /** The changed property of the definition. */
  field: 'archived' | 'name' | 'options' | 'type';
  /** The previous value, or null. */
  from: string | boolean | string[] | null;
  /** The new value. */
  to: string | boolean | string[] | null;
  /** Only for `options`: the added choices. */
  added?: string[] | undefined;
  /** Only for `options`: the removed choices. */
  removed?: string[] | undefined;
}

/** The data of a field event. */
export interface FieldData {
  /** The process of the record. */
  process: ProcessRef;
  /** The current definition; for a deleted field, the last known definition. */
  field: FieldDefinition;
  /** The changed properties. A new field has all, a deleted one none. */
  changes: PropertyChange[];
  /** The cut parts: `field.options`, `changes[i].from`. */
  truncated?: string[] | undefined;
}

/** Why a process is on hold. */
export interface OnHoldData {
  /** The process that the event is about. */
  process: ProcessRef;
  /** Why deletions are on hold, for people. */
  reason: string;
  /** The number of missing projects. */
  missing: number;
  /** The number of projects before. */
  known: number;
}

/** Why changes of a process are late. */
export interface StalledData {
  /** The process that the event is about. */
  process: ProcessRef;
  /** The last pass's error, for people. */
  reason: string;
  /** When a pass last completed, by the poller's clock. */
  since: string;
}

/** How long changes of a process were late. */
export interface RecoveredData {
  /** The process that the event is about. */
  process: ProcessRef;
  /** The `since` of the `source.stalled` before. */
  since: string;
  /** When a pass completed again, by the poller's clock. */
  until: string;
}

/** Why changes of one project are late. */
export interface SkippedData {
  /** The process that the event is about. */
  process: ProcessRef;
  /** The project that cannot be read or committed. */
  project: {
    /** The identifier of the project. */
    id: string;
  };
  /** The last attempt's error, for people. */
  reason: string;
  /** Later changes of the project may be missing, by the service's clock. */
  since: string;
}

/** A new entry of the audit log. */
export interface AuditData {
  /** The process that the event is about. */
  process: ProcessRef;
  /** The entry as the service sent it. */
  entry: Json;
  /** The known projects whose identifier appears anywhere in the entry. */
  projects: {
    /** The identifier of the project. */
    id: string;
  }[];
  /** Their known tasks whose identifier appears anywhere in the entry. */
  tasks: {
    /** The identifier of the task. */
    id: string;
    /** The project in which a pass last read the task. */
    projectId: string;
  }[];
  /** The known users whom the entry names as its actors. */
  users: Actor[];
  /** The cut parts: `entry`, `projects`, `tasks`, `users`. */
  truncated?: string[] | undefined;
}

/** A snapshot. */
export interface SnapshotRef {
  /** The identifier of the snapshot. */
  id: string;
}

/** The current state of a project. */
export interface ProjectSnapshotData<Types extends RecordTypes = AnyRecords> {
  /** The process of the record. */
  process: ProcessRef;
  /** The project. */
  project: FullRecord<Types['project']>;
  /** The snapshot that the event belongs to. */
  snapshot: SnapshotRef;
  /** The cut parts: `record`. */
  truncated?: string[] | undefined;
}

/** The current state of a task. */
export interface TaskSnapshotData<Types extends RecordTypes = AnyRecords> {
  /** The process of the record. */
  process: ProcessRef;
  /** The project of the task. */
  project: RecordRef;
  /** The task. */
  task: FullRecord<Types['task']>;
  /** The snapshot that the event belongs to. */
  snapshot: SnapshotRef;
  /** The cut parts: `record`. */
  truncated?: string[] | undefined;
}

/** The beginning of a snapshot. */
export interface SnapshotStartedData {
  /** The process of the snapshot. */
  process: ProcessRef;
  /** The snapshot that the event belongs to. */
  snapshot: SnapshotRef;
}

/** The end of a snapshot. */
export interface SnapshotCompletedData extends SnapshotStartedData {
  /** The number of projects that the snapshot names. */
  projects: number;
  /** The number of tasks that the snapshot names. */
  tasks: number;
}

/** An endpoint. */
export interface EndpointRef {
  /** The endpoint's name. */
  name: string;
  /** Its kind, such as `webhook`. */
  kind: string;
  /** The origin of its address, if known. */
  origin?: string | undefined;
}

/** The health of an endpoint. */
export interface HealthData {
  /** The endpoint that the event is about. */
  endpoint: EndpointRef;
  /** When the problem began, by the clock of Changewire. */
  since: string;
}

/** Why an endpoint gets nothing, or did not get some events. */
export interface HealthProblemData extends HealthData {
  /** The last failure, for people. */
  reason: string;
}

/** Events that an endpoint did not get. */
export interface DeliveryDeadData extends HealthProblemData {
  /** The number of deliveries that were given up. After a crash, one may count twice. */
  deliveries: number;
}

/** The data of a test event. */
export interface TestData {
  /** The endpoint that is tested. */
  endpoint: {
    /** The endpoint's name in the configuration. */
    name: string;
  };
  /** A sentence for people. */
  message: string;
}

/** A project appeared. Its `task.created` have the same `sequence`. */
export type ProjectCreated<Types extends RecordTypes = AnyRecords> = CloudEvent<
  'project.created',
  ProjectData<Types>
>;
/** Fields of a project changed. */
export type ProjectUpdated<Types extends RecordTypes = AnyRecords> = CloudEvent<
  'project.updated',
  ProjectData<Types>
>;
/** A project was deleted. Its `task.deleted` have the same `sequence`. */
export type ProjectDeleted<Types extends RecordTypes = AnyRecords> = CloudEvent<
  'project.deleted',
  ProjectData<Types>
>;
/** An event about a project. */
export type ProjectEvent<Types extends RecordTypes = AnyRecords> =
  | ProjectCreated<Types>
  | ProjectUpdated<Types>
  | ProjectDeleted<Types>;

/** A task appeared. */
export type TaskCreated<Types extends RecordTypes = AnyRecords> = CloudEvent<'task.created', TaskData<Types>>;
/** Fields of a task changed. */
export type TaskUpdated<Types extends RecordTypes = AnyRecords> = CloudEvent<'task.updated', TaskData<Types>>;
/** A task was deleted, or moved to another project. */
export type TaskDeleted<Types extends RecordTypes = AnyRecords> = CloudEvent<'task.deleted', TaskData<Types>>;
/** An event about a task. */
export type TaskEvent<Types extends RecordTypes = AnyRecords> =
  | TaskCreated<Types>
  | TaskUpdated<Types>
  | TaskDeleted<Types>;

/** The time of a task came, by a rule. Nothing changed. */
export type TaskDue<Types extends RecordTypes = AnyRecords> = CloudEvent<'task.due', TaskDueData<Types>>;
/** The date of a task passed, by a rule. */
export type TaskOverdue<Types extends RecordTypes = AnyRecords> = CloudEvent<
  'task.overdue',
  TaskDueData<Types>
>;
/** The time of a project came, by a rule. */
export type ProjectDue<Types extends RecordTypes = AnyRecords> = CloudEvent<
  'project.due',
  ProjectDueData<Types>
>;
/** The date of a project passed, by a rule. */
export type ProjectOverdue<Types extends RecordTypes = AnyRecords> = CloudEvent<
  'project.overdue',
  ProjectDueData<Types>
>;
/** Neither a project nor its tasks changed for as long as a rule states. */
export type ProjectUnchanged<Types extends RecordTypes = AnyRecords> = CloudEvent<
  'project.unchanged',
  UnchangedData<Types>
>;
/** An event of a rule: nothing changed but the time. */
export type DueEvent<Types extends RecordTypes = AnyRecords> =
  | TaskDue<Types>
  | TaskOverdue<Types>
  | ProjectDue<Types>
  | ProjectOverdue<Types>
  | ProjectUnchanged<Types>;

/** A custom field appeared in the definitions of the process. */
export type FieldCreated = CloudEvent<'field.created', FieldData>;
/** A custom field's name, type or choices changed, or the field was restored. */
export type FieldUpdated = CloudEvent<'field.updated', FieldData>;
/** A custom field was archived. */
export type FieldArchived = CloudEvent<'field.archived', FieldData>;
/** A custom field of tasks was deleted. */
export type FieldDeleted = CloudEvent<'field.deleted', FieldData>;
/** An event about a custom field. */
export type FieldEvent = FieldCreated | FieldUpdated | FieldArchived | FieldDeleted;

/** Too many projects disappeared at once. Deletions are on hold. */
export type SourceHeld = CloudEvent<'source.held', OnHoldData>;
/** No pass completed for 5 intervals, at least 1 minute. */
export type SourceStalled = CloudEvent<'source.stalled', StalledData>;
/** A pass completed again after a stall, and its changes were emitted. */
export type SourceRecovered = CloudEvent<'source.recovered', RecoveredData>;
/** One project cannot be read or committed. Its changes are late. */
export type SourceSkipped = CloudEvent<'source.skipped', SkippedData>;
/** An event about the process itself. */
export type SourceEvent = SourceHeld | SourceStalled | SourceRecovered | SourceSkipped;

/** The audit log has a new entry (only with `audit: true`). */
export type AuditEvent = CloudEvent<'audit.recorded', AuditData>;

/** The current state of a project, in a requested snapshot. Nothing changed. */
export type ProjectSnapshot<Types extends RecordTypes = AnyRecords> = CloudEvent<
  'project.snapshot',
  ProjectSnapshotData<Types>
>;
/** The current state of a task, in a requested snapshot. Nothing changed. */
export type TaskSnapshot<Types extends RecordTypes = AnyRecords> = CloudEvent<
  'task.snapshot',
  TaskSnapshotData<Types>
>;
/** A snapshot of a process begins. Its events may arrive in any order. */
export type SnapshotStarted = CloudEvent<'snapshot.started', SnapshotStartedData>;
/** All records of a snapshot were sent before, as many as it counts. */
export type SnapshotCompleted = CloudEvent<'snapshot.completed', SnapshotCompletedData>;
/** An event of a snapshot. */
export type SnapshotEvent<Types extends RecordTypes = AnyRecords> =
  | ProjectSnapshot<Types>
  | TaskSnapshot<Types>
  | SnapshotStarted
  | SnapshotCompleted;

/** Another endpoint failed 5 times in a row, over a minute. */
export type EndpointFailing = CloudEvent<'endpoint.failing', HealthProblemData>;
/** Another endpoint accepts events again. */
export type EndpointRecovered = CloudEvent<'endpoint.recovered', HealthData>;
/** Another endpoint answered 410, or failed for 5 days. An operator must resume it. */
export type EndpointStopped = CloudEvent<'endpoint.stopped', HealthProblemData>;
/** Deliveries to another endpoint were given up. */
export type DeliveryDead = CloudEvent<'delivery.dead', DeliveryDeadData>;
/** An event about the health of another endpoint. */
export type HealthEvent = EndpointFailing | EndpointRecovered | EndpointStopped | DeliveryDead;

/** An operator tests an endpoint. Nothing changed. */
export type TestEvent = CloudEvent<'changewire.test', TestData>;

/** An event that is published to the topic. Its `type` determines `data`:
 *
 *      switch (event.type) {
 *        case 'task.updated':
 *          return event.data.task.name;
 *        …
 *        default: // Ignore unknown types: more will come.
 *      }
 */
export type ChangeEvent<Types extends RecordTypes = AnyRecords> =
  | ProjectEvent<Types>
  | TaskEvent<Types>
  | DueEvent<Types>
  | FieldEvent
  | SourceEvent
  | AuditEvent;

/** The types of published events. */
export type EventType = ChangeEvent['type'];

/** The types of events that a filter of an endpoint can name. */
export type FilterType = EventType | HealthEvent['type'];

/** Every event that a webhook may get: change events, those of a snapshot, those about other endpoints, and the test of
 *  the endpoint. */
export type SentEvent<Types extends RecordTypes = AnyRecords> =
  | ChangeEvent<Types>
  | SnapshotEvent<Types>
  | HealthEvent
  | TestEvent;
