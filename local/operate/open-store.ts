import { join } from 'node:path';
import { SYSTEM } from '../../functions/basics/system.ts';
import { senderOf } from '../../functions/delivery/sender.ts';
import type { Operations } from '../../functions/operations/operations.ts';
import type { OperationsHouse } from '../../functions/operations/operations-house.ts';
import { Refused } from '../../functions/operations/refused.ts';
import { sqliteActions } from '../../functions/store/sqlite/actions.ts';
import { sqliteEndpointRows } from '../../functions/store/sqlite/endpoints.ts';
import { sqliteJournalReader } from '../../functions/store/sqlite/journal.ts';
import {
  sqliteProcesses,
  sqliteProcessReader,
  sqliteRoster,
} from '../../functions/store/sqlite/processes.ts';
import { sqliteDeliveries } from '../../functions/store/sqlite/store.ts';
import { openStoreFile } from '../data/store.ts';
import { STORE_FILE } from '../data/store-file.ts';
import { fileSecrets, SECRETS_FOLDER } from '../endpoints/secret-files.ts';
import { localOperations } from './house.ts';

const NOTHING_RUNS =
  'Nothing runs that could walk it. Start it with npx changewire start, which looks for changes at once.';

/** Answers from what the last run left in `directory`. What is done here takes effect at the next start.
 *  If a run goes on after all, and only can't be asked, it sees the change within seconds: SQLite lets
 *  both write, one after the other.
 *  @throws when the store is of another version */
export async function openStoredOperations(
  directory: string,
  { doctor, warn }: { readonly doctor: OperationsHouse['doctor']; readonly warn: (text: string) => void },
): Promise<{ readonly operations: Operations; close(): void }> {
  const database = openStoreFile(join(directory, STORE_FILE));
  const rows = sqliteEndpointRows(database);
  const secrets = fileSecrets(join(directory, SECRETS_FOLDER));
  const operations = localOperations({
    ...{ rows, secrets, doctor },
    isRunning: false,
    configured: (await rows.list()).flatMap(({ configured }) => (configured ? [configured] : [])),
    deliveries: sqliteDeliveries(database),
    journal: sqliteJournalReader(database),
    states: sqliteProcessReader(database),
    roster: sqliteRoster(database),
    actions: sqliteActions(database),
    processes: async () => sqliteProcesses(database),
    sender: senderOf({ secrets, ...SYSTEM, allowLoopback: true }),
    passes: { start: () => Promise.reject(new Refused(NOTHING_RUNS)) },
    queues: { wake: async () => undefined },
    log: { info: () => undefined, warn, error: warn },
  });
  return { operations, close: () => database.file.close() };
}
