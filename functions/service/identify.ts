import { createHash } from 'node:crypto';
import { jsonEqual } from '../changes/equal.ts';
import { encodePart } from '../changes/event-id.ts';
import { identifierNames } from '../identifier-names.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { keysOf, typeName } from './describe.ts';
import type { ServiceAnswerError } from './errors.ts';
import { isTooDeep, MOST_LEVELS } from './nesting.ts';
import type { Identifiers } from './options.ts';
import type { Answer } from './reader.ts';
import type { ServiceRecord } from './service.ts';

/** A kind of record that has an identifier (service-api.md §2.1). */
export type Kind = keyof Identifiers;

/** Of an identifier, percent-encoded: it stands in table keys, where DynamoDB takes 1,024 bytes, and in event ids. */
const LONGEST_ID = 900;
/** Of one that is longer, so many characters are shown: encoded they have room in LONGEST_ID. */
const SHOWN = 60;

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
    if (typeof id === 'string' && id !== '') return named(answer, path, id, fields);
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
    records.push(
      twin ? withTwin(answer, `${path}[${index}]`, record, { ...twin, path: `${path}[${place}]` }) : record,
    );
  }
  return records;
}

/** The record, with what makes it useless. One whose identifier is too long is known by a short one: it is remembered as
 *  skipped, in a place that is not as large as an answer. */
function named(answer: Answer, path: string, id: string, fields: JsonObject): ServiceRecord {
  const isTooLong = id.length > LONGEST_ID || encodePart(id).length > LONGEST_ID;
  const flaw = flawOf(answer, path, id, fields, isTooLong);
  return { id: isTooLong ? shortened(id) : id, fields, ...(flaw && { flaw }) };
}

function shortened(id: string): string {
  const digest = createHash('sha256').update(id, 'utf16le').digest('base64url').slice(0, 16);
  return `${id.slice(0, SHOWN)}… ${digest}`;
}

function flawOf(
  answer: Answer,
  path: string,
  id: string,
  fields: JsonObject,
  isTooLong: boolean,
): ServiceAnswerError | undefined {
  if (!id.isWellFormed()) {
    const found = 'one with half a surrogate pair, which no request can carry';
    return answer.wrong({ path, expected: 'an identifier in Unicode', found });
  }
  if (isTooLong) {
    const expected = `an identifier of at most ${LONGEST_ID} characters, percent-encoded`;
    return answer.wrong({ path, expected, found: `one of ${id.length} characters` });
  }
  if (!isTooDeep(fields)) return undefined;
  return answer.wrong({ path, expected: `at most ${MOST_LEVELS} levels of nesting`, found: 'more' });
}

function withTwin(
  answer: Answer,
  path: string,
  record: ServiceRecord,
  twin: ServiceRecord & { path: string },
): ServiceRecord {
  if (record.flaw || (!twin.flaw && jsonEqual(record.fields, twin.fields))) return record;
  const expected = 'an identifier of its own (the property to take can be configured)';
  return { ...record, flaw: answer.wrong({ path, expected, found: `that of ${twin.path}, another record` }) };
}
