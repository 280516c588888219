import type { JsonObject } from '../../functions/basics/json.ts';
import { splitProperties } from '../data/properties.ts';
import type { ProjectState, SimulatedProcess } from '../data/workspace.ts';
import { changesOf } from './changes.ts';
import { type EditOptions, type Outcome, projectOf, type WorkspaceStore, withProject } from './store.ts';

/** The edits of projects. Properties are those of a record as it is served: built-in ones, and custom
 *  fields by their `externalId` in wire format (service-api.md §2.3). Each edit throws for a process or
 *  project that isn't there. */
export interface ProjectEdits {
  /** @param options `id` makes the project under that id, for instance one that was deleted
   *  @returns the id */
  createProject(processId: string, properties?: JsonObject, options?: EditOptions & { id?: string }): string;
  updateProject(processId: string, projectId: string, properties: JsonObject, options?: EditOptions): void;
  /** Changes only the update time. */
  touchProject(processId: string, projectId: string, options?: EditOptions): void;
  deleteProject(processId: string, projectId: string, options?: EditOptions): void;
}

export function projectEdits(store: WorkspaceStore): ProjectEdits {
  const update: ProjectEdits['updateProject'] = (processId, projectId, properties, options = {}) =>
    store.edit(processId, options, (process, { touched }) => {
      const project = projectOf(process, projectId);
      const { fields, values } = splitProperties('project', process.projectFields, properties);
      const next: ProjectState = {
        ...project,
        updatedAt: touched(project.updatedAt),
        fields: { ...project.fields, ...fields },
        values: { ...project.values, ...values },
      };
      return {
        process: withProject(process, next),
        entry: projectEntry(
          'updated',
          next,
          changesOf('project', process.projectFields, project, next, Object.keys(properties)),
        ),
      };
    });
  return {
    createProject: (processId, properties = {}, options = {}) =>
      createProject(store, processId, properties, options),
    updateProject: update,
    touchProject: (processId, projectId, options) => update(processId, projectId, {}, options),
    deleteProject: (processId, projectId, options = {}) =>
      store.edit(processId, options, process => {
        const project = projectOf(process, projectId);
        const projects = new Map(process.projects);
        projects.delete(projectId);
        const deletedProjects = [...new Set([...process.deletedProjects, projectId])];
        return {
          process: { ...process, projects, deletedProjects },
          entry: projectEntry('deleted', project),
        };
      }),
  };
}

function createProject(
  store: WorkspaceStore,
  processId: string,
  properties: JsonObject,
  options: EditOptions & { id?: string },
): string {
  let id = '';
  store.edit(processId, options, (process, { workspace, now }) => {
    const { counters } = workspace;
    const number = options.id === undefined ? nextNumber(process, counters.project) : counters.project;
    id = options.id ?? String(number);
    if (process.projects.has(id))
      throw new Error(`Process "${processId}" already has a project "${id}"; give another id`);
    const { fields, values } = splitProperties('project', process.projectFields, properties);
    const project: ProjectState = {
      id,
      seq: counters.seq + 1,
      createdAt: now,
      updatedAt: now,
      fields: { name: `Project ${id}`, state: 'Planned', ...fields },
      values,
      tasks: new Map(),
    };
    return {
      process: withProject(process, project),
      counters: {
        ...counters,
        seq: project.seq,
        project: counters.project + (options.id === undefined ? 1 : 0),
      },
      entry: projectEntry('created', project),
    };
  });
  return id;
}

/** The next free number: some ids may have been given explicitly. */
function nextNumber(process: SimulatedProcess, last: number): number {
  let number = last + 1;
  while (process.projects.has(String(number))) number += 1;
  return number;
}

function projectEntry(
  action: string,
  project: ProjectState,
  changes: JsonObject = { properties: [] },
): Outcome['entry'] {
  return {
    action,
    entity: { type: 'project', name: project.fields.name ?? null },
    details: { context: { projectId: project.id }, ...changes },
  };
}
