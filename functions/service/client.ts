import { createHash } from 'node:crypto';
import { identifierNames } from '../basics/identifier-names.ts';
import {
  isJsonObject,
  isTooDeep,
  type Json,
  type JsonObject,
  MAX_LEVELS,
  withoutDeepest,
} from '../basics/json.ts';
import { withheldProperties } from '../basics/property-names.ts';
import { jsonEqual } from '../changes/equal.ts';
import { withoutProperties } from '../changes/withheld.ts';
import { encodePart } from '../model/event-id.ts';
import type { FieldDefinition } from '../model/field-definition.ts';
import { pathOf } from './address.ts';
import { createContext } from './context.ts';
import { readDefinitions } from './definitions.ts';
import { keysOf, typeName } from './describe.ts';
import { digestOf } from './digest.ts';
import {
  DeadlineError,
  type Scope,
  ServiceAnswerError,
  type ServiceError,
  ServiceStatusError,
  ServiceUnreachableError,
} from './errors.ts';
import { type Walking, walk } from './list.ts';
import { type ConnectOptions, type Identifiers, readOptions } from './options.ts';
import { type Answer, createReader, PROBE_TIMEOUT_MS, type Reader } from './reader.ts';
import type { Service, ServiceConnection, ServiceRecord } from './service.ts';
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
    open({ deadline, share }) {
      for (const each of context.shares) if (each.count === 0) context.shares.delete(each);
      if (share) context.shares.add(share);
      const readerFor = (ms = Number.POSITIVE_INFINITY) =>
        createReader(context, tokens, { deadline: Math.min(deadline, settings.clock() + ms), share });
      const walking = { context, reader: readerFor(), sizes: { ...settings.pageSize } };
      const isOver = () => settings.clock() >= deadline;
      return createService(walking, readerFor, isOver);
    },
    async probe(processId) {
      const { served } = context;
      const deadline = settings.clock() + PROBE_TIMEOUT_MS;
      const path = pathOf(settings.base, ['processes', processId, 'projects'], { first: '1' });
      const reader = createReader(context, tokens, { deadline, maxAttempts: 1 });
      // Its caller decides whether the workspace is paused: an operator's pass asks the service during a pause, too.
      context.turns.resume();
      try {
        const outcome = await reader.read({ path, scope: 'everybody' });
        if ('error' in outcome && !isAnswer(outcome.error)) throw outcome.error;
      } catch (error) {
        if (!(error instanceof DeadlineError)) throw error;
        // Its turn has not come, or this one request is slow.
        if (context.served > served) return;
        throw new ServiceUnreachableError(`GET ${path}`, `no answer within ${PROBE_TIMEOUT_MS} ms`);
      }
    },
    async close() {
      closing.abort();
      await context.agent.destroy();
    },
  };
}

/** Whether this is an answer of a service that works for others: about the process asked for, or its answer alone. */
function isAnswer(error: ServiceError): boolean {
  if (error instanceof ServiceAnswerError) return true;
  const isStatus = error instanceof ServiceStatusError && error.retryAfter === undefined;
  return isStatus && error.status !== 401 && error.status !== 429 && error.status !== 503;
}

/** Whether the service answers a small request about the process, or, where that gets no answer, another one of the
 *  same time. It waits for one that gets no answer at most. */
async function isAnswered({ context, reader }: Walking, processId: string): Promise<boolean> {
  const { served, settings } = context;
  const path = pathOf(settings.base, ['processes', processId, 'projects'], { first: '1' });
  try {
    const outcome = await reader.read({ path, scope: 'process', turn: 'first' });
    if ('value' in outcome) return true;
    // Its own status, or the beginning of its body, is counted as an answer, too, but shows nothing of others.
    const isUnanswered = outcome.error instanceof ServiceUnreachableError && !outcome.mayBeSize;
    return isUnanswered && context.served > served;
  } catch {
    return context.served > served;
  }
}

