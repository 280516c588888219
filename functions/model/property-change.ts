import type { FieldChange, PropertyChange } from './event.ts';

const NAMES = { archived: 'Archived', name: 'Name', options: 'Choices', type: 'Type' } as const;
const TYPES = { archived: 'boolean', name: 'string', options: 'array', type: 'string' } as const;

/** A changed property of a definition in the form of a changed field, to be shown to people. */
export function asFieldChange(change: PropertyChange): FieldChange {
  return { ...change, name: NAMES[change.field], kind: 'builtin', type: TYPES[change.field] };
}
