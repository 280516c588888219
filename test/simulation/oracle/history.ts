import type { Json, JsonObject } from '../../../functions/basics/json.ts';
import { jsonEqual } from '../../../functions/changes/equal.ts';
import type { SimulatedBackend } from '../../../simulator/backend.ts';
import { propertyOf } from '../../../simulator/data/properties.ts';
import { projectRecord, taskRecord } from '../../../simulator/data/records.ts';
import {
  type Field,
  type FieldKind,
  fieldsOf,
  type RecordState,
  type SimulatedProcess,
} from '../../../simulator/data/workspace.ts';
import { isEmpty } from '../../kit/told.ts';

/** A record of the service: a project, or one of its tasks. */
export interface RecordName {
  readonly projectId: string;
  readonly taskId?: string | undefined;
}

interface Moment {
  /** From this time of the service on … */
  readonly from: number;
  readonly state: SimulatedProcess;
  /** The ids of those who made it so. */
  readonly by: readonly string[];
}

/** One edit of a record: when, and the ids of those who made it. */
export interface EditMade {
  readonly at: number;
  readonly by: readonly string[];
}

/** A record as it was served at one moment, and what else was so then; undefined when it was not there. */
export type Matches = (record: JsonObject | undefined, state: SimulatedProcess) => boolean;

/** All states that the service ever had, by which oracles judge. Times are the service's, in ms since
 *  1970. */
export class History {
  readonly #service: SimulatedBackend;
  readonly #processId: string;
  readonly #moments: Moment[] = [];
  /** Records as they were served, kept by state and fields, because most moments have most records in
   *  common. */
  readonly #served = new WeakMap<RecordState, { fields: readonly Field[]; record: JsonObject }>();

  constructor(service: SimulatedBackend, processId: string) {
    this.#service = service;
    this.#processId = processId;
    this.note();
  }

  /** The service's time. */
  get now(): number {
    return this.#service.clock();
  }

  /** Keeps the state as it now is, after an edit. `by`: the ids of those who made it; else the workspace's first user, as
   *  the service takes it. */
  note(by: readonly string[] = this.#firstUser()): void {
    const state = this.#service.workspace().processes.get(this.#processId) as SimulatedProcess;
    this.#moments.push({ from: this.#service.clock(), state, by });
  }

  #firstUser(): readonly string[] {
    return this.#service
      .workspace()
      .users.slice(0, 1)
      .map(({ id }) => id);
  }

  /** The `externalId` of every field that ever was. */
  fieldsEver(kind: FieldKind): ReadonlySet<string> {
    return new Set(
      this.#moments.flatMap(({ state }) => fieldsOf(state, kind).map(({ externalId }) => externalId)),
    );
  }

  /** Every name that the field of this property ever had. */
  fieldNames(kind: FieldKind, property: string): Set<string> {
    const lists = new Set(this.#moments.map(({ state }) => fieldsOf(state, kind)));
    const fields = [...lists].flat().filter(({ externalId }) => propertyOf(kind, externalId) === property);
    return new Set(fields.map(({ name }) => name));
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

  wasAbsent(name: RecordName, after: number, before: number): boolean {
    return this.#during(after, before).some(state => this.#record(state, name) === undefined);
  }

  /** The edits of this very record, whether audited or not, later than `after` and until `before`, in their order. Making, moving and
   *  deleting a record are edits of it, and so is deleting its project. */
  edits(name: RecordName, after: number, before: number): EditMade[] {
    return this.#moments.flatMap(({ from, state, by }, index) => {
      if (from <= after || from > before) return [];
      const last = this.#moments[index - 1]?.state;
      return last && isEdited(stateOf(last, name), stateOf(state, name)) ? [{ at: from, by }] : [];
    });
  }

  /** The number of the first moment, from the one with the number `first` on, that matches and was between the two times,
   *  both included; -1 when there is none. */
  find(name: RecordName, first: number, after: number, before: number, matches: Matches): number {
    for (let index = first; index < this.#moments.length; index++) {
      const { state } = this.#moments[index] as Moment;
      if (this.#isDuring(index, after, before) && matches(this.#record(state, name), state)) return index;
    }
    return -1;
  }

  /** How often the record began to match, its first state included. */
  countEntries(name: RecordName, matches: Matches): number {
    const matching = this.#moments.map(({ state }) => matches(this.#record(state, name), state));
    return matching.filter((isSo, index) => isSo && !matching[index - 1]).length;
  }

  #record(state: SimulatedProcess, name: RecordName): JsonObject | undefined {
    const { projectId, taskId } = name;
    const project = state.projects.get(projectId);
    const of = stateOf(state, name);
    if (!project || !of) return undefined;
    const fields = fieldsOf(state, taskId === undefined ? 'project' : 'task');
    const known = this.#served.get(of);
    if (known?.fields === fields) return known.record;
    const { freedoms } = this.#service;
    const record =
      taskId === undefined
        ? projectRecord(state, project, freedoms)
        : taskRecord(state, project, of, freedoms);
    this.#served.set(of, { fields, record });
    return record;
  }

  #during(after: number, before: number): SimulatedProcess[] {
    return this.#moments.filter((_, index) => this.#isDuring(index, after, before)).map(({ state }) => state);
  }

  #isDuring(index: number, after: number, before: number): boolean {
    const from = this.#moments[index]?.from ?? Infinity;
    return from <= before && (this.#moments[index + 1]?.from ?? Infinity) >= after;
  }
}

function stateOf({ projects }: SimulatedProcess, { projectId, taskId }: RecordName): RecordState | undefined {
  const project = projects.get(projectId);
  return taskId === undefined ? project : project?.tasks.get(taskId);
}

/** An edit makes new objects of what it concerns, and of nothing else. What a task's edit does to its project, its update time, is no
 *  edit of the project. */
function isEdited(before: RecordState | undefined, after: RecordState | undefined): boolean {
  if (!before || !after) return before !== after;
  return (
    before.fields !== after.fields || before.values !== after.values || before.createdAt !== after.createdAt
  );
}
