/** The usual names of update timestamps. The service documents none (service-api.md §2.4). */
export const UPDATE_TIMESTAMPS = [
  'updatedAt',
  'updatedOn',
  'updatedDate',
  'updated',
  'updated_at',
  'lastUpdated',
  'lastUpdatedAt',
  'lastUpdate',
  'modifiedAt',
  'modifiedOn',
  'modified',
  'modified_at',
  'lastModified',
  'lastModifiedAt',
  'lastModifiedDate',
  'lastChanged',
  'lastChangedAt',
  'lastActivityAt',
];

/** `Due date`, `due_date`, `due-date` and `DueDate` are all `dueDate`. */
export function camelCase(externalId: string): string {
  const [first = '', ...rest] = externalId.match(/[\p{L}\p{N}]+/gu) ?? [];
  return lowerFirst(first) + rest.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function lowerFirst(word: string): string {
  return word === word.toUpperCase() ? word.toLowerCase() : word.charAt(0).toLowerCase() + word.slice(1);
}

/** The properties that show the fields of a process's `withhold`: custom fields of tasks are shown in camelCase
 *  (service-api.md §2.3). */
export function withheldProperties(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.flatMap(name => [name, camelCase(name)]));
}
