import { isJsonObject } from '../json.ts';
import { pathOf } from './address.ts';
import { createContext } from './context.ts';
import { readDefinitions } from './definitions.ts';
import { keysOf, typeName } from './describe.ts';
import { asObject, identify, identifyAll, type Kind } from './identify.ts';
import { type Walking, walk } from './list.ts';
import { type ConnectOptions, type Identifiers, readOptions } from './options.ts';
import { type Answer, createReader } from './reader.ts';
import type { FieldDefinition, Service, ServiceConnection } from './service.ts';
import { requestToken } from './token-request.ts';
import { createTokens } from './tokens.ts';

/**
 * Connects to one workspace (service-api.md §1, §5). Nothing is sent before the first request. Throws a TypeError for
 * an option that can't be right; the service's methods throw the errors of `errors.ts`.
 */
export function connect(options: ConnectOptions): ServiceConnection {
  const settings = readOptions(options);
  const closing = new AbortController();
  const context = createContext(settings, closing.signal);
  const tokens = createTokens(settings.clock, wait => requestToken(context, wait));
  return {
    open({ deadline }) {
      const reader = createReader(context, tokens, deadline);
      return createService({ context, reader, sizes: { ...settings.pageSize } });
    },
    async close() {
      closing.abort();
      await context.agent.destroy();
    },
  };
}

/** The endpoints of service-api.md §4 by number, for one pass. */
function createService(walking: Walking): Service {
  const { identifiers } = walking.context.settings;
  const get = (...segments: string[]) => getOne(walking, segments);
  return {
    projects: (processId, { updatedAfter } = {}) =>
      walk(walking, {
        name: 'projects',
        segments: ['processes', processId, 'projects'],
        query: {
          updatedAfter: updatedAfter === undefined ? undefined : new Date(updatedAfter).toISOString(),
        },
        property: 'projects',
        items: recordsOf('project', identifiers),
      }),
    tasks: (processId, projectId) =>
      walk(walking, {
        name: 'tasks',
        segments: ['processes', processId, 'projects', projectId, 'tasks'],
        items: recordsOf('task', identifiers),
      }),
    auditLog: (processId, after) =>
      walk(walking, {
        name: 'auditLog',
        segments: ['processes', processId, 'auditlog'],
        after,
        items: (answer, path, values) =>
          values.map((value, index) => asObject(answer, `${path}[${index}]`, value)),
      }),
    users: () => walk(walking, { name: 'users', segments: ['users'], items: recordsOf('user', identifiers) }),
    async user(userId) {
      const answer = await get('user', userId);
      return identify(answer, 'user', identifiers, '$', answer.body);
    },
    async coverpage(processId) {
      return definitionsIn(await get('processes', processId, 'coverpage'));
    },
    async taskCustomFields(processId) {
      const path = ['processes', processId, 'task-custom-fields'];
      return definitionsIn(await getOne(walking, path, { includeArchived: 'true' }));
    },
  };
}

function recordsOf(kind: Kind, names: Identifiers) {
  return (answer: Answer, path: string, values: readonly Answer['body'][]) =>
    identifyAll(answer, kind, names, path, values);
}

/** An answer that holds no definition and no list of any either is something else: taken for a process without fields, it
 *  would be told as the end of all of them. */
function definitionsIn(answer: Answer): FieldDefinition[] {
  const definitions = readDefinitions(answer.body);
  if (definitions.length > 0 || hasList(answer.body)) return definitions;
  const found = isJsonObject(answer.body) ? keysOf(answer.body) : typeName(answer.body);
  throw answer.wrong({ path: '$', expected: 'field definitions, or an empty list of them', found });
}

function hasList(body: Answer['body']): boolean {
  return Array.isArray(body) || (isJsonObject(body) && Object.values(body).some(Array.isArray));
}

async function getOne(
  walking: Walking,
  segments: string[],
  query: Record<string, string> = {},
): Promise<Answer> {
  const { context, reader } = walking;
  const outcome = await reader.read(pathOf(context.settings.base, segments, query), false);
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
