import type { DynamoDBStreamEvent } from 'aws-lambda';
import type { Database } from '../../../functions/store/sqlite/database.ts';

/** A change record as a commit leaves it in the journal; `id` is its key. @returns its position */
export function addChange({ sql }: Database, id: string): number {
  const { lastInsertRowid } = sql.run`INSERT INTO change (process, key, at, events)
    VALUES ('W#w#P#p', ${id}, 1, ${Buffer.from(id)})`;
  return Number(lastInsertRowid);
}

/** The identifiers of the change records, as {@link addChange} wrote them. */
export function idsOf({ Records }: DynamoDBStreamEvent): string[] {
  return Records.map(({ dynamodb }) => dynamodb?.Keys?.sk?.S ?? '');
}
