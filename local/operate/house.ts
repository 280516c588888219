import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { senderOf } from '../../functions/delivery/sender.ts';
import { DELIVERIES_SCHEMA, sqliteDeliveries } from '../../functions/delivery/sqlite-deliveries.ts';
import type { EndpointSettings } from '../../functions/endpoints/endpoint.ts';
import { resolveBySystem } from '../../functions/endpoints/guarded-agent.ts';
import { openDatabase } from '../../functions/snapshots/sqlite/database.ts';
import { sqliteEndpointRows } from '../../functions/snapshots/sqlite/endpoint-rows.ts';
import { sqliteJournalReader } from '../../functions/snapshots/sqlite/journal-reader.ts';
import { SNAPSHOTS_SCHEMA } from '../../functions/snapshots/sqlite/schema.ts';
import { checkEndpoint } from '../../infra/config/check-endpoint.ts';
import { STORE_FILE } from '../cli/store.ts';
import { UsageError } from '../cli/usage-error.ts';
import { fileSecrets, SECRETS_FOLDER } from '../endpoints/secret-files.ts';

const DIRECTORIES = ['.changewire', '.changewire/simulated'];

/** Opens what a run keeps, beside the run itself: SQLite lets both write, one after the other. The run sees a change within seconds.
 *  @throws UsageError when nothing is there */
export async function openHouse(data: string | undefined, say: (text: string) => void) {
  const directory = data ?? DIRECTORIES.find(each => existsSync(join(each, STORE_FILE)));
  if (directory === undefined || !existsSync(join(directory, STORE_FILE)))
    throw new UsageError(
      `${directory ?? DIRECTORIES.join(' and ')} holds nothing that a run keeps. Start one with npm start, or name its directory ` +
        'with --data DIR.',
    );
  const database = openDatabase(join(directory, STORE_FILE), [SNAPSHOTS_SCHEMA, DELIVERIES_SCHEMA]);
  const rows = sqliteEndpointRows(database);
  const secrets = fileSecrets(join(directory, SECRETS_FOLDER));
  const log = { info: () => undefined, warn: say, error: say };
  const sender = senderOf({ secrets, clock: Date.now, allowLoopback: true });
  return {
    rows,
    secrets,
    log,
    ...sender,
    configured: configuredOf(await rows.list()),
    deliveries: sqliteDeliveries(database),
    journal: sqliteJournalReader(database),
    // The run looks for what waits every few seconds.
    queues: { wake: async () => undefined },
    check: checkEndpoint,
    address: { allowLoopback: true, resolve: resolveBySystem },
    clock: Date.now,
    randomBytes,
    newId: randomUUID,
    close: () => database.file.close(),
  };
}

/** As the run that was started last had them on its command line, and in its configuration. */
function configuredOf(
  rows: readonly { readonly configured?: EndpointSettings | undefined }[],
): EndpointSettings[] {
  return rows.flatMap(({ configured }) => (configured ? [configured] : []));
}
