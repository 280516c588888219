import type { JsonObject } from '../../functions/basics/json.ts';
import { auditRecord } from '../data/audit-record.ts';
import { projectRecord, taskRecord, userRecord } from '../data/records.ts';
import type { Field, FieldKind, Workspace } from '../data/workspace.ts';
import { fieldsOf } from '../data/workspace.ts';
import { type FieldEdits, fieldEdits } from './fields.ts';
import { type ProjectEdits, projectEdits } from './projects.ts';
import { processOf, projectOf, type WorkspaceStore } from './store.ts';
import { type TaskEdits, taskEdits } from './tasks.ts';

/** The current workspace, with records as the API returns them. */
export interface WorkspaceView {
  /** The current state, which is immutable. */
  readonly state: Workspace;
  /** The ids of the processes. */
  processes(): string[];
  projects(processId: string): JsonObject[];
  tasks(processId: string, projectId: string): JsonObject[];
  users(): JsonObject[];
  /** Oldest first, whatever the service's order. */
  auditLog(processId: string): JsonObject[];
  /** The definitions, archived ones included. */
  fields(processId: string, kind: FieldKind): readonly Field[];
}

/** Edits and reads the simulated workspace without the REST API, like users of its web interface. */
export interface EditApi extends ProjectEdits, TaskEdits, FieldEdits, WorkspaceView {}

export function createEditApi(store: WorkspaceStore): EditApi {
  const { freedoms } = store;
  const process = (processId: string) => processOf(store.workspace, processId);
  return {
    ...projectEdits(store),
    ...taskEdits(store),
    ...fieldEdits(store),
    get state() {
      return store.workspace;
    },
    processes: () => [...store.workspace.processes.keys()],
    projects: processId =>
      [...process(processId).projects.values()].map(project =>
        projectRecord(process(processId), project, freedoms),
      ),
    tasks: (processId, projectId) => {
      const project = projectOf(process(processId), projectId);
      return [...project.tasks.values()].map(task => taskRecord(process(processId), project, task, freedoms));
    },
    users: () => store.workspace.users.map(user => userRecord(user, freedoms)),
    auditLog: processId =>
      process(processId).audit.map(entry => auditRecord(store.workspace, processId, entry, freedoms)),
    fields: (processId, kind) => fieldsOf(process(processId), kind),
  };
}
