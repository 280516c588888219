import type { JsonObject } from '../functions/basics/json.ts';
import { type PageRequest, pageOf } from './cursors.ts';
import { auditRecord } from './data/audit-record.ts';
import type { Freedoms } from './data/freedoms.ts';
import { projectRecord, taskRecord, userRecord } from './data/records.ts';
import type { RecordState, SimulatedProcess, Workspace } from './data/workspace.ts';
import { definitionsBody } from './definitions.ts';
import { HttpError, NotFound } from './errors.ts';
import { booleanParameter, dateParameter, onlyKnown, pageRequest } from './query.ts';

/** The sources of an answer. */
export interface Asked {
  readonly workspace: Workspace;
  readonly freedoms: Freedoms;
  readonly query: URLSearchParams;
  /** The service's time, in ms since 1970. */
  readonly now: number;
}

const PAGING = ['first', 'after'];

/** Request #1, with the update range (service-api.md §4.2). */
export function listProjects({ workspace, freedoms, query, now }: Asked, processId: string): JsonObject {
  onlyKnown(query, [...PAGING, 'updatedAfter', 'updatedBefore']);
  const process = processAt(workspace, processId);
  const after = dateParameter(query, 'updatedAfter') ?? Number.NEGATIVE_INFINITY;
  const before = dateParameter(query, 'updatedBefore') ?? Number.POSITIVE_INFINITY;
  const known = query.has('updatedAfter') ? now - freedoms.updatesVisibleAfter : Number.POSITIVE_INFINITY;
  const inRange = [...process.projects.values()].filter(
    ({ updatedAt }) =>
      updatedAt < before &&
      updatedAt <= known &&
      (updatedAt > after || (freedoms.updatedAfterInclusive && updatedAt === after)),
  );
  const { items, paging } = recordPage(`projects/${processId}`, inRange, pageRequest(query), freedoms);
  return { projects: items.map(project => projectRecord(process, project, freedoms)), paging };
}

/** Request #2. */
export function listTasks(
  { workspace, freedoms, query }: Asked,
  processId: string,
  projectId: string,
): JsonObject {
  onlyKnown(query, PAGING);
  const process = processAt(workspace, processId);
  const list = `tasks/${processId}/${projectId}`;
  const project = process.projects.get(projectId);
  if (!project) {
    const isEmpty = freedoms.tasksOfDeletedProject === 200 && process.deletedProjects.includes(projectId);
    if (!isEmpty) throw new NotFound(`Process "${processId}" has no project "${projectId}"`);
    return { [freedoms.taskListName]: [], paging: pageOf(list, [], pageRequest(query), freedoms).paging };
  }
  const { items, paging } = recordPage(list, [...project.tasks.values()], pageRequest(query), freedoms);
  return { [freedoms.taskListName]: items.map(task => taskRecord(process, project, task, freedoms)), paging };
}

/** A page of records in the order that the service has for them. */
function recordPage<Item extends RecordState>(
  list: string,
  records: readonly Item[],
  request: PageRequest,
  freedoms: Freedoms,
) {
  if (freedoms.listOrder === 'made') return pageOf(list, records, request, freedoms);
  const descending = freedoms.listOrder === 'newest-update-first';
  const placed = records
    .map(record => ({ ...record, seq: record.updatedAt * SAME_TICK + (record.seq % SAME_TICK) }))
    .sort((one, other) => (descending ? other.seq - one.seq : one.seq - other.seq));
  return pageOf(list, placed, request, freedoms, descending);
}

/** The number of records with the same update time that have distinct positions. Times in ms, multiplied by it, are
 *  still safe integers. */
const SAME_TICK = 4_096;

/** Request #3. */
export function listAuditLog({ workspace, freedoms, query, now }: Asked, processId: string): JsonObject {
  onlyKnown(query, PAGING);
  const process = processAt(workspace, processId);
  if (freedoms.auditDenied !== false) {
    throw new HttpError(freedoms.auditDenied, 'audit_denied', 'These credentials cannot read the audit log');
  }
  const descending = freedoms.auditOrder === 'newest-first';
  const shown = process.audit.filter(({ at }) => at <= now - freedoms.auditVisibleAfter);
  const entries = descending ? shown.toReversed() : shown;
  const { items, paging } = pageOf(
    `auditlog/${processId}`,
    entries,
    pageRequest(query),
    freedoms,
    descending,
  );
  const records = items.map(entry => auditRecord(workspace, processId, entry, freedoms));
  return { [freedoms.auditListName]: records, paging };
}

/** Request #4. */
export function listUsers({ workspace, freedoms, query }: Asked): JsonObject {
  onlyKnown(query, PAGING);
  const { items, paging } = pageOf('users', workspace.users, pageRequest(query), freedoms);
  return { [freedoms.userListName]: items.map(user => userRecord(user, freedoms)), paging };
}

/** Request #5: the data of #4 about this user. */
export function getUser({ workspace, freedoms, query }: Asked, userId: string): JsonObject {
  onlyKnown(query, []);
  const user = workspace.users.find(({ id }) => id === userId);
  if (!user) throw new NotFound(`There is no user "${userId}"`);
  return userRecord(user, freedoms);
}

/** Request #6. */
export function getTaskCustomFields({ workspace, freedoms, query }: Asked, processId: string): JsonObject {
  onlyKnown(query, ['includeArchived']);
  const process = processAt(workspace, processId);
  return definitionsBody(process.taskFields, freedoms, booleanParameter(query, 'includeArchived'));
}

/** Request #7. */
export function getCoverpage({ workspace, freedoms, query }: Asked, processId: string): JsonObject {
  onlyKnown(query, []);
  return definitionsBody(processAt(workspace, processId).projectFields, freedoms);
}

function processAt(workspace: Workspace, processId: string): SimulatedProcess {
  const process = workspace.processes.get(processId);
  if (!process) throw new NotFound(`There is no process "${processId}"`);
  return process;
}
