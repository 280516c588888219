import { identifierNames } from '../basics/identifier-names.ts';
import { isJsonObject, type JsonObject } from '../basics/json.ts';
import { isTooDeep, MOST_LEVELS, withoutDeepest } from '../basics/nesting.ts';
import type { FieldDefinition } from '../model/field-definition.ts';
import { pathOf } from './address.ts';
import { createContext } from './context.ts';
import { readDefinitions } from './definitions.ts';
import { keysOf, typeName } from './describe.ts';
import { digestOf } from './digest.ts';
import type { Scope } from './errors.ts';
import { asObject, identify, identifyAll, type Kind } from './identify.ts';
import { type Walking, walk } from './list.ts';
import { type ConnectOptions, type Identifiers, readOptions } from './options.ts';
import { type Answer, createReader, type Reader } from './reader.ts';
import type { Service, ServiceConnection } from './service.ts';
import { requestToken } from './token-request.ts';
import { createTokens } from './tokens.ts';

/** Must change whenever the same bytes are read in another way, so that digests that were kept before match
 *  no longer. */
const READING = 'v1';

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
      const readerFor = (ms = Number.POSITIVE_INFINITY) =>
        createReader(context, tokens, Math.min(deadline, settings.clock() + ms));
      const walking = { context, reader: readerFor(), sizes: { ...settings.pageSize } };
      return createService(walking, readerFor);
    },
    async close() {
      closing.abort();
      await context.agent.destroy();
    },
  };
}

/** The requests of service-api.md §4 by number, for one pass. */
function createService(walking: Walking, readerFor: (ms?: number) => Reader): Service {
  const { identifiers } = walking.context.settings;
  const [projects, tasks, users] = [
    recordsOf('project', identifiers),
    recordsOf('task', identifiers),
    recordsOf('user', identifiers),
  ];
  const get = (scope: Scope, ...segments: string[]) => getOne(walking, { scope, segments });
  const within = (ms: number | undefined) => ({ ...walking, reader: readerFor(ms) });
  return {
    projects: (processId, { updatedAfter } = {}) =>
      walk(walking, {
        name: 'projects',
        scope: 'process',
        segments: ['processes', processId, 'projects'],
        query: {
          updatedAfter: updatedAfter === undefined ? undefined : new Date(updatedAfter).toISOString(),
        },
        property: 'projects',
        ...projects,
      }),
    tasks: (processId, projectId, { isKnown } = {}) =>
      walk(walking, {
        name: 'tasks',
        scope: 'project',
        segments: ['processes', processId, 'projects', projectId, 'tasks'],
        isKnown,
        ...tasks,
      }),
    auditLog: (processId, after) =>
      walk(walking, {
        name: 'auditLog',
        scope: 'process',
        segments: ['processes', processId, 'auditlog'],
        after,
        reading: READING,
        items: (answer, path, values) =>
          values.map((value, index) => readEntry(walking, asObject(answer, `${path}[${index}]`, value))),
      }),
    users: ({ ms } = {}) =>
      walk(within(ms), {
        name: 'users',
        scope: 'everybody',
        segments: ['users'],
        ...users,
      }),
    async user(userId, { ms } = {}) {
      const answer = await getOne(within(ms), { scope: 'everybody', segments: ['user', userId] });
      return identify(answer, 'user', identifiers, '$', answer.body);
    },
    async coverpage(processId) {
      return definitionsIn(await get('process', 'processes', processId, 'coverpage'));
    },
    async taskCustomFields(processId) {
      const segments = ['processes', processId, 'task-custom-fields'];
      const query = { includeArchived: 'true' };
      return definitionsIn(await getOne(walking, { scope: 'process', segments, query }));
    },
  };
}

/** An entry of the audit log with at most MOST_LEVELS levels of nesting, so that one entry can't stop all passes. */
function readEntry({ context }: Walking, entry: JsonObject): JsonObject {
  if (!isTooDeep(entry)) return entry;
  const message = `an audit entry has more than ${MOST_LEVELS} levels of nesting; deeper values are left out`;
  context.notice({ code: 'audit-entry-too-deep', message });
  return withoutDeepest(entry) as JsonObject;
}

function recordsOf(kind: Kind, names: Identifiers) {
  const reading = JSON.stringify([READING, ...identifierNames(kind, names[kind])]);
  return {
    reading: digestOf(reading).slice(0, 6),
    items: (answer: Answer, path: string, values: readonly Answer['body'][]) =>
      identifyAll(answer, kind, names, path, values),
  };
}

/** Refuses an answer that holds neither a definition nor any list: taken for a process without fields, it
 *  would be told as the removal of all fields. */
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
  { context, reader }: Walking,
  what: { scope: Scope; segments: string[]; query?: Record<string, string> },
): Promise<Answer> {
  const path = pathOf(context.settings.base, what.segments, what.query);
  const outcome = await reader.read({ path, scope: what.scope });
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
