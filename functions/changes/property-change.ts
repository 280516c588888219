import type { FieldChange, PropertyChange } from './event.ts';

const NAMES = { archived: 'Archived', name: 'Name', options: 'Choices', type: 'Type' } as const;

/** A changed property of a definition as a changed field: how people are shown it. */
export function asFieldChange(change: PropertyChange): FieldChange {
  const { field, from, to, added, removed } = change;
  return {
    field,
    name: NAMES[field],
    kind: 'builtin',
    type: field === 'options' ? 'array' : 'string',
    from: inWords(from),
    to: inWords(to),
    ...(added && { added }),
    ...(removed && { removed }),
  };
}

function inWords(value: PropertyChange['from']): string | string[] | null {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return value;
}
