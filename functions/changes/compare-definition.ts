import type { PropertyChange } from '../model/event.ts';
import type { FieldDefinition } from '../model/field-definition.ts';

/** The properties in which a definition differs from what was told, by name; for a new field, all that it
 *  has. Choices are a set: their order and repetition are no change. */
export function compareDefinition(
  before: FieldDefinition | undefined,
  now: FieldDefinition,
): PropertyChange[] {
  const isArchived = now.archived === true;
  // A new field is told as archived only if it is: not being archived is what everybody expects.
  const wasArchived = before ? before.archived === true : isArchived ? null : false;
  return [
    ...valueChange('archived', wasArchived, isArchived),
    ...valueChange('name', before?.name ?? null, now.name),
    ...optionsChange(before?.options ?? [], now.options ?? [], before === undefined),
    ...valueChange('type', before?.type ?? null, now.type),
  ];
}

function valueChange(
  field: 'archived' | 'name' | 'type',
  from: PropertyChange['from'],
  to: string | boolean,
) {
  return from === to ? [] : [{ field, from, to }];
}

function optionsChange(from: readonly string[], to: readonly string[], isNew: boolean): PropertyChange[] {
  const [before, after] = [new Set(from), new Set(to)];
  const [added, removed] = [[...after.difference(before)], [...before.difference(after)]];
  if (added.length === 0 && removed.length === 0) return [];
  return [{ field: 'options', from: isNew ? null : [...from], to: [...to], added, removed }];
}
