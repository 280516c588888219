import type { Json, JsonObject } from '../../../functions/basics/json.ts';
import { jsonEqual } from '../../../functions/changes/equal.ts';
import type { ProjectEvent, TaskEvent } from '../../../functions/model/event.ts';
import { propertyOf } from '../../../simulator/data/properties.ts';
import { type FieldKind, fieldsOf, type SimulatedProcess } from '../../../simulator/data/workspace.ts';
import { isEmpty, type Known, known, type Told } from '../../kit/told.ts';
import type { History, RecordName } from './history.ts';
import { Violation } from './violation.ts';

type RecordEvent = ProjectEvent | TaskEvent;

/** Judges the order of what is told of each record: its states must occur in the service's history in
 *  this order, so none returns to an older one unless the service did; and no edit is told twice. */
export class ToldStatesOracle {
  readonly #history: History;
  /** By record: the number of the moment in the history at which its told state was found. */
  readonly #met = new Map<string, number>();
  /** By record and change: how often it was told. */
  readonly #times = new Map<string, number>();

  constructor(history: History) {
    this.#history = history;
  }

  /** From now on what is told follows from these states: those of a baseline, or of a table that was restored to an
   *  earlier moment. */
  begin(told: Told): void {
    this.#met.clear();
    this.#times.clear();
    for (const [projectId, { project, tasks }] of Object.entries(told)) {
      this.#meet({ projectId }, project);
      for (const [taskId, task] of Object.entries(tasks)) this.#meet({ projectId, taskId }, task);
    }
  }

  /** @param state what is known of the record after the event; undefined when it is deleted
   *  @param after the event's interval, by the service's clock */
  tell(event: RecordEvent, name: RecordName, state: Known | undefined, after: number, before: number): void {
    const key = keyOf(name);
    const last = this.#met.get(key) ?? 0;
    const index = this.#history.find(name, last, after, before, this.#matching(name, state));
    if (index < 0)
      throw new Violation(
        state === undefined ? 9 : 2,
        `${event.id} (${event.type} ${event.subject}) tells a state that the service was not in after the one told before: ` +
          JSON.stringify(state),
      );
    this.#met.set(key, index);
    this.#checkOnce(event, name);
  }

  /** Matches moments at which the served record equals the told state, apart from fields that were not
   *  shown then: their values stay told. */
  #matching({ taskId }: RecordName, told: Known | undefined) {
    const kind: FieldKind = taskId === undefined ? 'project' : 'task';
    const text = JSON.stringify(told);
    return (record: JsonObject | undefined, state: SimulatedProcess): boolean => {
      if (!record || !told) return record === undefined && told === undefined;
      const served = knownOf(record);
      if (served.text === text) return true;
      const properties = new Set([...Object.keys(told), ...Object.keys(served.known)]);
      return [...properties].every(property => {
        const [ours, theirs] = [told[property], served.known[property]];
        if (ours !== undefined && theirs !== undefined) return jsonEqual(ours, theirs);
        return theirs === undefined && this.#isHidden(record, state, kind, property);
      });
    };
  }

  /** Whether the record lacks the property because its field is archived or deleted. */
  #isHidden(record: JsonObject, state: SimulatedProcess, kind: FieldKind, property: string): boolean {
    const propertyIs = (externalId: string) => propertyOf(kind, externalId) === property;
    return (
      !Object.hasOwn(record, property) &&
      !fieldsOf(state, kind).some(field => !field.archived && propertyIs(field.externalId)) &&
      [...this.#history.fieldsEver(kind)].some(propertyIs)
    );
  }

  #meet(name: RecordName, state: Known): void {
    const index = this.#history.find(name, 0, 0, Number.POSITIVE_INFINITY, this.#matching(name, state));
    if (index < 0)
      throw new Violation(2, `the baseline holds what never was: ${keyOf(name)} ${JSON.stringify(state)}`);
    this.#met.set(keyOf(name), index);
  }

  #checkOnce(event: RecordEvent, name: RecordName): void {
    const { type, data } = event;
    if (type.endsWith('.deleted')) this.#count(event, name, 'deleted', record => record === undefined);
    else if (type.endsWith('.created')) this.#count(event, name, 'created', record => record !== undefined);
    else {
      for (const { field, from, to } of data.changes)
        this.#count(event, name, JSON.stringify([field, from, to]), record => has(record, field, to));
    }
  }

  #count(
    event: RecordEvent,
    name: RecordName,
    what: string,
    matches: (record: JsonObject | undefined) => boolean,
  ): void {
    const key = `${keyOf(name)} ${what}`;
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    if (times === 1 || this.#history.countEntries(name, matches) >= times) return;
    throw new Violation(
      3,
      `${event.id} tells for the ${times}. time what the service did less often: ${key}`,
    );
  }
}

function keyOf({ projectId, taskId }: RecordName): string {
  return JSON.stringify([projectId, taskId]);
}

function has(record: JsonObject | undefined, field: string, value: Json): boolean {
  if (!record) return false;
  const served = Object.hasOwn(record, field) ? record[field] : undefined;
  return isEmpty(value) ? isEmpty(served) : served !== undefined && jsonEqual(served, value);
}

const knowns = new WeakMap<JsonObject, { known: Known; text: string }>();

function knownOf(record: JsonObject) {
  const held = knowns.get(record) ?? { known: known(record), text: '' };
  if (held.text === '') {
    held.text = JSON.stringify(held.known);
    knowns.set(record, held);
  }
  return held;
}
