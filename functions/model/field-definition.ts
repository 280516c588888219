import type { FieldChange, PropertyChange } from './event.ts';

/** A custom field's definition, as far as its undocumented structure shows it (service-api.md §2.4, §4 #6 and #7). */
export interface FieldDefinition {
  readonly externalId: string;
  readonly name: string;
  /** `text`, `number`, `date`, `single-choice`, `multiple-choice`; anything else stands as the service wrote it. */
  readonly type: string;
  readonly options?: readonly string[];
  readonly archived?: boolean;
}

/** A field as it was last emitted, with our notes about it. */
export interface KnownField extends FieldDefinition {
  /** The mode of the pass that found it missing from its list; nothing was emitted yet. */
  readonly missing?: 'changes' | 'sweep';
  /** It was emitted as deleted. It stays known, because records may still have values of it
   *  (docs/decisions/0018). */
  readonly deleted?: boolean;
}

/** What custom fields belong to; each has a list of definitions. */
export type FieldEntity = 'project' | 'task';

/** The definitions of one process, for its projects (coverpage) and its tasks. */
export interface Definitions {
  readonly project: readonly KnownField[];
  readonly task: readonly KnownField[];
  /** The lists that were read at least once: from then on new fields in them are emitted. */
  readonly read?: readonly FieldEntity[];
}

const NAMES = { archived: 'Archived', name: 'Name', options: 'Choices', type: 'Type' } as const;
const TYPES = { archived: 'boolean', name: 'string', options: 'array', type: 'string' } as const;

/** A changed property of a definition in the form of a changed field, to be shown to people. */
export function asFieldChange(change: PropertyChange): FieldChange {
  return { ...change, name: NAMES[change.field], kind: 'builtin', type: TYPES[change.field] };
}
