import { createHash } from 'node:crypto';
import { identifierNames } from '../basics/identifier-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../basics/json.ts';
import { isTooDeep, MOST_LEVELS } from '../basics/nesting.ts';
import { jsonEqual } from '../changes/equal.ts';
import { encodePart } from '../model/event-id.ts';
import { keysOf, typeName } from './describe.ts';
import type { Scope } from './errors.ts';
import type { Identifiers } from './options.ts';
import type { Answer, Wrong } from './reader.ts';
import type { ServiceRecord } from './service.ts';

/** A kind of record that has an identifier (service-api.md §2.1). */
export type Kind = keyof Identifiers;

/** The longest identifier, in characters when percent-encoded: it stands in table keys, where DynamoDB takes
 *  1,024 bytes, and in event ids. */
const LONGEST_ID = 900;
/** An identifier up to this length need not be encoded to be checked: no character becomes longer than nine. */
const SURELY_SHORT = LONGEST_ID / 9;
/** How many characters of a longer identifier are kept. Encoded, they fit LONGEST_ID. */
const SHOWN = 60;

type Flaw = Pick<Wrong, 'expected' | 'found'>;

/** The record at `path` of the answer as a JSON object; throws a ServiceAnswerError when it is none. */
export function asObject(answer: Answer, path: string, value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  throw answer.wrong({ path, expected: 'a record', found: typeName(value) });
}

/**
 * Reads the identifier, whose name service-api.md §2.4 leaves open: the overriding property, else `id`, else `projectId`,
 * `taskId` or `userId`, else `externalId`; numbers become text. Throws a ServiceAnswerError with the record's keys.
 */
export function identify(
  answer: Answer,
  kind: Kind,
  names: Identifiers,
  path: string,
  value: Json,
): ServiceRecord {
  const fields = asObject(answer, path, value);
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
export function identifyAll(
  answer: Answer,
  kind: Kind,
  names: Identifiers,
  path: string,
  values: readonly Json[],
): ServiceRecord[] {
  const places = new Map<string, number>();
  const records: ServiceRecord[] = [];
  for (const [index, value] of values.entries()) {
    const record = identify(answer, kind, names, `${path}[${index}]`, value);
    const place = places.get(record.id) ?? index;
    const twin = records[place];
    places.set(record.id, index);
    const twinAt = twin && { ...twin, path: `${path}[${place}]` };
    records.push(twinAt ? withTwin(answer, kind, `${path}[${index}]`, record, twinAt) : record);
  }
  return records;
}

/** The record, with its flaw, if it has one. The flaw concerns that project alone, though its listing is the
 *  process's. An identifier that is too long is replaced by a short one: skipped projects are remembered by
 *  it, and there is not much room for that. */
function named(answer: Answer, kind: Kind, path: string, id: string, fields: JsonObject): ServiceRecord {
  const isTooLong =
    id.length > SURELY_SHORT && (id.length > LONGEST_ID || encodePart(id).length > LONGEST_ID);
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
    const expected = `an identifier of at most ${LONGEST_ID} characters, percent-encoded`;
    return { expected, found: `one of ${id.length} characters` };
  }
  if (!isTooDeep(fields)) return undefined;
  return { expected: `at most ${MOST_LEVELS} levels of nesting`, found: 'more' };
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
