/** A kind of record that has an identifier (service-api.md §2.1). */
export type RecordKind = 'project' | 'task' | 'user';

/** The properties that may identify a record, the preferred one first: service-api.md §2.4 leaves their name
 *  open. */
export function identifierNames(kind: RecordKind, configured?: string): string[] {
  return [configured, 'id', `${kind}Id`, 'externalId'].filter(name => name !== undefined);
}
