import type { FieldDefinition } from '../service/service.ts';
import type { Definitions } from './field-index.ts';

/** What is known after reading `read`: a field that we knew and that is no longer listed counts as archived, because a
 *  listing may leave archived fields out (service-api.md §4 #6, and #7 has no such parameter at all). */
export function mergeDefinitions(known: Definitions, read: Definitions): Definitions {
  return { project: merge(known.project, read.project), task: merge(known.task, read.task) };
}

function merge(known: readonly FieldDefinition[], read: readonly FieldDefinition[]): FieldDefinition[] {
  const listed = new Set(read.map(definition => definition.externalId));
  const gone = known.filter(definition => !listed.has(definition.externalId));
  return [...read, ...gone.map(definition => ({ ...definition, archived: true }))];
}
