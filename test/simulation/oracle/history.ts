import { jsonEqual } from '../../../functions/changes/equal.ts';
import type { Json, JsonObject } from '../../../functions/json.ts';
import type { SimulatedBackend } from '../../../local/service/backend.ts';
import { projectRecord, taskRecord } from '../../../local/service/records.ts';
import { type FieldKind, fieldsOf, type ProcessState } from '../../../local/service/workspace.ts';
import { isEmpty } from '../../support/told.ts';

/** A record of the service: a project, or one of its tasks. */
export interface RecordName {
  readonly projectId: string;
  readonly taskId?: string | undefined;
}

interface Moment {
  /** From this time of the service on … */
  readonly from: number;
  readonly state: ProcessState;
}

/** Everything that the service ever was: what the oracle judges by. Times are the service's, in ms since 1970. */
export class History {
  readonly #service: SimulatedBackend;
  readonly #processId: string;
  readonly #moments: Moment[] = [];

  constructor(service: SimulatedBackend, processId: string) {
    this.#service = service;
    this.#processId = processId;
    this.note();
  }

  /** The service's time. */
  get now(): number {
    return this.#service.clock();
  }

  /** Keeps the state as it now is, after an edit. */
  note(): void {
    const state = this.#service.workspace().processes.get(this.#processId) as ProcessState;
    this.#moments.push({ from: this.#service.clock(), state });
  }

  /** The `externalId` of every field that ever was. */
  fieldsEver(kind: FieldKind): ReadonlySet<string> {
    return new Set(
      this.#moments.flatMap(({ state }) => fieldsOf(state, kind).map(({ externalId }) => externalId)),
    );
  }

  /** Whether the record had this value (all kinds of empty are one) at some time between the two, both included. */
  was(name: RecordName, field: string, value: Json | undefined, after: number, before: number): boolean {
    return this.#during(after, before).some(state => {
      const record = this.#record(state, name);
      if (!record) return false;
      const served = Object.hasOwn(record, field) ? record[field] : undefined;
      return isEmpty(value) ? isEmpty(served) : served !== undefined && jsonEqual(served, value as Json);
    });
  }

  wasThere(name: RecordName, after: number, before: number): boolean {
    return this.#during(after, before).some(state => this.#record(state, name) !== undefined);
  }

  wasAbsent(name: RecordName, after: number, before: number): boolean {
    return this.#during(after, before).some(state => this.#record(state, name) === undefined);
  }

  #record(state: ProcessState, { projectId, taskId }: RecordName): JsonObject | undefined {
    const project = state.projects.get(projectId);
    if (!project) return undefined;
    const { freedoms } = this.#service;
    if (taskId === undefined) return projectRecord(state, project, freedoms);
    const task = project.tasks.get(taskId);
    return task && taskRecord(state, project, task, freedoms);
  }

  #during(after: number, before: number): ProcessState[] {
    return this.#moments
      .filter(({ from }, index) => from <= before && (this.#moments[index + 1]?.from ?? Infinity) >= after)
      .map(({ state }) => state);
  }
}
