import { afterAll, beforeAll } from 'vitest';
import { decodeEvents } from '../../../functions/snapshots/codec.ts';
import { partition } from '../../../functions/snapshots/keys.ts';
import { type Database, openDatabase } from '../../../functions/snapshots/sqlite/database.ts';
import { sqliteEndpointStates } from '../../../functions/snapshots/sqlite/endpoint-states.ts';
import { SNAPSHOTS_SCHEMA } from '../../../functions/snapshots/sqlite/schema.ts';
import { sqliteSnapshots } from '../../../functions/snapshots/sqlite/sqlite-snapshots.ts';
import { snapshotsContract } from '../contract.ts';
import { endpointStatesContract } from '../endpoint-states-contract.ts';

let database: Database;
beforeAll(() => {
  database = openDatabase(':memory:', [SNAPSHOTS_SCHEMA]);
});
afterAll(() => database.file.close());

snapshotsContract('SQLite', () => ({
  snapshots: sqliteSnapshots(database),
  journal: async processId => {
    const process = partition({ workspace: 'eu', processId });
    const rows = database.sql.all`SELECT events FROM change WHERE process = ${process} ORDER BY key`;
    return rows.flatMap(({ events }) => decodeEvents(events as Uint8Array));
  },
}));

endpointStatesContract(() => sqliteEndpointStates(database));
