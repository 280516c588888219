import type { JsonObject } from '../functions/basics/json.ts';
import { BadRequest, HttpError, NotFound } from './errors.ts';
import {
  type Asked,
  getCoverpage,
  getTaskCustomFields,
  getUser,
  listAuditLog,
  listProjects,
  listTasks,
  listUsers,
} from './resources.ts';

type Endpoint = (asked: Asked, ...parameters: string[]) => JsonObject;

/** The paths of service-api.md §4; `*` is an identifier. */
const ROUTES: readonly (readonly [path: string, endpoint: Endpoint])[] = [
  ['processes/*/projects', (asked, processId = '') => listProjects(asked, processId)],
  [
    'processes/*/projects/*/tasks',
    (asked, processId = '', projectId = '') => listTasks(asked, processId, projectId),
  ],
  ['processes/*/auditlog', (asked, processId = '') => listAuditLog(asked, processId)],
  ['processes/*/task-custom-fields', (asked, processId = '') => getTaskCustomFields(asked, processId)],
  ['processes/*/coverpage', (asked, processId = '') => getCoverpage(asked, processId)],
  ['users', asked => listUsers(asked)],
  ['user/*', (asked, userId = '') => getUser(asked, userId)],
];

/** Answers a request of {base_url}.
 *  @param path relative to {base_url}, without the query
 *  @throws HttpError 404 for a path that isn't documented, 405 for a method that isn't, and what the endpoint
 *  refuses */
export function route(method: string, path: string, asked: Asked): JsonObject {
  const parts = path.slice(1).split('/').map(decode);
  for (const [pattern, endpoint] of ROUTES) {
    const parameters = match(pattern.split('/'), parts);
    if (!parameters) continue;
    if (method !== 'GET') {
      throw new HttpError(405, 'method_not_allowed', `${method} is not documented here`, { allow: 'GET' });
    }
    return endpoint(asked, ...parameters);
  }
  throw new NotFound(`Unknown path ${path}`);
}

function match(pattern: readonly string[], parts: readonly string[]): string[] | undefined {
  if (pattern.length !== parts.length) return undefined;
  const fits = pattern.every((part, index) => (part === '*' ? parts[index] !== '' : part === parts[index]));
  return fits ? parts.filter((_, index) => pattern[index] === '*') : undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new BadRequest(`"${part}" in the path is not correctly percent-encoded`);
  }
}
