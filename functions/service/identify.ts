import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { keysOf, typeName } from './describe.ts';
import type { Identifiers } from './options.ts';
import type { Answer } from './reader.ts';
import type { ServiceRecord } from './service.ts';

/** A kind of record that has an identifier (service-api.md §2.1). */
export type Kind = keyof Identifiers;

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
  const candidates = [names[kind], 'id', `${kind}Id`, 'externalId'].filter(name => name !== undefined);
  for (const name of candidates) {
    const id = fields[name];
    if (typeof id === 'number') return { id: String(id), fields };
    if (typeof id === 'string' && id !== '') return { id, fields };
  }
  const expected = `an identifier (${candidates.join(', ')}; another name can be configured)`;
  throw answer.wrong({ path, expected, found: keysOf(fields) });
}
