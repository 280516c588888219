import type { Json, JsonObject } from '../../functions/basics/json.ts';
import type { ChangeEvent } from '../../functions/model/event.ts';
import type { EditApi } from '../../simulator/server.ts';
import { servedState, type Told } from '../kit/told.ts';

/** An event in a line that a person reads, and that an edit can foretell. */
export function lineOf({ type, data }: ChangeEvent): string {
  if (!('project' in data && 'changes' in data)) return type;
  const subject = 'task' in data ? `${data.project.id}/${data.task.id}` : data.project.id;
  const changes = data.changes.map(({ field, from, to }) => changeLine(field, from, to));
  return [type, subject, ...(type.endsWith('.updated') ? changes : [])].join(' ');
}

function changeLine(field: string, from: Json | undefined, to: Json): string {
  return `${field}: ${JSON.stringify(from ?? null)} → ${JSON.stringify(to)}`;
}

/** Edits one process of the simulated service, and foretells the events. */
export class Edits {
  /** What is to be told so far, one line per event. */
  readonly expected: string[] = [];
  readonly #service: EditApi;
  readonly #process: string;

  constructor(service: EditApi, process: string) {
    this.#service = service;
    this.#process = process;
  }

  /** What the service shows of the process. */
  get served(): Told {
    return servedState(this.#service, this.#process);
  }

  projects(): string[] {
    return this.#service.projects(this.#process).map(({ id }) => String(id));
  }

  tasks(project: string): string[] {
    return this.#service.tasks(this.#process, project).map(({ id }) => String(id));
  }

  updateTask(project: string, task: string, field: string, to: Json): void {
    const from = this.#taskRecord(project, task)[field];
    this.#service.updateTask(this.#process, project, task, { [field]: to });
    this.expected.push(`task.updated ${project}/${task} ${changeLine(field, from, to)}`);
  }

  /** Updates one task of each project. */
  updateEach(field: string, label: string): void {
    for (const project of this.projects()) {
      const [task] = this.tasks(project);
      if (task !== undefined) this.updateTask(project, task, field, `${label}-${project}`);
    }
  }

  updateProject(project: string, field: string, to: Json): void {
    const record = this.#service.projects(this.#process).find(({ id }) => String(id) === project);
    this.#service.updateProject(this.#process, project, { [field]: to });
    this.expected.push(`project.updated ${project} ${changeLine(field, record?.[field], to)}`);
  }

  createTask(project: string, properties: JsonObject): void {
    const task = this.#service.createTask(this.#process, project, properties);
    this.expected.push(`task.created ${project}/${task}`);
  }

  deleteTask(project: string, task: string): void {
    this.#service.deleteTask(this.#process, project, task);
    this.expected.push(`task.deleted ${project}/${task}`);
  }

  createProject(properties: JsonObject, tasks: readonly JsonObject[]): void {
    const project = this.#service.createProject(this.#process, properties);
    this.expected.push(`project.created ${project}`);
    for (const task of tasks) this.createTask(project, task);
  }

  deleteProject(project: string): void {
    this.expected.push(...this.tasks(project).map(task => `task.deleted ${project}/${task}`));
    this.#service.deleteProject(this.#process, project);
    this.expected.push(`project.deleted ${project}`);
  }

  #taskRecord(project: string, task: string): JsonObject {
    return this.#service.tasks(this.#process, project).find(({ id }) => String(id) === task) ?? {};
  }
}
