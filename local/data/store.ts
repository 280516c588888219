import { existsSync } from 'node:fs';
import type { EndpointRows } from '../../functions/delivery/endpoint-rows.ts';
import type { Slots } from '../../functions/delivery/slots.ts';
import type { Actions } from '../../functions/operations/actions.ts';
import type { JournalReader } from '../../functions/operations/journal.ts';
import type { ProcessReader } from '../../functions/operations/processes.ts';
import type { Roster } from '../../functions/operations/roster.ts';
import type { Snapshots } from '../../functions/snapshots/snapshots.ts';
import { sqliteActions } from '../../functions/snapshots/sqlite/actions.ts';
import { type Database, openDatabase } from '../../functions/snapshots/sqlite/database.ts';
import {
  DELIVERIES_SCHEMA,
  type SqliteDeliveries,
  sqliteDeliveries,
} from '../../functions/snapshots/sqlite/deliveries.ts';
import { sqliteEndpointRows } from '../../functions/snapshots/sqlite/endpoint-rows.ts';
import { type Journal, sqliteJournal } from '../../functions/snapshots/sqlite/journal.ts';
import { sqliteJournalReader } from '../../functions/snapshots/sqlite/journal-reader.ts';
import { sqliteProcessReader } from '../../functions/snapshots/sqlite/processes.ts';
import { sqliteRoster } from '../../functions/snapshots/sqlite/roster.ts';
import { SNAPSHOTS_SCHEMA } from '../../functions/snapshots/sqlite/schema.ts';
import { sqliteSlots } from '../../functions/snapshots/sqlite/slots.ts';
import { sqliteSnapshots } from '../../functions/snapshots/sqlite/sqlite-snapshots.ts';
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
