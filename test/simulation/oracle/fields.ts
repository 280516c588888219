import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { Definitions, FieldEntity } from '../../../functions/model/field-definition.ts';
import type { Field } from '../../../simulator/data/workspace.ts';
import { Violation } from './violation.ts';

type FieldEvent = Extract<ChangeEvent, { data: { field: unknown } }>;

/** A definition, as a receiver knows it. */
interface Known {
  readonly name: string;
  readonly options: readonly string[];
  readonly archived: boolean;
}

const ENTITIES: readonly FieldEntity[] = ['project', 'task'];

export function isOfField(event: ChangeEvent): event is FieldEvent {
  return event.type.startsWith('field.');
}

/** Judges what is told of custom fields: together with the first reading of each list, it must give what
 *  the state holds. */
export class FieldsOracle {
  readonly #told = new Map<FieldEntity, Map<string, Known>>();

  tell({ id, type, data }: FieldEvent): void {
    const { entity, externalId, name, options = [], archived } = data.field;
    const fields = this.#told.get(entity);
    if (!fields) throw new Violation(2, `${id} (${type}) comes before the first reading of its list`);
    const before = fields.get(externalId);
    if ((type === 'field.created') !== (before === undefined))
      throw new Violation(2, `${id} (${type} of ${externalId}) does not follow from what was told before`);
    for (const change of data.changes) this.#checkFrom(id, before, change);
    if (type === 'field.deleted') fields.delete(externalId);
    else fields.set(externalId, { name, options, archived });
  }

  #checkFrom(
    id: string,
    before: Known | undefined,
    { field, from }: FieldEvent['data']['changes'][number],
  ): void {
    if (!before || field === 'type') return;
    if (text(before[field]) === text(from)) return;
    throw new Violation(2, `${id}: ${field} is told from ${text(from)}, but was ${text(before[field])}`);
  }

  /** Called with each written state. What the baseline read, and the first reading of a list, is known
   *  without events; from then on the events must give what the state holds. */
  compare({ read = [], ...definitions }: Definitions, isBaselined: boolean): void {
    for (const entity of ENTITIES) {
      const held = heldOf(definitions, entity);
      const told = this.#told.get(entity);
      const isFirst = !isBaselined || !told;
      if (isFirst && read.includes(entity)) this.#told.set(entity, held);
      if (!isFirst && all(told) !== all(held))
        throw new Violation(
          4,
          `what was told of ${entity} fields is not what is held:\n  ${all(told)}\n  ${all(held)}`,
        );
    }
  }

  /** Takes the definitions of a restored table: events since then don't count any more. */
  restored({ read = [], ...definitions }: Definitions): void {
    this.#told.clear();
    for (const entity of read) this.#told.set(entity, heldOf(definitions, entity));
  }

  /** To be asked once nothing changes any more. What became of a project's field once it was archived, no list shows. */
  checkServed(entity: FieldEntity, fields: readonly Field[]): void {
    const isShown = ({ archived }: { archived: boolean }) => entity === 'task' || !archived;
    const served = fields.filter(isShown).map(field => [field.externalId, field] as const);
    const told = [...(this.#told.get(entity) ?? [])].filter(([, field]) => isShown(field));
    const [left, right] = [all(new Map(told)), all(new Map(served))];
    if (left !== right)
      throw new Violation(1, `${entity} fields are left apart:\n  told   ${left}\n  served ${right}`);
  }
}

function heldOf(definitions: Omit<Definitions, 'read'>, entity: FieldEntity): Map<string, Known> {
  return new Map(
    definitions[entity]
      .filter(({ deleted }) => !deleted)
      .map(({ externalId, name, options = [], archived = false }) => [
        externalId,
        { name, options, archived },
      ]),
  );
}

/** The choices are a set. */
function all(fields: ReadonlyMap<string, Known>): string {
  const sorted = [...fields].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(
    sorted.map(([id, { name, options, archived }]) => [id, name, text(options), archived]),
  );
}

function text(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? [...value].sort() : value);
}
