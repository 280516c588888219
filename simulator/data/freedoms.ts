/** What the API document leaves open (service-api.md §2.4, §4.3, §5 and §8, "Gaps"). Each may be changed
 *  while the service runs. */
export interface Freedoms {
  /** The name of the list in the answers of #2, #3 and #4. */
  taskListName: string;
  auditListName: string;
  userListName: string;
  /** The property that identifies a task; a task also carries its `projectId`. */
  taskIdProperty: 'id' | 'taskId' | 'externalId';
  projectIdProperty: 'id' | 'projectId';
  /** Ids are JSON numbers, also in nested objects and audit entries. */
  numericIds: boolean;
  /** The token response contains `expires_in`. */
  expiresIn: boolean;
  /** Seconds that a token lives, on the service's clock. */
  tokenLifetime: number;
  /** Answers have a `Date` header. */
  dateHeader: boolean;
  auditOrder: 'oldest-first' | 'newest-first';
  /** The status that denies the audit log, or false. */
  auditDenied: false | 403 | 404;
  /** Entries that a process's audit log keeps, at least 1: each edit purges the oldest beyond them. */
  auditRetention: number;
  /** Entries of the audit log carry their time. */
  auditTimestamps: boolean;
  /** How an entry names its actor and action: `nested`: the user, the record and the details are objects;
   *  `flat`: all ids are at the top; `reference`: users and records are paths; `several`: users are always a list. */
  auditShape: 'nested' | 'flat' | 'reference' | 'several';
  /** Records carry `createdAt` and `updatedAt`. */
  recordTimestamps: boolean;
  /** The name of `updatedAt`. */
  updateTimeName: string;
  /** The tick of the clock that stamps edits, in ms: two edits within one tick carry the same time. */
  timestampResolution: number;
  /** Making, editing, moving or deleting a task moves its project's update time. */
  taskEditsTouchProject: boolean;
  /** The status of an answer that would be larger than `maxResponseBytes`. */
  tooLargeStatus: 400 | 413 | 500 | 502;
  maxResponseBytes: number;
  /** The limit of `first`. */
  maxPageSize: number;
  /** The order of projects, and of a project's tasks; by update time, a row moves when it is edited between
   *  two pages. */
  listOrder: 'made' | 'oldest-update-first' | 'newest-update-first';
  /** What `after` means: `item`: after that item; `offset`: that number of items further, which shifts when
   *  items are added or deleted between two pages. */
  cursors: 'item' | 'offset';
  /** ms until `updatedAfter` finds an update: the lag of an index. */
  updatesVisibleAfter: number;
  /** ms until the audit log shows an entry. */
  auditVisibleAfter: number;
  /** `updatedAfter` also returns records that were updated at exactly that time. */
  updatedAfterInclusive: boolean;
  /** The status of a deleted project's task list; 200 is an empty list. A project that never existed is always 404. */
  tasksOfDeletedProject: 404 | 200;
  /** Cursors of a page without items: strings, or null. */
  emptyPageCursors: 'strings' | 'null';
  /** #6 and #7 answer with groups of fields whose options are objects, or with one list whose options are labels. */
  definitionShape: 'groups' | 'list';
}

export const DEFAULT_FREEDOMS: Readonly<Freedoms> = {
  taskListName: 'tasks',
  auditListName: 'entries',
  userListName: 'users',
  taskIdProperty: 'id',
  projectIdProperty: 'id',
  numericIds: false,
  expiresIn: true,
  tokenLifetime: 600,
  dateHeader: true,
  auditOrder: 'oldest-first',
  auditDenied: false,
  auditRetention: Number.POSITIVE_INFINITY,
  auditTimestamps: true,
  auditShape: 'nested',
  recordTimestamps: true,
  updateTimeName: 'updatedAt',
  timestampResolution: 1,
  taskEditsTouchProject: true,
  tooLargeStatus: 413,
  maxResponseBytes: 6 * 1024 * 1024,
  maxPageSize: Number.POSITIVE_INFINITY,
  listOrder: 'made',
  cursors: 'item',
  updatesVisibleAfter: 0,
  auditVisibleAfter: 0,
  updatedAfterInclusive: false,
  tasksOfDeletedProject: 404,
  emptyPageCursors: 'strings',
  definitionShape: 'groups',
};
