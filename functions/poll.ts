import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { bounded, PATIENCE } from './aws-clients.ts';
import { createPoll, type Poll } from './create-poll.ts';
import { readCredentials } from './credentials.ts';
import { readied } from './readied.ts';
import { connect } from './service/client.ts';
import { parseEnvironment, pollEnvironment } from './settings.ts';
import { createSnapshots } from './snapshots/dynamo-snapshots.ts';
import { openTable } from './snapshots/open-table.ts';
import { SYSTEM } from './system.ts';
import { lambdaCount, lambdaLog } from './telemetry.ts';

/**
 * Triggered by EventBridge Scheduler with `{workspace, processId, mode}`: one schedule per process and mode.
 *
 * State lives in the table (DESIGN §6), nowhere else. A process's first run is its baseline: it commits snapshots and
 * sends nothing. Effects come in this order: lease; for each changed project snapshot and change record in one
 * transaction; watermark, audit position and lease together. The table's stream carries change records to
 * `publish.ts`. A run that dies anywhere leaves a lease that ends within a minute; the next schedule goes on.
 */
export const handler: Poll = readied(() => configure(process.env));

async function configure(environment: NodeJS.ProcessEnv): Promise<Poll> {
  const { TABLE_NAME, WORKSPACES } = parseEnvironment('poll.ts', pollEnvironment, environment);
  const patience = bounded(PATIENCE.poll);
  const secrets = new SecretsManagerClient(patience);
  const log = lambdaLog();
  const table = await openTable(TABLE_NAME, patience, SYSTEM);
  return createPoll({
    workspaces: WORKSPACES,
    snapshots: createSnapshots(table),
    connect: workspace =>
      connect({
        ...workspace,
        credentials: () => readCredentials(secrets, workspace.credentials),
        ...SYSTEM,
        onNotice: ({ message, ...details }) => log.warn(message, details),
      }),
    clock: SYSTEM.clock,
    random: SYSTEM.random,
    log,
    count: lambdaCount(),
  });
}
