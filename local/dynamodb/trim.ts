import { DatabaseSync } from 'node:sqlite';

/**
 * Drops the records of a table's stream before `sequenceNumber`; that one stays. DynamoDB forgets them after a day; the
 * embedded one never does, and each write walks over all of them. It happens behind the server's back, in one short
 * transaction; when the server is writing it is left for another time.
 * @returns how many were dropped.
 */
export function trimStream(databasePath: string, tableName: string, sequenceNumber: string): number {
  const database = new DatabaseSync(databasePath, { timeout: 20 });
  try {
    const { changes } = database
      .prepare('DELETE FROM _stream_records WHERE table_name = ? AND CAST(sequence_number AS INTEGER) < ?')
      .run(tableName, Number(sequenceNumber));
    return Number(changes);
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_SQLITE_ERROR') return 0;
    throw error;
  } finally {
    database.close();
  }
}
