import { existsSync } from 'node:fs';
import { sqliteActions } from '../../functions/store/sqlite/actions.ts';
import { type Database, openDatabase } from '../../functions/store/sqlite/database.ts';
import { sqliteEndpointRows, sqliteSlots } from '../../functions/store/sqlite/endpoints.ts';
import { type Journal, sqliteJournal, sqliteJournalReader } from '../../functions/store/sqlite/journal.ts';
import { sqliteProcessReader, sqliteRoster } from '../../functions/store/sqlite/processes.ts';
import { DELIVERIES_SCHEMA, SNAPSHOTS_SCHEMA } from '../../functions/store/sqlite/schema.ts';
import {
  type SqliteDeliveries,
  sqliteDeliveries,
  sqliteSnapshots,
} from '../../functions/store/sqlite/store.ts';
import type {
  Actions,
  EndpointRows,
  JournalReader,
  ProcessReader,
  Roster,
  Slots,
  Snapshots,
} from '../../functions/store/store.ts';
import type { Closers } from '../basics/closers.ts';
import type { DataDirectory } from './data-directory.ts';
import { STORE_FILE } from './store-file.ts';

/** All that a run keeps, in one file. */
export interface Store {
  readonly snapshots: Snapshots;
  readonly journal: Journal;
  /** The same journal, as people search it. */
  readonly reader: JournalReader;
  readonly rows: EndpointRows;
  readonly slots: Slots;
  readonly deliveries: SqliteDeliveries;
  readonly states: ProcessReader;
  readonly roster: Roster;
  readonly actions: Actions;
}

/** The file of earlier versions, whose layout can't be read any more. */
const FORMER_FILE = 'table.sqlite';

/** Opens what an earlier run left, or begins anew. @throws when the file is of another version */
export function openStore({ closers, directory }: { closers: Closers; directory: DataDirectory }): Store {
  const former = directory.file(FORMER_FILE);
  if (existsSync(former))
    throw new Error(
      `${directory.path} holds the embedded DynamoDB of an older version (${FORMER_FILE}), which this one does not read. It is ` +
        'left as it is, with what it has yet to deliver. Choose another directory with --data DIR, or move this one away: ' +
        'the first pass is then a new baseline.',
    );
  const path = directory.lasting ? directory.file(STORE_FILE) : ':memory:';
  const database = openStoreFile(path);
  closers.add(() => database.file.close());
  return {
    snapshots: sqliteSnapshots(database),
    journal: sqliteJournal(database),
    reader: sqliteJournalReader(database),
    rows: sqliteEndpointRows(database),
    slots: sqliteSlots(database),
    deliveries: sqliteDeliveries(database),
    states: sqliteProcessReader(database),
    roster: sqliteRoster(database),
    actions: sqliteActions(database),
  };
}

/** The file of a run, or a new one. @throws when it is of another version */
export function openStoreFile(path: string): Database {
  return openDatabase(path, [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
}
