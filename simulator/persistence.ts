import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { writeWhole } from '../functions/basics/write-whole.ts';
import type { ProjectState, SimulatedProcess, TaskState, Workspace } from './data/workspace.ts';

const VERSION = 1;

/** Reads a workspace that `saveWorkspace` wrote; undefined when there is no such file.
 *  @throws when the file is there and is not one of ours */
export function loadWorkspace(file: string): Workspace | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return parseWorkspace(text);
  } catch (error) {
    const remedy = 'delete it to begin with a new workspace';
    throw new Error(`The simulated service cannot read its state file ${file}; ${remedy}`, { cause: error });
  }
}

/** Writes the workspace atomically. It is synchronous, so that no answer shows a
 *  state that is not on disk yet. */
export function saveWorkspace(file: string, workspace: Workspace): void {
  mkdirSync(dirname(file), { recursive: true });
  writeWhole(file, serializeWorkspace(workspace));
}

/** A workspace as text; the same workspace gives the same text. */
export function serializeWorkspace(workspace: Workspace): string {
  return JSON.stringify({
    version: VERSION,
    ...workspace,
    processes: [...workspace.processes.values()].map(process => ({
      ...process,
      projects: [...process.projects.values()].map(project => ({
        ...project,
        tasks: [...project.tasks.values()],
      })),
    })),
  });
}

type Stored<State, Key extends keyof State, Item> = Omit<State, Key> & {
  readonly [K in Key]: readonly Item[];
};
type StoredProject = Stored<ProjectState, 'tasks', TaskState>;
type StoredProcess = Stored<SimulatedProcess, 'projects', StoredProject>;
type StoredWorkspace = Stored<Workspace, 'processes', StoredProcess> & { version: number };

/** The workspace that `serializeWorkspace` made the text from. */
export function parseWorkspace(text: string): Workspace {
  const { version, ...stored } = JSON.parse(text) as StoredWorkspace;
  if (version !== VERSION) throw new Error(`its version is ${version}, and ${VERSION} is expected`);
  return {
    ...stored,
    processes: byId(
      stored.processes.map(process => ({
        ...process,
        projects: byId(process.projects.map(project => ({ ...project, tasks: byId(project.tasks) }))),
      })),
    ),
  };
}

function byId<Item extends { readonly id: string }>(items: readonly Item[]): Map<string, Item> {
  return new Map(items.map(item => [item.id, item]));
}
