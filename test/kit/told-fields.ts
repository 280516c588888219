import { isDeepStrictEqual } from 'node:util';
import { byText } from '../../functions/basics/order.ts';
import type { ChangeEvent, FieldEvent } from '../../functions/model/event.ts';
import type { EditApi } from '../../simulator/server.ts';

/** A field as a receiver knows it. */
interface ToldField {
  readonly name: string;
  readonly type: string;
  readonly options: readonly string[];
  readonly archived: boolean;
}
/** What a receiver knows of a process's fields, by subject. */
export type ToldFields = Record<string, ToldField>;

/** The fields of a process as the service shows them now. */
export function servedFields(edit: EditApi, processId: string): ToldFields {
  const told = (['project', 'task'] as const).flatMap(entity =>
    edit.fields(processId, entity).map(({ externalId, name, type, options, archived }) => {
      const field = { name, type, options: [...options].sort(byText), archived };
      return [`${entity}-fields/${encodeURIComponent(externalId)}`, field] as const;
    }),
  );
  return Object.fromEntries(told.sort(([one], [other]) => byText(one, other)));
}

/** What a receiver knows that began with `baseline` and applied the events about fields, in the order of
 *  `sequence`, by their changes only. Fails where an event does not fit what was known. */
export function applyFieldEvents(baseline: ToldFields, events: readonly ChangeEvent[]): ToldFields {
  const told = new Map(Object.entries(baseline));
  const about = events.filter((event): event is FieldEvent => event.type.startsWith('field.'));
  for (const event of about.sort(byPosition)) apply(told, event);
  return Object.fromEntries([...told].sort(([one], [other]) => byText(one, other)));
}

function byPosition(one: ChangeEvent, other: ChangeEvent): number {
  const indexOf = ({ id }: ChangeEvent) => Number(id.split('.').at(-1));
  return Number(one.sequence) - Number(other.sequence) || indexOf(one) - indexOf(other);
}

function apply(told: Map<string, ToldField>, { id, type, subject = '', data }: FieldEvent): void {
  const before = told.get(subject);
  if ((type === 'field.created') !== (before === undefined)) {
    throw new Error(`${id} (${type} ${subject}) does not follow from what was told before`);
  }
  if (type === 'field.deleted') {
    told.delete(subject);
    return;
  }
  const after = new Map<string, unknown>(Object.entries(before ?? { options: [], archived: false }));
  for (const { field, from, to } of data.changes) {
    const [was, is] = [from, to].map(value => (Array.isArray(value) ? [...value].sort(byText) : value));
    if (before && !isDeepStrictEqual(was, after.get(field))) {
      throw new Error(`${id}: ${field} is told from ${from}, but was ${after.get(field)}`);
    }
    after.set(field, is);
  }
  const known = Object.fromEntries(after) as unknown as ToldField;
  told.set(subject, known);
}