/** The requests of service-api.md §4 by number, for one pass. */
function createService(walking: Walking, readerFor: (ms?: number) => Reader, isOver: () => boolean): Service {
  const { identifiers, processes, requestTimeout } = walking.context.settings;
  const withheld = new Map(processes.map(({ id, withhold = [] }) => [id, withheldProperties(withhold)]));
  const recordsOf = (kind: Kind, processId = '') =>
    readingOf({ kind, names: identifiers, withheld: withheld.get(processId) ?? NOTHING });
  const get = (scope: Scope, ...segments: string[]) => getOne(walking, { scope, segments });
  const within = (ms: number | undefined) => ({ ...walking, reader: readerFor(ms) });
  return {
    projects: (processId, { updatedAfter, after } = {}) =>
      walk(walking, {
        name: 'projects',
        scope: 'process',
        segments: ['processes', processId, 'projects'],
        query: {
          updatedAfter: updatedAfter === undefined ? undefined : new Date(updatedAfter).toISOString(),
        },
        ...{ property: 'projects', after },
        ...recordsOf('project', processId),
      }),
    tasks: (processId, projectId, { isKnown, isAgain } = {}) =>
      walk(walking, {
        name: 'tasks',
        scope: 'project',
        segments: ['processes', processId, 'projects', projectId, 'tasks'],
        ...{ isKnown, isAgain },
        async areOthersAnswered() {
          const isOne = await isAnswered(within(requestTimeout + PROBE_TIMEOUT_MS), processId);
          // No time was left to ask.
          if (!isOne && isOver()) throw new DeadlineError(`GET the tasks of project ${projectId}`);
          return isOne;
        },
        ...recordsOf('task', processId),
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
        ...recordsOf('user'),
      }),
    async user(userId, { ms } = {}) {
      const answer = await getOne(within(ms), { scope: 'everybody', segments: ['user', userId] });
      return identify(answer, { kind: 'user', names: identifiers, withheld: NOTHING }, '$', answer.body);
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

/** An entry of the audit log with at most MAX_LEVELS levels of nesting, so that one entry can't stop all passes. */
function readEntry({ context }: Walking, entry: JsonObject): JsonObject {
  if (!isTooDeep(entry)) return entry;
  const message = `an audit entry has more than ${MAX_LEVELS} levels of nesting; deeper values are left out`;
  context.notice({ code: 'audit-entry-too-deep', message });
  return withoutDeepest(entry) as JsonObject;
}

/** How records are read: their kind, the properties that may identify them, and those that are dropped at once. */
interface Way {
  readonly kind: Kind;
  readonly names: Identifiers;
  readonly withheld: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

function readingOf(way: Way) {
  const { kind, names, withheld } = way;
  const dropped = withheld.size > 0 ? [[...withheld].sort()] : [];
  const reading = JSON.stringify([READING, ...identifierNames(kind, names[kind]), ...dropped]);
  return {
    reading: digestOf(reading).slice(0, 6),
    items: (answer: Answer, path: string, values: readonly Answer['body'][]) =>
      identifyAll(answer, way, path, values),
  };
}

/** Refuses an answer that holds neither a definition nor any list: taken for a process without fields, it
 *  would be emitted as the removal of all fields. */
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

/** A kind of record that has an identifier (service-api.md §2.1). */
type Kind = keyof Identifiers;

/** The longest identifier, in characters when percent-encoded: it is part of table keys, where DynamoDB takes
 *  1,024 bytes, and in event ids. */
const MAX_ID = 900;
/** An identifier up to this length need not be encoded to be checked: no character becomes longer than nine. */
const SURELY_SHORT = MAX_ID / 9;
/** How many characters of a longer identifier are kept. Encoded, they fit MAX_ID. */
const SHOWN = 60;

type Flaw = Pick<Parameters<Answer['wrong']>[0], 'expected' | 'found'>;

/** The record at `path` of the answer as a JSON object; throws a ServiceAnswerError for anything else. */
function asObject(answer: Answer, path: string, value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  throw answer.wrong({ path, expected: 'a record', found: typeName(value) });
}

/**
 * Reads the identifier, whose name service-api.md §2.4 leaves open: the overriding property, else `id`, else
 * `projectId`, `taskId` or `userId`, else `externalId`; numbers become text. Throws a ServiceAnswerError with
 * the record's keys.
 */
function identify(answer: Answer, { kind, names, withheld }: Way, path: string, value: Json): ServiceRecord {
  const fields = withoutProperties(asObject(answer, path, value), withheld);
  const candidates = identifierNames(kind, names[kind]);
  for (const name of candidates) {
    const value = fields[name];
    const id = typeof value === 'number' ? String(value) : value;
    if (typeof id === 'string' && id !== '') return named(answer, kind, path, id, fields);
  }
  const expected = `an identifier (${candidates.join(', ')}; another name can be configured)`;
  throw answer.wrong({ path, expected, found: keysOf(fields) });
}

/** All records of a page. Of several with one identifier the last one counts, flawed when they differ. */
function identifyAll(answer: Answer, way: Way, path: string, values: readonly Json[]): ServiceRecord[] {
  const places = new Map<string, number>();
  const records: ServiceRecord[] = [];
  for (const [index, value] of values.entries()) {
    const record = identify(answer, way, `${path}[${index}]`, value);
    const place = places.get(record.id) ?? index;
    const twin = records[place];
    places.set(record.id, index);
    const twinAt = twin && { ...twin, path: `${path}[${place}]` };
    records.push(twinAt ? withTwin(answer, way.kind, `${path}[${index}]`, record, twinAt) : record);
  }
  return records;
}

/** The record, with its flaw, if it has one. The flaw concerns that project alone, though its listing is the
 *  process's. An identifier that is too long is replaced by a short one: skipped projects are remembered by
 *  it, and there is not much room for that. */
function named(answer: Answer, kind: Kind, path: string, id: string, fields: JsonObject): ServiceRecord {
  const isTooLong = id.length > SURELY_SHORT && (id.length > MAX_ID || encodePart(id).length > MAX_ID);
  const found = flawOf(kind, id, fields, isTooLong);
  const flaw = found && answer.wrong({ path, scope: scopeOf(kind), ...found });
  return { id: isTooLong ? shortened(id) : id, fields, ...(flaw && { flaw }) };
}

function shortened(id: string): string {
  const digest = createHash('sha256').update(id, 'utf16le').digest('base64url').slice(0, 16);
  return `${id.slice(0, SHOWN)}… ${digest}`;
}

function flawOf(kind: Kind, id: string, fields: JsonObject, isTooLong: boolean): Flaw | undefined {
  if (!id.isWellFormed()) {
    const found = 'one with half a surrogate pair, which no request can carry';
    return { expected: 'an identifier in Unicode', found };
  }
  // Encoded as %2E, too, they are resolved as dot segments by whatever follows WHATWG's URL standard on the way.
  if (kind !== 'task' && (id === '.' || id === '..')) {
    return { expected: 'an identifier that the path of a request can carry', found: `"${id}"` };
  }
  if (isTooLong) {
    const expected = `an identifier of at most ${MAX_ID} characters, percent-encoded`;
    return { expected, found: `one of ${id.length} characters` };
  }
  if (!isTooDeep(fields)) return undefined;
  return { expected: `at most ${MAX_LEVELS} levels of nesting`, found: 'more' };
}

/** Whom a flaw concerns: the project; for a user, whomever the request concerns. */
function scopeOf(kind: Kind): Scope | undefined {
  return kind === 'user' ? undefined : 'project';
}

/** The record, flawed if another record of the page (`twin`) has the same identifier but is not the same. */
function withTwin(
  answer: Answer,
  kind: Kind,
  path: string,
  record: ServiceRecord,
  twin: ServiceRecord & { path: string },
): ServiceRecord {
  if (record.flaw || (!twin.flaw && jsonEqual(record.fields, twin.fields))) return record;
  const expected = 'an identifier of its own (the property to take can be configured)';
  const found = `that of ${twin.path}, another record`;
  return { ...record, flaw: answer.wrong({ path, expected, found, scope: scopeOf(kind) }) };
}
