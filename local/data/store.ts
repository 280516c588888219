import { existsSync } from 'node:fs';
import { openSqliteStore, type SqliteStore } from '../../functions/store/sqlite/store.ts';
import type { EndpointRows, JournalReader } from '../../functions/store/store.ts';
import type { Closers } from '../basics/closers.ts';
import type { DataDirectory } from './data-directory.ts';
import { STORE_FILE } from './store-file.ts';

/** All that a run keeps, in one file. */
export interface Store extends Omit<SqliteStore, 'journal'> {
  readonly journal: SqliteStore['feed'];
  /** The same journal, as people search it. */
  readonly reader: JournalReader;
  readonly rows: EndpointRows;
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
  const store = openSqliteStore(path);
  closers.add(store.close);
  return { ...store, journal: store.feed, reader: store.journal, rows: store.endpoints };
}
