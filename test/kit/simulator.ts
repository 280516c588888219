import { onTestFinished } from 'vitest';
import { isJsonObject, type Json, type JsonObject } from '../../functions/basics/json.ts';
import {
  buildWorkspace,
  type SimulatedService,
  type SimulatedServiceOptions,
  startSimulatedService,
} from '../../simulator/server.ts';

export const NOW = Date.UTC(2026, 5, 1, 12, 0, 0);

/** A clock that stands still until it is moved. */
export function manualClock(start = NOW) {
  let now = start;
  const advance = (ms: number): void => {
    now += ms;
  };
  return Object.assign(() => now, { advance });
}

export const PROJECTS = '/processes/p/projects';
export const TASKS = `${PROJECTS}/1001/tasks`;
export const AUDIT = '/processes/p/auditlog';

/** A service that is stopped with the test: process `p` of 3 projects of 4 tasks, unless told otherwise; its edits, and
 *  requests to it: `projects`, `tasks` (of the first project) and `entries` read a list, and take the query. */
export async function start(options: SimulatedServiceOptions = {}) {
  const clock = manualClock();
  const workspace = buildWorkspace({ processes: [{ id: 'p', projects: 3, tasksPerProject: 4 }], now: NOW });
  const service = await startSimulatedService({ clock, workspace, ...options });
  onTestFinished(() => service.stop());
  const get = await reader(service);
  const listed = (path: string, name: string) => async (query?: string) =>
    list(await get(`${path}${query ?? ''}`), name);
  const lists = {
    projects: listed(PROJECTS, 'projects'),
    tasks: listed(TASKS, 'tasks'),
    entries: listed(AUDIT, 'entries'),
  };
  const status = async (path: string) => (await get(path)).status;
  return { service, edit: service.workspace, freedoms: service.freedoms, clock, get, status, ...lists };
}

export interface Answer {
  status: number;
  headers: Headers;
  body: JsonObject;
}

/** The form of a valid token request. */
export function tokenForm(service: SimulatedService): Record<string, string> {
  return {
    grant_type: 'client_credentials',
    client_id: service.clientId,
    client_secret: service.clientSecret,
    audience: service.audience,
  };
}

export async function askToken(service: SimulatedService, form = tokenForm(service)): Promise<Answer> {
  const body = new URLSearchParams(form);
  return read(await fetch(`${service.authUrl}/oauth/token`, { method: 'POST', body }));
}

export async function token(service: SimulatedService): Promise<string> {
  return String((await askToken(service)).body.access_token);
}

/** Sends requests to {base_url} with a new token. */
export async function reader(service: SimulatedService) {
  const authorization = await token(service);
  return async (path: string): Promise<Answer> =>
    read(await fetch(`${service.baseUrl}${path}`, { headers: { authorization } }));
}

async function read(response: Response): Promise<Answer> {
  const body: unknown = await response.json();
  if (!isJsonObject(body)) throw new Error(`expected an object from ${response.url}`);
  return { status: response.status, headers: response.headers, body };
}

/** The list of this name in an answer. */
export function list(answer: Answer, name: string): JsonObject[] {
  const items = answer.body[name];
  if (!Array.isArray(items)) throw new Error(`no list "${name}" in ${JSON.stringify(answer.body)}`);
  return items.filter(isJsonObject);
}

export function paging(answer: Answer): { startCursor: Json; endCursor: string; hasNextPage: boolean } {
  return answer.body.paging as { startCursor: Json; endCursor: string; hasNextPage: boolean };
}
