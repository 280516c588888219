import type { Clock } from '../../functions/basics/clock.ts';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { Freedoms } from '../data/freedoms.ts';
import {
  type AuditEntry,
  type ProjectState,
  type SimulatedProcess,
  SYSTEM,
  type Workspace,
} from '../data/workspace.ts';

/** Options of an edit. */
export interface EditOptions {
  /** False: the audit log gets no entry for it. */
  readonly audit?: boolean;
  /** False: no update time moves. */
  readonly touch?: boolean;
  /** The ids of the actors; by default the first user. `SYSTEM` is not a user. */
  readonly user?: string | readonly string[];
}

/** The result of an edit. */
export interface Outcome {
  readonly process: SimulatedProcess;
  /** The counters, when the edit took a number. */
  readonly counters?: Workspace['counters'];
  readonly entry: { readonly action: string; readonly entity: JsonObject; readonly details: JsonObject };
}

/** The time of an edit, and the update times that it sets. */
export interface Moment {
  readonly workspace: Workspace;
  /** When, in ms since 1970, at the resolution of the service's clock. */
  readonly now: number;
  /** The update time that a record gets: now, or what it was when the edit must not touch it. */
  readonly touched: (updatedAt: number) => number;
  readonly freedoms: Freedoms;
}

/** Keeps the workspace. Edits are atomic: the new state is persisted before it becomes visible. */
export class WorkspaceStore {
  readonly freedoms: Freedoms;
  readonly #clock: Clock;
  readonly #persist: (workspace: Workspace) => void;
  #workspace: Workspace;

  constructor(
    workspace: Workspace,
    clock: Clock,
    freedoms: Freedoms,
    persist: (workspace: Workspace) => void,
  ) {
    this.#workspace = workspace;
    this.#clock = clock;
    this.freedoms = freedoms;
    this.#persist = persist;
    persist(workspace);
  }

  get workspace(): Workspace {
    return this.#workspace;
  }

  /** Makes one edit of one process.
   *  @throws when there is no such process, when `change` refuses, or when the state can't be persisted;
   *  nothing is changed then */
  edit(
    processId: string,
    options: EditOptions,
    change: (process: SimulatedProcess, moment: Moment) => Outcome,
  ): void {
    const workspace = this.#workspace;
    const tick = this.freedoms.timestampResolution;
    const now = Math.floor(this.#clock() / tick) * tick;
    const touched = (updatedAt: number): number => (options.touch === false ? updatedAt : now);
    const moment = { workspace, now, touched, freedoms: this.freedoms };
    const outcome = change(processOf(workspace, processId), moment);
    const seq = (outcome.counters ?? workspace.counters).seq + 1;
    const user = options.user ?? workspace.users[0]?.id ?? SYSTEM;
    const entry: AuditEntry = { seq, at: now, user, ...outcome.entry };
    const log = options.audit === false ? outcome.process.audit : [...outcome.process.audit, entry];
    const audit = log.slice(-this.freedoms.auditRetention);
    const next: Workspace = {
      ...workspace,
      processes: new Map(workspace.processes).set(processId, { ...outcome.process, audit }),
      counters: { ...(outcome.counters ?? workspace.counters), seq },
    };
    this.#persist(next);
    this.#workspace = next;
  }
}

/** @throws naming the process and those there are */
export function processOf(workspace: Workspace, processId: string): SimulatedProcess {
  const process = workspace.processes.get(processId);
  if (process) return process;
  throw new Error(
    `Unknown process "${processId}"; the processes are ${[...workspace.processes.keys()].join(', ')}`,
  );
}

/** @throws naming the process and the project */
export function projectOf(process: SimulatedProcess, projectId: string): ProjectState {
  const project = process.projects.get(projectId);
  if (project) return project;
  throw new Error(`Process "${process.id}" has no project "${projectId}"; create it first`);
}

/** The process with this project put in its place. */
export function withProject(process: SimulatedProcess, project: ProjectState): SimulatedProcess {
  return { ...process, projects: new Map(process.projects).set(project.id, project) };
}
